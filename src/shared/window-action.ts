import { z } from 'zod';
import { readChord } from './shortcut';
import type { WindowActionId } from './window-action-ids';

/** `Mod` is Cmd on a Mac and Ctrl elsewhere: `Mod+Shift+F`, `Alt+ArrowUp`, `?`. */
export const Shortcut = z.string().refine((text) => readChord(text) !== null, {
  message: 'Not a shortcut: write one like Mod+Shift+F, Alt+ArrowUp or F6.',
});

/** What the line that asks for a window action is about; without such a thing, the line goes to the model. */
export const WindowSubject = z.enum([
  'this_window',
  'this_session',
  'last_answer',
  'work_in_progress',
  'session_title',
  'search_words',
]);
export type WindowSubject = z.infer<typeof WindowSubject>;

/** The id of the only item of a subject. */
export const thisItemId = 'this';

/** A window action that a line asked for; `text` is a title or the words to search for. */
export interface WindowActionCall {
  readonly actionId: WindowActionId;
  readonly text?: string;
}

/** What the window shows after a choice or an answer; `opened` is the session where the work continues. */
export interface ChoiceOutcome {
  readonly opened: string | null;
  readonly windowAction?: WindowActionCall;
}

/** The name of a slash command. */
export const SlashName = z.string().regex(/^[a-z][a-z0-9-]*$/);

/**
 * Something the window can do: palette, menu, shortcut, slash name and the router's patterns derive from its
 * row. `actionId` identifies its implementation (`window-action-ids.ts`).
 */
export const WindowAction = z.strictObject({
  actionId: z.string().regex(/^[a-z][a-z0-9-]*$/),
  displayName: z.string().min(1),
  /** What it does, in one sentence; lines that mean it are compared with it. */
  description: z.string().min(1).optional(),
  group: z.enum(['Session', 'Mode', 'View', 'App', 'Help']),
  /** Position in its group; rows with the same position are ordered by id. */
  order: z.number().int().min(0).default(1_000),
  shortcut: Shortcut.optional(),
  slash: SlashName.optional(),
  slashAliases: z.array(SlashName).default([]),
  /** Lines that ask for it, as in a command's row. */
  intentPatterns: z.array(z.string().min(1)).default([]),
  subject: WindowSubject.default('this_window'),
  /** The source that it shows: palette and menu leave it out together with that source. */
  listedWith: z.string().min(1).optional(),
});
export type WindowAction = z.infer<typeof WindowAction>;
