import type { ConfigProblem } from '#shared/app-error';
import type { Result } from '#shared/result';

/** What a file of a workspace is read as, which says how large it may be. */
export type WorkspaceFileKind = 'text' | 'image';

export interface WantedFile {
  /** Relative to the root, `/` between names. */
  readonly path: string;
  readonly kind: WorkspaceFileKind;
  /** Who names it: the file, and the field in it. */
  readonly from: { readonly file: string; readonly field: string };
}

/** What the file system says of a file; the same in everything, the same bytes. */
export interface FileStamp {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** A file as a snapshot has it, without its bytes. */
export interface KnownFile {
  /** Relative to the root, `/` between names. */
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
  /** Null: changed too lately to tell. */
  readonly stamp: FileStamp | null;
}

export type FilesRead = ReadonlyMap<string, ReadFile>;

/** One workspace's folder. Nothing outside of it is ever opened, and nothing in it is ever written. */
export interface WorkspaceFolder {
  /** For the eye; absolute. */
  readonly root: string;
  /** Every file, or every problem: file and rule. A path that is not there is `exists`. Never throws. */
  readonly read: (wanted: readonly WantedFile[]) => Promise<Result<FilesRead, readonly ConfigProblem[]>>;
  /**
   * Reads files in the same way, keeps no bytes, and gives their stamps, in order, if each is what is known of it. Null as
   * soon as one is not: another, gone, changing while it is read, or not to be read at all. Never throws.
   */
  readonly same: (known: readonly KnownFile[]) => Promise<readonly (FileStamp | null)[] | null>;
  /** `read` at once, holding up everything else. */
  readonly readNow: (wanted: readonly WantedFile[]) => Result<FilesRead, readonly ConfigProblem[]>;
  /** The names of the JSON files directly below a folder, sorted; null when there is no such folder. */
  readonly list: (folder: string) => Result<readonly string[] | null, readonly ConfigProblem[]>;
  /** The stamps of files now, in order; null where one cannot be had. Reads no content. */
  readonly stamps: (paths: readonly string[]) => Promise<readonly (FileStamp | null)[]>;
}

/** Workspaces by name: those of `workspaces.json`, and `default`. */
export interface WorkspaceFolders {
  readonly names: () => Result<readonly string[]>;
  /** POLICY/CAPABILITY_DENIED for a name that is not allowed; nothing of it was looked at. */
  readonly open: (name: string, project: string | null) => Result<WorkspaceFolder>;
  /** Whether this is the folder of the workspace Patina brings, which is nobody's own. */
  readonly builtIn: (root: string) => boolean;
  /**
   * Writes a workspace to start from into an empty folder and allows it under a name. HOST/INVALID_INPUT for a name that is
   * taken, HOST/STATE for a folder that is not empty, HOST/STORAGE.
   */
  readonly create: (name: string, folder: string) => Result<null>;
  /** Adds a name to `workspaces.json`. HOST/INVALID_INPUT when it stands for another folder, HOST/STORAGE. */
  readonly allow: (name: string, folder: string) => Result<null>;
}
