import type { ConfigProblem } from '#shared/app-error';
import type { Result } from '#shared/result';

/** The files of a snapshot by path; their bytes are what its hash is made of. */
export type SnapshotFiles = ReadonlyMap<string, Uint8Array>;

export interface StoredSnapshot {
  readonly hash: string;
  readonly bytes: number;
  /** When it was stored, in milliseconds since the epoch. */
  readonly at: number;
}

/** Snapshots on disk by their hash, each checked against it when it is read. Failures: HOST/STORAGE, HOST/NOT_FOUND. */
export interface SnapshotStore {
  readonly save: (hash: string, files: SnapshotFiles) => Result<null>;
  readonly load: (hash: string) => Result<SnapshotFiles>;
  readonly has: (hash: string) => boolean;
  readonly list: () => Result<readonly StoredSnapshot[]>;
  /** The stored snapshots that cannot be used. At most `maxBytes` are read and hashed; of the rest, only both ends are looked at. */
  readonly problems: (maxBytes: number) => readonly ConfigProblem[];
  readonly remove: (hash: string) => Result<null>;
}
