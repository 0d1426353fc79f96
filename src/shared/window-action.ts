import { z } from 'zod';
import { readChord } from './shortcut';

/** `Mod` is Cmd on a Mac and Ctrl elsewhere: `Mod+Shift+F`, `Alt+ArrowUp`, `?`. */
export const Shortcut = z.string().refine((text) => readChord(text) !== null, {
  message: 'Not a shortcut: write one like Mod+Shift+F, Alt+ArrowUp or F6.',
});

/**
 * A window action without an Id: palette, menu and shortcut derive from its row, and the router never sees
 * it. `actionId` identifies its implementation (`window-action-ids.ts`).
 */
export const WindowAction = z.strictObject({
  actionId: z.string().regex(/^[a-z][a-z0-9-]*$/),
  displayName: z.string().min(1),
  group: z.enum(['Session', 'Mode', 'View', 'App', 'Help']),
  /** Position in its group; rows with the same position are ordered by id. */
  order: z.number().int().min(0).default(1_000),
  shortcut: Shortcut.optional(),
});
export type WindowAction = z.infer<typeof WindowAction>;
