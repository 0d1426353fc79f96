import { z } from 'zod';
import { settingsSections } from './setting-rows';

/** A notice to the user that belongs to no session: a file set aside, rows lost, no keychain. */
export const Notice = z.object({
  id: z.string(),
  level: z.enum(['info', 'warning', 'error']),
  title: z.string(),
  detail: z.string(),
  /** What to do next, in one sentence. */
  hint: z.string().optional(),
  /** The section of the settings where the user decides about it. */
  section: z.enum(settingsSections).optional(),
  /**
   * Effect on the window while the notice is shown: sending is disabled, work is in
   * progress, or a restart fixes it.
   */
  effect: z.enum(['sending-off', 'busy', 'restart']).optional(),
});
export type Notice = z.infer<typeof Notice>;
