import { z } from 'zod';
import type { Grant } from './grant';
import { call } from './ipc-call';
import type { ToolChange } from './tool-pin';

/** What the window asks about standing answers. */
export const grantCalls = {
  /** The newest first. */
  'grant-list': call<readonly Grant[]>()(z.undefined()),
  'grant-revoke': call<null>()(z.object({ id: z.string().min(1).max(64) })),
  /** How a tool differs from what it is held to; null when it does not. */
  'tool-change': call<ToolChange | null>()(z.object({ uri: z.string().max(300) })),
  /** Accepts the change of a tool that was shown, by its hash. */
  'tool-accept': call<null>()(z.object({ uri: z.string().max(300), hash: z.string().max(64) })),
  /** Leaves a tool blocked with the change that was shown: it is not asked about again until it changes once more. */
  'tool-keep-blocked': call<null>()(z.object({ uri: z.string().max(300), hash: z.string().max(64) })),
} as const;
