import type { Result } from '#shared/result';

/**
 * The contents of context items, by their SHA-256. A content stays while a session names it, and for a few days
 * while none does. Never throws.
 */
export interface ContextItems {
  /** Returns the hash once the content is on disk. HOST/STORAGE. */
  put(content: Uint8Array): Result<string>;
  /** The content, unchanged. HOST/NOT_FOUND when it is not stored, HOST/STORAGE when it is damaged. */
  read(hash: string): Result<Uint8Array>;
  /** Keeps contents for a session, durably; contents that are not stored are skipped. HOST/STORAGE. */
  claim(sessionId: string, hashes: readonly string[]): Result<null>;
  /** Releases what a deleted session named. */
  release(sessionId: string): void;
}

/** A file or folder that the user attaches, as it was read; `ref` is its path in the base folder, else its name. */
export type AttachedFile = { readonly ref: string } & (
  | { readonly type: 'file'; readonly bytes: Uint8Array }
  /** Its files, relative to it with `/`, in code-unit order; `complete` is false when there are more. */
  | { readonly type: 'folder'; readonly paths: readonly string[]; readonly complete: boolean }
);

/**
 * Reads what a path names, absolute or inside `base`; checks the size before it reads. HOST/NOT_FOUND,
 * HOST/INVALID_INPUT (too large, outside the base, or neither a file nor a folder).
 */
export type ReadAttachedFile = (path: string, base: string | null) => Promise<Result<AttachedFile>>;

/**
 * The text of a PDF. HOST/INVALID_INPUT when it is damaged, protected, without text, too long, or not read in
 * time.
 */
export type ReadPdf = (bytes: Uint8Array) => Promise<Result<string>>;
