import { z } from 'zod';

/** Something the user must know that belongs to no session: a file set aside, rows lost, no keychain. */
export const Notice = z.object({
  id: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  title: z.string(),
  detail: z.string(),
  /** What to do next, in one sentence. */
  hint: z.string().optional(),
  /** What it changes in the window while it stands: no line can be sent, work is under way, or a restart mends it. */
  effect: z.enum(['sending-off', 'busy', 'restart']).optional(),
});
export type Notice = z.infer<typeof Notice>;
