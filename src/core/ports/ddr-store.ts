import type { ConfigProblem } from '#shared/app-error';
import type { DdrTlaRow } from '#shared/ddr';
import type { Result } from '#shared/result';

/** A design record as stored on disk. */
export interface StoredDdr {
  /** File name, for display. */
  readonly file: string;
  /** `seed`: shipped with Patina; the first change creates a copy among the user's own documents. */
  readonly origin: 'home' | 'seed';
  readonly text: string;
}

export interface DdrWrite {
  readonly id: string;
  /** The user's file; null for a document that has none yet. */
  readonly file: string | null;
  readonly text: string;
  /** Expected current content; any other content rejects the write (HOST/STATE). */
  readonly expected: string | null;
  /** The previous text, kept as a backup; a seed's text counts. */
  readonly previous: string | null;
  /** The newest approved text, kept as a backup; null when there is none. */
  readonly approved: string | null;
}

/**
 * Design records on disk. Failures are HOST/STORAGE, and HOST/STATE when another process
 * changed the same document.
 */
export interface DdrStore {
  /**
   * The user's documents first, then the seeds. An unreadable file is reported as a
   * problem and hides no other.
   */
  read(): Result<{ readonly documents: readonly StoredDdr[]; readonly problems: readonly ConfigProblem[] }>;
  tlas(): Result<readonly DdrTlaRow[]>;
  addTla(row: DdrTlaRow): Promise<Result<null>>;
  /**
   * Reserves the first number above `after` that was never assigned under this TLA; it
   * is never assigned again.
   */
  reserve(tla: string, after: number): Promise<Result<number>>;
  /** Atomic, and durable when it succeeds. */
  write(write: DdrWrite): Promise<Result<null>>;
  /**
   * `approved`: the newest approved text; `previous`: the newest earlier text for which `differs` is true.
   * Null when none is stored.
   */
  earlier(
    id: string,
    which: 'approved' | 'previous',
    differs: (text: string) => boolean,
  ): Result<string | null>;
  /**
   * Notifies the listener when documents change, whichever process changed them. Returns
   * an unsubscribe function.
   */
  onChange(listener: () => void): () => void;
}
