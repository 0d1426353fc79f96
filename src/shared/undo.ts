import { z } from 'zod';

const path = z.string();

/** The state of a project path at one moment; `path` is relative to it with `/`, after links. */
export const PathState = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('missing'), path }),
  /** `contents`: the hash of the saved list of what a moved folder contained. */
  z.object({ kind: z.literal('folder'), path, contents: z.string().optional() }),
  /** `hash`: the SHA-256 of the content. `mode`: the permission bits. */
  z.object({ kind: z.literal('file'), path, hash: z.string(), bytes: z.number(), mode: z.number() }),
]);
export type PathState = z.infer<typeof PathState>;

/**
 * Why a write cannot be undone: `other-tool`: only the file tools of the bundled servers can. `outside`:
 * not a file or folder of the project. `too-large`, `not-saved`: the previous content could not be saved.
 * `unobserved`: what the write left is not known.
 */
export const UndoObstacle = z.enum(['other-tool', 'outside', 'too-large', 'not-saved', 'unobserved']);
export type UndoObstacle = z.infer<typeof UndoObstacle>;

/** What a write's undo needs, recorded before the write. */
export const WriteBefore = z.union([
  /** `project`: the folder that the paths are relative to. */
  z.object({ project: z.string(), before: z.array(PathState) }),
  z.object({ impossible: UndoObstacle }),
]);
export type WriteBefore = z.infer<typeof WriteBefore>;

/** How an undo left a write; `kept`: the write was not undone, or its undo was taken back. */
export const UndoResult = z.enum(['restored', 'deleted', 'moved', 'kept']);
export type UndoResult = z.infer<typeof UndoResult>;

/** The state of the undo of a write; `intended` without an end: it was interrupted. */
export interface UndoState {
  readonly status: 'intended' | 'done';
  readonly result?: UndoResult;
}

/** Whether a write can be undone, was undone, or cannot be. */
export type Undoable = 'possible' | 'done' | 'impossible';

/** A larger file is not saved before a write, so the write cannot be undone. */
export const maxUndoBytes = 64 * 1024 * 1024;

const undoableTools: Readonly<Record<string, readonly string[]>> = {
  filesystem: ['write_file', 'edit_file', 'move_file', 'create_directory'],
  project: ['delete_file'],
};

/** Whether the host keeps what a call of this tool changes; the rest of the answer needs the call's paths. */
export const isUndoableTool = (tool: {
  readonly bundled?: string | undefined;
  readonly tool: string;
}): boolean => (undoableTools[tool.bundled ?? ''] ?? []).includes(tool.tool);

/** Whether two states are the same content; permission bits do not count. */
export function sameContent(one: PathState, other: PathState): boolean {
  if (one.kind === 'file' && other.kind === 'file') return one.hash === other.hash;
  return one.kind === other.kind;
}

/** A write that was undone, and how. */
export interface UndoneWrite {
  readonly callId: string;
  readonly target: string;
  readonly result: Exclude<UndoResult, 'kept'>;
}

/** A write that was not undone. `diff`: from what the run wrote to what is there now; null: none to show. */
export interface RefusedUndo {
  readonly callId: string;
  readonly target: string;
  readonly reason: string;
  readonly diff: string | null;
}

/** The outcome of `patina undo`. */
export interface UndoReport {
  readonly runId: string;
  readonly undone: readonly UndoneWrite[];
  readonly refused: readonly RefusedUndo[];
}

/** What a run changed in one file, all its writes together. */
export interface ChangedFile {
  readonly path: string;
  /** The path before the run, if it differs. */
  readonly movedFrom?: string;
  readonly change: 'created' | 'changed' | 'moved' | 'deleted' | 'folder';
  readonly added: number;
  readonly removed: number;
  /** Not text, or its content is no longer kept: there are no lines to show. */
  readonly withoutLines?: 'binary' | 'too-long' | 'not-kept';
  /** A unified diff; empty without lines. */
  readonly patch: string;
}

/** Everything that a run wrote to project files, without what was undone. */
export interface RunDiff {
  readonly runId: string;
  readonly files: readonly ChangedFile[];
  /** Writes that are not in `files`: they are not writes to project files, or what they changed is unknown. */
  readonly others: number;
}
