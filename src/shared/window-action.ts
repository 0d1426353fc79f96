import { z } from 'zod';

/**
 * Something the window does without an Id: palette, menu and shortcut derive from its row, the router never sees it.
 * What carries it out is looked up by `actionId`.
 */
export const WindowAction = z.strictObject({
  actionId: z.string().regex(/^[a-z][a-z0-9-]*$/),
  displayName: z.string().min(1),
  group: z.enum(['Session', 'Mode', 'View', 'App']),
  /** `Mod` is Cmd on a Mac and Ctrl elsewhere. */
  shortcut: z.string().min(1).optional(),
});
export type WindowAction = z.infer<typeof WindowAction>;
