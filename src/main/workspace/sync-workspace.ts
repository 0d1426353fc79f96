import { ok, type Result } from '#shared/result';
import type { VersionSelector } from '#shared/workspace';
import type { WorkspaceFolder, WorkspaceFolders } from '../ports/workspace-files';
import { readSnapshot, type HashText, type SnapshotReading } from './read-snapshot';
import type { Snapshots } from './snapshots';

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
  readonly stamps: readonly string[];
}

export interface WorkspaceReader {
  /** The hash of the snapshot a target stands for; it is kept, and holds. Every error is the sync's failure. */
  readonly find: (target: SyncTarget) => Promise<Result<string>>;
  /** Whether a folder looks other than snapshot `hash`; null when that cannot be told without reading it. */
  readonly changed: (folder: WorkspaceFolder, hash: string | null) => Promise<boolean | null>;
  /** Whether what a folder says now is other than snapshot `hash`; reads it where that cannot be told without, and keeps nothing. */
  readonly differs: (folder: WorkspaceFolder, hash: string) => Promise<boolean>;
}

function seenIn({ hash, files }: SnapshotReading): Seen | null {
  const paths = [...files.keys()];
  const stamps = [...files.values()].flatMap(({ stamp }) => stamp ?? []);
  return stamps.length === paths.length && files.has('agent.workspace.json') ? { hash, paths, stamps } : null;
}

/** Whether the files are, by what the file system says of them, those that were seen. */
async function stillSo(folder: WorkspaceFolder, { paths, stamps }: Seen): Promise<boolean> {
  const now = await folder.stamps(paths);
  return now.every((stamp, at) => stamp !== null && stamp === stamps[at]);
}

/**
 * Reads workspaces into snapshots. A folder whose files look untouched since they were last read is not read again; one
 * whose bytes are those already known is read and hashed, and not checked again.
 */
export function createWorkspaceReader(deps: {
  readonly folders: WorkspaceFolders;
  readonly snapshots: Snapshots;
  readonly hashText?: HashText;
}): WorkspaceReader {
  const { folders, snapshots, hashText } = deps;
  const seen = new Map<string, Seen>();

  const readLatest = async (folder: WorkspaceFolder, known: string | null): Promise<Result<string>> => {
    const before = seen.get(folder.root);
    if (before && before.hash === known && (await stillSo(folder, before))) return ok(before.hash);
    const reading = await readSnapshot(folder, hashText);
    if (!reading.ok) return reading;
    const { hash } = reading.value;
    const kept = hash === known && snapshots.get(hash).ok ? ok(null) : snapshots.keep(reading.value);
    if (!kept.ok) return kept;
    const now = seenIn(reading.value);
    if (now) seen.set(folder.root, now);
    else seen.delete(folder.root);
    return ok(hash);
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
