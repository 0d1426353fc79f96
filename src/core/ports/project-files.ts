import type { Result } from '#shared/result';

export interface ProjectFiles {
  /** Paths relative to the folder, in code-unit order. */
  readonly paths: readonly string[];
  /** False when more files exist than are listed. */
  readonly complete: boolean;
}

/** The files of a project folder. TOOL/NOT_FOUND when the folder cannot be read. */
export type ListProjectFiles = (project: string, signal: AbortSignal) => Promise<Result<ProjectFiles>>;

/** The state of a project path at one moment. */
export type FileState =
  /** Nothing; `path` says where a write would create it, `noFolder` that the folder for it is missing too. */
  | { readonly kind: 'missing'; readonly path: string; readonly noFolder?: true }
  | { readonly kind: 'folder'; readonly path: string }
  | StoredFile
  /** Outside the project, a device, or not readable; `reason` is one clause for the user. */
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface StoredFile {
  readonly kind: 'file';
  /** Relative to the project with `/`, after links were followed. */
  readonly path: string;
  readonly bytes: number;
  /** Changes whenever the content changes: the SHA-256 of the content, up to a limit of the adapter. */
  readonly hash: string;
  /** The content, at most the first `maxBytes`, without a split character; null: not UTF-8 text. */
  readonly text: string | null;
  /** Whether `text` is the whole content. */
  readonly complete: boolean;
}

/**
 * Reads a path of the project, as the bundled filesystem server resolves it, with at most `maxBytes` of the
 * content. Never throws, and never reads outside the project, not even through a link.
 */
export type ReadProjectFile = (project: string, path: string, maxBytes: number) => Promise<FileState>;

/**
 * Where a path leads, relative to the project with `/` and through links; null: out of the project, or unknown. Never
 * throws.
 */
export type ResolveProjectPath = (project: string, path: string) => Promise<string | null>;
