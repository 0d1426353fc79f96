import { ok, type Result } from '#shared/result';
import type { VersionSelector } from '#shared/workspace';
import type { FileStamp, WorkspaceFolder, WorkspaceFolders } from '../ports/workspace-files';
import { readSnapshot, type HashText } from './read-snapshot';
import type { Snapshots } from './snapshots';
import { indexFile } from './workspace-limits';

/** What a sync looks for. */
export interface SyncTarget {
  readonly workspace: string;
  readonly version: VersionSelector;
  readonly project: string | null;
  /** The newest snapshot the asker holds. */
  readonly known: string | null;
}

/** How a folder was when it was read: its files, and what the file system said of each. */
interface Reading {
  readonly hash: string;
  readonly paths: readonly string[];
  readonly stamps: readonly (FileStamp | null)[];
}

/** A reading with stamps for all files, so that changes show without reading again. */
interface StampedReading extends Reading {
  readonly stamps: readonly FileStamp[];
}

export interface WorkspaceReader {
  /** The hash of the snapshot a target stands for; it is kept, and holds. Every error is the sync's failure. */
  readonly find: (target: SyncTarget) => Promise<Result<string>>;
  /** Whether a folder looks other than snapshot `hash`; null when that cannot be told without reading it. */
  readonly changed: (folder: WorkspaceFolder, hash: string | null) => Promise<boolean | null>;
  /** Whether what a folder says now is other than snapshot `hash`; reads it where that cannot be told without, and keeps nothing. */
  readonly differs: (folder: WorkspaceFolder, hash: string) => Promise<boolean>;
}

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
 * Reads the files a snapshot is made of, if they are in the folder as they are in the snapshot: the same index names the
 * same files, so nothing has to be parsed to know it. Null: something is another, and the folder is read by its index.
 */
async function readKnown(
  { snapshots }: WorkspaceReaderDeps,
  folder: WorkspaceFolder,
  hash: string | null,
): Promise<Reading | null> {
  const known = hash === null ? null : snapshots.getStored(hash);
  // What a folder without an index holds is known only by looking through it.
  if (!known?.ok || known.value.content.legacy) return null;
  const { files } = known.value;
  const stamps = await folder.same(files);
  return stamps && { hash: known.value.hash, paths: files.map(({ path }) => path), stamps };
}

/** Reads by the index, checks, and keeps what holds. */
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
 * Reads workspaces into snapshots. A folder whose files look untouched since they were last read is not read again; one
 * whose bytes are those of the snapshot already held is read and hashed, and neither parsed nor checked again.
 */
export function createWorkspaceReader(deps: WorkspaceReaderDeps): WorkspaceReader {
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

  const changed: WorkspaceReader['changed'] = async (folder, hash) => {
    const before = lastReadings.get(folder.root);
    if (!before) return null;
    return before.hash !== hash || !(await isUnchanged(folder, before));
  };

  return {
    changed,
    async differs(folder, hash) {
      if ((await changed(folder, hash)) === false || (await readKnown(deps, folder, hash))) return false;
      const reading = await readSnapshot(folder, hashText);
      return !reading.ok || reading.value.hash !== hash;
    },
    async find({ workspace, version, project, known }) {
      const folder = folders.open(workspace, project);
      if (!folder.ok) return folder;
      if (version === 'latest') return readLatest(folder.value, known);
      const own = version === snapshots.builtIn.hash;
      const stored = own ? snapshots.saveBuiltIn() : snapshots.getStored(version);
      return stored.ok ? ok(version) : stored;
    },
  };
}
