import type { ConfigProblem } from '#shared/app-error';
import type { Result } from '#shared/result';

/** How a workspace file is read; determines its size limit. */
export type WorkspaceFileKind = 'text' | 'image';

export interface WantedFile {
  /** Relative to the root, separated by `/`. */
  readonly path: string;
  readonly kind: WorkspaceFileKind;
  /** Where it is referenced: the file and the field in it. */
  readonly from: { readonly file: string; readonly field: string };
}

/** File system metadata; identical stamps imply identical bytes. */
export interface FileStamp {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** A file of a snapshot, without its bytes. */
export interface KnownFile {
  /** Relative to the root, separated by `/`. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256, hex. */
  readonly sha256: string;
}

export interface ReadFile {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string;
  /** Null when the file changed too recently for its stamp to be reliable. */
  readonly stamp: FileStamp | null;
}

export type FilesRead = ReadonlyMap<string, ReadFile>;

/** One workspace's folder. Never opens a file outside it and never writes into it. */
export interface WorkspaceFolder {
  /** Absolute path, for display only. */
  readonly root: string;
  /**
   * Returns all files, or all problems (file and rule); a missing file breaks the
   * rule `exists`. Never throws.
   */
  readonly read: (wanted: readonly WantedFile[]) => Promise<Result<FilesRead, readonly ConfigProblem[]>>;
  /**
   * Reads files like `read` but keeps no bytes, and returns their stamps in order if every file matches its
   * known version. Returns null as soon as one is different, missing, changing while it is read, or
   * unreadable. Never throws.
   */
  readonly same: (known: readonly KnownFile[]) => Promise<readonly (FileStamp | null)[] | null>;
  /** Synchronous `read`; blocks the process. */
  readonly readNow: (wanted: readonly WantedFile[]) => Result<FilesRead, readonly ConfigProblem[]>;
  /** Sorted names of the JSON files directly in a folder; null when the folder does not exist. */
  readonly list: (folder: string) => Result<readonly string[] | null, readonly ConfigProblem[]>;
  /** Current stamps of files, in order; null where a stamp is unavailable. Reads no content. */
  readonly stamps: (paths: readonly string[]) => Promise<readonly (FileStamp | null)[]>;
}

/** Workspaces by name: those in `workspaces.json`, and `default`. */
export interface WorkspaceFolders {
  readonly names: () => Result<readonly string[]>;
  /** POLICY/CAPABILITY_DENIED for a name that is not allowed, without reading anything of it. */
  readonly open: (name: string, project: string | null) => Result<WorkspaceFolder>;
  /** Whether this is the folder of Patina's built-in workspace, which belongs to no user. */
  readonly builtIn: (root: string) => boolean;
  /**
   * Writes a starter workspace into an empty folder and allows it under a name. HOST/INVALID_INPUT when the
   * name is taken, HOST/STATE when the folder is not empty, HOST/STORAGE.
   */
  readonly create: (name: string, folder: string) => Result<null>;
  /**
   * Adds a name to `workspaces.json`. HOST/INVALID_INPUT when the name is bound to
   * another folder, HOST/STORAGE.
   */
  readonly allow: (name: string, folder: string) => Result<null>;
}
