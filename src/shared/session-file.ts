import { z } from 'zod';
import { SessionEvent } from './session-event';

export const ExportFormat = z.enum(['md', 'html', 'json']);
export type ExportFormat = z.infer<typeof ExportFormat>;

/** Identifies a session file of Patina and the version of its shape. */
export const sessionFileFormat = { format: 'session', version: 1 } as const;

/** What the import reads of a session file: the events; everything else in the file follows from them. */
export const SessionFile = z.object({
  patina: z.object({ format: z.literal(sessionFileFormat.format), version: z.literal(1) }),
  id: z.string().min(1).max(64),
  events: z.array(SessionEvent).min(1),
});
export type SessionFile = z.infer<typeof SessionFile>;

/** The last time that a Date can hold, in milliseconds since the epoch; no text can be made of a later one. */
export const maxTime = 8.64e15;

/** Where imported conversations come from. */
export type ImportSource = 'patina' | 'chatgpt' | 'claude';

/** What a file of conversations contains and a session cannot; the window has a name for each. */
export type SkippedKind =
  | 'attached content'
  | 'content of an attached picture'
  | 'custom instructions'
  | 'empty conversation'
  | 'file'
  | 'hidden message'
  | 'other message'
  | 'other part'
  | 'picture'
  | 'reply before the first line'
  | 'sound'
  | 'system message'
  | 'thinking'
  | 'tool call'
  | 'tool result'
  | 'unreadable conversation'
  | 'unreadable event'
  | 'unreadable message'
  | 'video';

/** Parts of an imported file that Patina left out, counted by what they are. */
export interface SkippedItems {
  readonly what: SkippedKind;
  readonly count: number;
}

/** What a file contains, before anything is imported. */
export interface ImportPreview {
  readonly source: ImportSource;
  readonly sessions: number;
  readonly turns: number;
  /** Sessions that an earlier import has already brought here. */
  readonly present: number;
  readonly skipped: readonly SkippedItems[];
}

/** The result of an import; `sessions` and `turns` are the new ones. */
export type ImportReport = ImportPreview;
