import type { ConfigProblem } from '#shared/app-error';
import type { DdrTlaRow } from '#shared/ddr';
import type { Result } from '#shared/result';

/** A design record as it lies on disk. */
export interface StoredDdr {
  /** The file's name, for people. */
  readonly file: string;
  /** `seed`: comes with Patina; the first change writes a copy beside the user's own. */
  readonly origin: 'home' | 'seed';
  readonly text: string;
}

export interface DdrWrite {
  readonly id: string;
  /** The user's file, or null for a document that has none yet. */
  readonly file: string | null;
  readonly text: string;
  /** What the file holds at this moment; another content refuses the write (HOST/STATE). */
  readonly expected: string | null;
  /** What was there before, kept beside; a seed's text counts. */
  readonly previous: string | null;
  /** The newest approved text, kept beside when there is one. */
  readonly approved: string | null;
}

/** Design records on disk. Failures are HOST/STORAGE, and HOST/STATE when another process changed the same document. */
export interface DdrStore {
  /** The user's documents first, then the seeds. A file that cannot be read is a problem and hides no other. */
  read(): Result<{ readonly documents: readonly StoredDdr[]; readonly problems: readonly ConfigProblem[] }>;
  tlas(): Result<readonly DdrTlaRow[]>;
  addTla(row: DdrTlaRow): Promise<Result<null>>;
  /** The first number above `after` that was never given out for these letters; it never will be again. */
  reserve(tla: string, after: number): Promise<Result<number>>;
  /** Whole or not at all, and on disk when it succeeds. */
  write(write: DdrWrite): Promise<Result<null>>;
  /** The newest approved text, or the newest earlier one that `differs`; null when none is kept. */
  earlier(
    id: string,
    which: 'approved' | 'previous',
    differs: (text: string) => boolean,
  ): Result<string | null>;
  /** Told when documents have changed, whoever changed them. Returns the way to stop. */
  onChange(listener: () => void): () => void;
}
