import { z } from 'zod';
import type { Grant } from './grant';
import { call } from './ipc-call';
import type { ToolChange } from './tool-pin';

/** Calls about saved permissions and tool pins. */
export const grantCalls = {
  /** Newest first. */
  'grant-list': call<readonly Grant[]>()(z.undefined()),
  'grant-revoke': call<null>()(z.object({ id: z.string().min(1).max(64) })),
  /** How a tool differs from its pinned definition; null when it does not. */
  'tool-change': call<ToolChange | null>()(z.object({ uri: z.string().max(300) })),
  /** Accepts the tool change that was shown, by its hash. */
  'tool-accept': call<null>()(z.object({ uri: z.string().max(300), hash: z.string().max(64) })),
  /** Leaves a tool blocked after the user reviewed the change; asks again only when it changes once more. */
  'tool-keep-blocked': call<null>()(z.object({ uri: z.string().max(300), hash: z.string().max(64) })),
} as const;
