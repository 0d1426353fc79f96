import { z } from 'zod';

/** Something the user must know that belongs to no session: a file set aside, rows lost, no keychain. */
export const Notice = z.object({
  id: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  title: z.string(),
  detail: z.string(),
  /** What to do next, in one sentence. */
  hint: z.string().optional(),
});
export type Notice = z.infer<typeof Notice>;
