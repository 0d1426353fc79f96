import { z } from 'zod';
import { maxUndoBytes } from './undo';

/** A changed range of a text, line by line; numbers count from 1. */
export const TextHunk = z.object({
  oldStart: z.number(),
  newStart: z.number(),
  lines: z.array(z.object({ kind: z.enum(['same', 'added', 'removed', 'note']), text: z.string() })),
});
export type TextHunk = z.infer<typeof TextHunk>;

const path = z.string();
/** Covers everything that was read to show the change. */
const hash = z.string();

/** What a call of a bundled server's file tool would change, as the host read the project when it asked. */
export const FileChange = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    path,
    hash,
    /** Whether the file exists before the call. */
    exists: z.boolean(),
    /** The folder of the new file is missing, so the write fails unless it is created first. */
    noFolder: z.literal(true).optional(),
    hunks: z.array(TextHunk),
    added: z.number(),
    removed: z.number(),
    /** Changed lines beyond those in `hunks`. */
    omitted: z.number(),
    /** Line ends before and after, when they change. */
    lineEnds: z.object({ before: z.string(), after: z.string() }).optional(),
  }),
  /** The file is replaced, but its content cannot be compared. */
  z.object({
    kind: z.literal('replaced'),
    path,
    hash,
    why: z.enum(['binary', 'large']),
    bytes: z.number(),
    /** The first lines of a text before the call. */
    first: z.array(z.string()),
    /** Size after the call, in bytes; absent: it depends on content that was not read. */
    newBytes: z.number().optional(),
  }),
  z.object({
    kind: z.literal('moved'),
    path,
    hash,
    to: z.string(),
    folder: z.boolean(),
    /** The destination exists, so the server refuses the move. */
    taken: z.boolean(),
    /** The folder of the destination is missing, so the move fails unless it is created first. */
    noFolder: z.literal(true).optional(),
  }),
  z.object({ kind: z.literal('folder'), path, hash, exists: z.boolean() }),
  /** The file is deleted. `hunks`: its first lines, as removed ones; none of a binary file. */
  z.object({
    kind: z.literal('deleted'),
    path,
    hash,
    bytes: z.number(),
    binary: z.boolean(),
    hunks: z.array(TextHunk),
    /** Whether the file has more lines than those in `hunks`. */
    more: z.boolean(),
  }),
  /** The result cannot be computed; `reason` is one clause for the user. */
  z.object({ kind: z.literal('unknown'), path, hash, reason: z.string() }),
]);
export type FileChange = z.infer<typeof FileChange>;

/** Whether a write that the user made or is asked about can be undone. */
export const Undo = z.enum(['possible', 'impossible']);
export type Undo = z.infer<typeof Undo>;

/** Whether the previous state of a file can be put back. Pure. */
export function undoOf(change: FileChange | undefined): Undo {
  switch (change?.kind) {
    case 'text':
    case 'moved':
    case 'folder':
      return 'possible';
    case 'replaced':
    case 'deleted':
      return change.bytes <= maxUndoBytes ? 'possible' : 'impossible';
    case 'unknown':
    case undefined:
      return 'impossible';
  }
}

/** One line about a change: what happens to the file, and how much of it. */
export function describeChange(change: FileChange): string {
  switch (change.kind) {
    case 'text':
      return describeText(change);
    case 'replaced':
      return change.why === 'binary' ? 'replaces a binary file' : 'replaces a file too large to compare';
    case 'moved':
      if (change.taken) return 'destination exists, so the move will fail';
      return `moves to ${change.to}${change.noFolder ? noFolderText : ''}`;
    case 'deleted':
      return `deletes ${change.binary ? 'a binary file' : 'the file'}, ${change.bytes} bytes`;
    case 'folder':
      return change.exists ? 'folder exists, nothing changes' : 'new folder';
    case 'unknown':
      return change.reason;
  }
}

const noFolderText = '; its folder does not exist yet, so this fails unless the folder is created first';

function describeText(change: Extract<FileChange, { kind: 'text' }>): string {
  const { exists, added, removed, lineEnds, noFolder } = change;
  if (!exists) return `new file, ${added === 1 ? '1 line' : `${added} lines`}${noFolder ? noFolderText : ''}`;
  const ends = lineEnds ? [`line ends ${lineEnds.before} → ${lineEnds.after}`] : [];
  const counts = added + removed > 0 ? [`+${added} −${removed}`] : [];
  return [...counts, ...ends].join(', ') || 'unchanged';
}
