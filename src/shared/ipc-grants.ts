import { z } from 'zod';
import type { Grant } from './grant';
import { call } from './ipc-call';

/** What the window asks about standing answers. */
export const grantCalls = {
  /** The newest first. */
  'grant-list': call<readonly Grant[]>()(z.undefined()),
  'grant-revoke': call<null>()(z.object({ id: z.string().min(1).max(64) })),
} as const;
