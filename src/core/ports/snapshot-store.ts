import type { ConfigProblem } from '#shared/app-error';
import type { Result } from '#shared/result';

/** The files of a snapshot by path; the snapshot hash covers their bytes. */
export type SnapshotFiles = ReadonlyMap<string, Uint8Array>;

export interface StoredSnapshot {
  readonly hash: string;
  readonly bytes: number;
  /** When it was stored, in milliseconds since the epoch. */
  readonly at: number;
}

/** Snapshots on disk by their hash, verified on every read. Failures: HOST/STORAGE, HOST/NOT_FOUND. */
export interface SnapshotStore {
  readonly save: (hash: string, files: SnapshotFiles) => Result<null>;
  readonly load: (hash: string) => Result<SnapshotFiles>;
  readonly has: (hash: string) => boolean;
  readonly list: () => Result<readonly StoredSnapshot[]>;
  /**
   * The unusable stored snapshots. Reads and hashes at most `maxBytes`; of the rest, checks only the
   * beginning and the end.
   */
  readonly problems: (maxBytes: number) => readonly ConfigProblem[];
  readonly remove: (hash: string) => Result<null>;
}
