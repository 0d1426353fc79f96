import { ok, type Result } from '#shared/result';
import type { VersionSelector } from '#shared/workspace';
import type { FileStamp, WorkspaceFolder, WorkspaceFolders } from '../ports/workspace-files';
import { readSame, readSnapshot, type HashText, type SnapshotDigest } from './read-snapshot';
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

/** How a folder was when it was last read. */
interface Seen {
  readonly hash: string;
  readonly paths: readonly string[];
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

function seenIn({ hash, files }: SnapshotDigest): Seen | null {
  const stamps: FileStamp[] = [];
  for (const { stamp } of files.values()) if (stamp) stamps.push(stamp);
  if (stamps.length < files.size || !files.has(indexFile)) return null;
  return { hash, paths: [...files.keys()], stamps };
}

const sameStamp = (a: FileStamp, b: FileStamp): boolean =>
  a.ctimeMs === b.ctimeMs &&
  a.mtimeMs === b.mtimeMs &&
  a.size === b.size &&
  a.ino === b.ino &&
  a.dev === b.dev;

/** Whether the files are, by what the file system says of them, those that were seen. */
async function stillSo(folder: WorkspaceFolder, { paths, stamps }: Seen): Promise<boolean> {
  const now = await folder.stamps(paths);
  return now.every((stamp, at) => {
    const before = stamps[at];
    return stamp !== null && before !== undefined && sameStamp(stamp, before);
  });
}

/**
 * Reads workspaces into snapshots. A folder whose files look untouched since they were last read is not read again; one
 * whose bytes are those of the snapshot already held is read and hashed, and neither parsed nor checked again.
 */
export function createWorkspaceReader(deps: {
  readonly folders: WorkspaceFolders;
  readonly snapshots: Snapshots;
  readonly hashText?: HashText;
}): WorkspaceReader {
  const { folders, snapshots, hashText } = deps;
  const seen = new Map<string, Seen>();

  /** The files of the snapshot the asker holds, where they are in the folder as they are in the snapshot. */
  const readKnown = async (folder: WorkspaceFolder, known: string | null) => {
    const snapshot = known === null ? null : snapshots.get(known);
    // What a folder without an index holds is known only by looking through it.
    if (!snapshot?.ok || snapshot.value.content.legacy) return null;
    return readSame(folder, snapshot.value, hashText);
  };

  /** Reads by the index, checks, and keeps what holds. */
  const readAnew = async (folder: WorkspaceFolder): Promise<Result<SnapshotDigest>> => {
    const reading = await readSnapshot(folder, hashText);
    if (!reading.ok) return reading;
    const kept = snapshots.keep(reading.value);
    return kept.ok ? reading : kept;
  };

  const readLatest = async (folder: WorkspaceFolder, known: string | null): Promise<Result<string>> => {
    const before = seen.get(folder.root);
    if (before && before.hash === known && (await stillSo(folder, before))) return ok(before.hash);
    const same = await readKnown(folder, known);
    const reading = same ? ok(same) : await readAnew(folder);
    if (!reading.ok) return reading;
    const now = seenIn(reading.value);
    if (now) seen.set(folder.root, now);
    else seen.delete(folder.root);
    return ok(reading.value.hash);
  };

  const changed: WorkspaceReader['changed'] = async (folder, hash) => {
    const before = seen.get(folder.root);
    if (!before) return null;
    return before.hash !== hash || !(await stillSo(folder, before));
  };

  return {
    changed,
    async differs(folder, hash) {
      if ((await changed(folder, hash)) === false) return false;
      const reading = await readSnapshot(folder, hashText);
      return !reading.ok || reading.value.hash !== hash;
    },
    async find({ workspace, version, project, known }) {
      const folder = folders.open(workspace, project);
      if (!folder.ok) return folder;
      if (version === 'latest') return readLatest(folder.value, known);
      const stored = snapshots.get(version);
      return stored.ok ? ok(version) : stored;
    },
  };
}
