import { err, ok, type Result } from '#shared/result';
import type { SnapshotFiles, SnapshotStore } from '../ports/snapshot-store';
import type { KnownFile } from '../ports/workspace-files';
import { bytesHash } from '../tools/canonical-hash';
import { checkSnapshot } from './check-snapshot';
import { rejection, type SnapshotReading } from './read-snapshot';
import type { WorkspaceContent } from './workspace-content';

/** A valid snapshot. */
export interface Snapshot {
  readonly hash: string;
  readonly content: WorkspaceContent;
  /** Its files, in the order of their paths. */
  readonly files: readonly KnownFile[];
}

/** Snapshots by hash: stored on disk, a few of them checked and cached in memory. */
export type Snapshots = ReturnType<typeof createSnapshots>;

const maxCached = 8;

const bytesOf = ({ files }: SnapshotReading): SnapshotFiles =>
  new Map([...files].map(([path, { bytes }]) => [path, bytes]));

/** SHA-256 of bytes, in hex; a native implementation is several times faster than the portable one. */
export type HashBytes = (bytes: Uint8Array) => string;

function checkFiles(
  hash: string,
  files: SnapshotFiles,
  digestOf: (path: string, bytes: Uint8Array) => string,
): Result<Snapshot> {
  const content = checkSnapshot(files);
  if (!content.ok) return err(rejection(content.error));
  const known = [...files].map(([path, bytes]): KnownFile => ({
    path,
    size: bytes.length,
    sha256: digestOf(path, bytes),
  }));
  known.sort((a, b) => (a.path < b.path ? -1 : 1));
  return ok({ hash, content: content.value, files: known });
}

/** Checks the reading that startup depends on. */
export const checkReading = (reading: SnapshotReading): Result<Snapshot> =>
  checkFiles(reading.hash, bytesOf(reading), (path) => reading.files.get(path)?.sha256 ?? '');

/** Creates the snapshots over their store; `builtIn` is the checked reading of Patina's own workspace. */
export function createSnapshots(
  store: SnapshotStore,
  builtIn: { readonly reading: SnapshotReading; readonly snapshot: Snapshot },
  hashBytes: HashBytes = bytesHash,
) {
  const cache = new Map<string, Snapshot>();
  const addToCache = (snapshot: Snapshot): Snapshot => {
    cache.delete(snapshot.hash);
    cache.set(snapshot.hash, snapshot);
    const [oldest] = cache.keys();
    if (cache.size > maxCached && oldest !== undefined) cache.delete(oldest);
    return snapshot;
  };
  const load = (hash: string): Result<Snapshot> => {
    const files = store.load(hash);
    if (!files.ok) return files;
    const checked = checkFiles(hash, files.value, (_path, bytes) => hashBytes(bytes));
    return checked.ok ? ok(addToCache(checked.value)) : checked;
  };
  const get = (hash: string | null): Result<Snapshot> => {
    if (hash === null || hash === builtIn.snapshot.hash) return ok(builtIn.snapshot);
    const known = cache.get(hash);
    return known ? ok(addToCache(known)) : load(hash);
  };
  const saveBuiltIn = (): Result<Snapshot> => {
    const { reading, snapshot } = builtIn;
    if (store.has(snapshot.hash)) return ok(snapshot);
    const saved = store.save(snapshot.hash, bytesOf(reading));
    return saved.ok ? ok(snapshot) : saved;
  };
  return {
    /** The snapshot bundled with Patina; available without the store. */
    builtIn: builtIn.snapshot,
    /** Null gives the built-in snapshot. HOST/NOT_FOUND and HOST/STORAGE come from the store. */
    get,
    /** Stores the built-in snapshot, so that it outlives an update of Patina. */
    saveBuiltIn,
    /** Like `get`, but only for a snapshot that is still in the store: a cached one may have been collected. */
    getStored(hash: string): Result<Snapshot> {
      if (hash === builtIn.snapshot.hash) return ok(builtIn.snapshot);
      return store.has(hash) ? get(hash) : load(hash);
    },
    files: (hash: string): Result<SnapshotFiles> =>
      hash === builtIn.snapshot.hash ? ok(bytesOf(builtIn.reading)) : store.load(hash),
    /**
     * Checks and stores a reading. CONFIG/INVALID with its problems when it is not valid: then nothing is
     * stored.
     */
    save(reading: SnapshotReading): Result<Snapshot> {
      const checked = checkReading(reading);
      if (!checked.ok) return checked;
      const saved = store.save(reading.hash, bytesOf(reading));
      return saved.ok ? ok(addToCache(checked.value)) : saved;
    },
  };
}
