import type { Result } from '#shared/result';
import type { PathState, UndoObstacle } from '#shared/undo';

/** A content that was saved before a write. `damaged`: it is no longer what was saved. */
export type SavedContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: number }
  | { readonly kind: 'lost'; readonly why: 'swept' | 'damaged' };

/**
 * The files of projects as undo needs them, and the store of contents that were saved before writes. Never
 * throws, and never touches a path outside the project, not even through a link.
 */
export interface UndoFiles {
  /** The current state of a path; null: it is not a readable file or folder of the project. */
  look(project: string, path: string): Promise<PathState | null>;
  /** The same, with the content of a file saved durably before this resolves. */
  save(project: string, path: string): Promise<Result<PathState, UndoObstacle>>;
  read(hash: string): Promise<SavedContent>;
  /**
   * The paths of what a folder holds, at any depth, without files that the system puts into folders; null: it is no
   * folder, or they are more than 10,000.
   */
  contentsOf(project: string, folder: string): Promise<readonly string[] | null>;
  /** Saves a text durably; returns its hash. */
  saveText(text: string): Promise<string | null>;
  /**
   * Removes a file whose content is `expected`, or a folder that holds at most files of the system. HOST/STATE when it
   * is another.
   */
  remove(project: string, expected: PathState): Promise<Result<null>>;
  /**
   * Replaces the content of a file that holds `expected` by a saved one, with its permission bits: for content
   * that no server's tool can write. HOST/STATE when the file holds something else.
   */
  restore(project: string, expected: PathState, to: PathState): Promise<Result<null>>;
  /** Gives a file its permission bits again. */
  setMode(project: string, path: string, mode: number): Promise<Result<null>>;
}
