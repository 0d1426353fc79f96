import { hash } from 'node:crypto';
import { join } from 'node:path';
import { ok, type Result } from '#shared/result';
import type { WorkspaceInheritance } from '#shared/workspace';
import { createSnapshotFiles } from '../adapters/workspace/snapshot-files';
import { createWorkspaceFolder } from '../adapters/workspace/workspace-folder';
import { createWorkspaceFolders } from '../adapters/workspace/workspace-folders';
import type { ProcessHost } from '../adapters/process-host';
import type { SnapshotFiles, SnapshotStore } from '../../core/ports/snapshot-store';
import type { WorkspaceFolders } from '../../core/ports/workspace-files';
import type { SessionLog } from '../../core/session/session-log';
import { readSnapshotNow, snapshotHash } from '../../core/workspace/read-snapshot';
import { inheritanceOf } from '../../core/workspace/scopes';
import { checkReading, createSnapshots, type Snapshots } from '../../core/workspace/snapshots';
import { createWorkspaceReader, type WorkspaceReader } from '../../core/workspace/sync-workspace';
import { workspaceLimits } from '../../core/workspace/workspace-limits';

/** The stored state of workspaces, available before any session uses it. */
export interface StoredWorkspace {
  readonly snapshots: Snapshots;
  readonly store: SnapshotStore;
  /** Copies of the instructions that projects bring along, by their hash. */
  readonly adopted: SnapshotStore;
  readonly hashOf: (files: SnapshotFiles) => string;
  readonly folders: WorkspaceFolders;
  readonly reader: WorkspaceReader;
  /** The workspace that a new session inherits. */
  readonly inherit: (peek: SessionLog['peek'], project: string | null) => WorkspaceInheritance | undefined;
}

const digest = (bytes: Uint8Array | string): string => hash('sha256', bytes);
const hashOf = (files: SnapshotFiles): string =>
  snapshotHash(files.keys(), (path) => digest(files.get(path) ?? ''), digest);

/**
 * Reads Patina's own workspace, which every start needs. CONFIG/INVALID with every finding when it is
 * invalid.
 */
export function composeStoredWorkspace(host: Pick<ProcessHost, 'home' | 'seeds'>): Result<StoredWorkspace> {
  const seed = join(host.seeds, 'workspace');
  const reading = readSnapshotNow(createWorkspaceFolder({ root: seed, limits: workspaceLimits }));
  if (!reading.ok) return reading;
  const snapshot = checkReading(reading.value);
  if (!snapshot.ok) return snapshot;
  const store = createSnapshotFiles({ folder: join(host.home, 'workspace-snapshots'), hashOf });
  const snapshots = createSnapshots(store, { reading: reading.value, snapshot: snapshot.value }, digest);
  const file = join(host.home, 'workspaces.json');
  const folders = createWorkspaceFolders({ file, seed, limits: workspaceLimits });
  const reader = createWorkspaceReader({ folders, snapshots, hashText: digest });
  const inherit = (peek: SessionLog['peek'], project: string | null) =>
    inheritanceOf(snapshots, peek, project);
  const adopted = createSnapshotFiles({ folder: join(host.home, 'project-instructions'), hashOf });
  return ok({ snapshots, store, adopted, hashOf, folders, reader, inherit });
}
