import { ok, type Result } from '#shared/result';
import type { VersionSelector } from '#shared/workspace';
import type { FileStamp, WorkspaceFolder, WorkspaceFolders } from '../ports/workspace-files';
import { readSnapshot, type HashText } from './read-snapshot';
import type { Snapshots } from './snapshots';
import { indexFile } from './workspace-limits';

/** The target of a sync. */
export interface SyncTarget {
  readonly workspace: string;
  readonly version: VersionSelector;
  readonly project: string | null;
  /** The newest snapshot of the caller. */
  readonly known: string | null;
}

/** The state of a folder when it was read: its files, and the file system's stamp of each. */
interface Reading {
  readonly hash: string;
  readonly paths: readonly string[];
  readonly stamps: readonly (FileStamp | null)[];
}

/** A reading with stamps for all files, so that changes can be detected without another read. */
interface StampedReading extends Reading {
  readonly stamps: readonly FileStamp[];
}

export type WorkspaceReader = ReturnType<typeof createWorkspaceReader>;

function withStamps({ hash, paths, stamps }: Reading): StampedReading | null {
  const stamped = stamps.filter((stamp) => stamp !== null);
  return stamped.length === paths.length && paths.includes(indexFile)
    ? { hash, paths, stamps: stamped }
    : null;
}

const sameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.ctimeMs === b.ctimeMs &&
  a.mtimeMs === b.mtimeMs &&
  a.size === b.size &&
  a.ino === b.ino &&
  a.dev === b.dev;

/** Whether the stamps of all files are unchanged. */
async function isUnchanged(folder: WorkspaceFolder, { paths, stamps }: StampedReading): Promise<boolean> {
  const now = await folder.stamps(paths);
  return now.every((stamp, at) => {
    const before = stamps[at];
    return stamp !== null && before !== undefined && sameStamp(stamp, before);
  });
}

export interface WorkspaceReaderDeps {
  readonly folders: WorkspaceFolders;
  readonly snapshots: Snapshots;
  readonly hashText?: HashText;
}

/**
 * Reads the snapshot's files if the folder has the same ones: the same index names the same files, so nothing
 * needs parsing. Null when a file differs; then the caller reads the folder by its index.
 */
async function readKnown(
  { snapshots }: WorkspaceReaderDeps,
  folder: WorkspaceFolder,
  hash: string | null,
): Promise<Reading | null> {
  const known = hash === null ? null : snapshots.getStored(hash);
  // Only a full listing shows the files of a folder without an index.
  if (!known?.ok || known.value.content.legacy) return null;
  const { files } = known.value;
  const stamps = await folder.same(files);
  return stamps && { hash: known.value.hash, paths: files.map(({ path }) => path), stamps };
}

/** Reads a folder by its index, checks it, and stores it if it is valid. */
async function readInFull(
  { snapshots, hashText }: WorkspaceReaderDeps,
  folder: WorkspaceFolder,
): Promise<Result<Reading>> {
  const reading = await readSnapshot(folder, hashText);
  if (!reading.ok) return reading;
  const saved = snapshots.save(reading.value);
  if (!saved.ok) return saved;
  const { hash, files } = reading.value;
  return ok({ hash, paths: [...files.keys()], stamps: [...files.values()].map(({ stamp }) => stamp) });
}

/**
 * Reads workspaces into snapshots. Does not read a folder again if its files look untouched since the last
 * read. If the bytes equal those of the known snapshot, reads and hashes them, but neither parses nor checks
 * them again.
 */
export function createWorkspaceReader(deps: WorkspaceReaderDeps) {
  const { folders, snapshots, hashText } = deps;
  const lastReadings = new Map<string, StampedReading>();

  const readLatest = async (folder: WorkspaceFolder, known: string | null): Promise<Result<string>> => {
    const before = lastReadings.get(folder.root);
    const isStored = before && before.hash === known && snapshots.getStored(before.hash).ok;
    if (isStored && (await isUnchanged(folder, before))) return ok(before.hash);
    const same = await readKnown(deps, folder, known);
    const reading = same ? ok(same) : await readInFull(deps, folder);
    if (!reading.ok) return reading;
    const now = withStamps(reading.value);
    if (now) lastReadings.set(folder.root, now);
    else lastReadings.delete(folder.root);
    return ok(reading.value.hash);
  };

  const changed = async (folder: WorkspaceFolder, hash: string | null): Promise<boolean | null> => {
    const before = lastReadings.get(folder.root);
    if (!before) return null;
    return before.hash !== hash || !(await isUnchanged(folder, before));
  };

  return {
    /** Whether a folder seems to differ from snapshot `hash`; null when only a read could tell. */
    changed,
    /** Whether a folder differs from snapshot `hash` now. Reads the folder if necessary; stores nothing. */
    async differs(folder: WorkspaceFolder, hash: string): Promise<boolean> {
      if ((await changed(folder, hash)) === false || (await readKnown(deps, folder, hash))) return false;
      const reading = await readSnapshot(folder, hashText);
      return !reading.ok || reading.value.hash !== hash;
    },
    /**
     * Returns the hash of the target's snapshot, which is stored and valid. Any error is the failure of the
     * sync.
     */
    async find({ workspace, version, project, known }: SyncTarget): Promise<Result<string>> {
      const folder = folders.open(workspace, project);
      if (!folder.ok) return folder;
      if (version === 'latest') return readLatest(folder.value, known);
      const own = version === snapshots.builtIn.hash;
      const stored = own ? snapshots.saveBuiltIn() : snapshots.getStored(version);
      return stored.ok ? ok(version) : stored;
    },
  };
}
