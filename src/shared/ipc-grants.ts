import { z } from 'zod';
import type { Grant } from './grant';
import { call } from './ipc-call';

/** What the window asks about standing answers. */
export const grantCalls = {
  /** The newest first. */
  'grant-list': call<readonly Grant[]>()(z.undefined()),
  'grant-revoke': call<null>()(z.object({ id: z.string().min(1).max(64) })),
  /** Accepts the change of a tool that was shown, by its hash. */
  'tool-accept': call<null>()(z.object({ uri: z.string().max(300), hash: z.string().max(64) })),
} as const;
