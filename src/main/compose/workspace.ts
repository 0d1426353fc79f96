import { hash } from 'node:crypto';
import { join } from 'node:path';
import { ok, type Result } from '#shared/result';
import type { WorkspaceInheritance } from '#shared/workspace';
import { watchFolders } from '../adapters/workflows/watch-folders';
import { createSnapshotFiles } from '../adapters/workspace/snapshot-files';
import { createWorkspaceFolder } from '../adapters/workspace/workspace-folder';
import { createWorkspaceFolders } from '../adapters/workspace/workspace-folders';
import type { AgentRuntime } from '../app';
import { composeControlSocket, raiseSyncNotices, type ControlSocketParts } from './control-socket';
import type { CoreDeps } from './core-deps';
import type { ProcessHost } from '../adapters/process-host';
import type { SnapshotFiles, SnapshotStore } from '../../core/ports/snapshot-store';
import type { WorkspaceFolders } from '../../core/ports/workspace-files';
import type { SessionLog } from '../../core/session/session-log';
import type { HostToolCaller } from '../../core/tools/host-tool-caller';
import { collectUnreferenced } from '../../core/workspace/collect-unreferenced';
import { readStoredImage } from '../../core/workspace/stored-image';
import { readSnapshotNow, snapshotHash } from '../../core/workspace/read-snapshot';
import { checkWorkspace } from '../../core/workspace/doctor-checks';
import { inheritanceOf } from '../../core/workspace/scopes';
import { checkReading, createSnapshots, type Snapshots } from '../../core/workspace/snapshots';
import { createSyncSuggestions, type SyncSuggestions } from '../../core/workspace/suggest-sync';
import { createWorkspaceReader, type WorkspaceReader } from '../../core/workspace/sync-workspace';
import type { KnownBindings } from '../../core/workspace/tool-findings';
import {
  createWorkspaceController,
  type WorkspaceController,
} from '../../core/workspace/workspace-controller';
import { workspaceLimits } from '../../core/workspace/workspace-limits';
import { createWorkspaceViews } from '../../core/workspace/workspace-view';

/** The stored state of workspaces, available before any session uses it. */
export interface StoredWorkspace {
  readonly snapshots: Snapshots;
  readonly store: SnapshotStore;
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
  return ok({ snapshots, store, folders, reader, inherit });
}

export interface WorkspaceDeps {
  readonly coreDeps: Pick<CoreDeps, 'host' | 'ids' | 'notices' | 'clock'>;
  readonly stored: StoredWorkspace;
  readonly log: SessionLog;
  readonly control: { readonly hostCalls: HostToolCaller };
  /** The agent runtime, if it is loaded: it knows which tools the servers listed. */
  readonly agentRuntime: () => AgentRuntime | null;
}

/** The available tools: the host's, and those that servers listed in this process. */
function bindingsOf({ control, agentRuntime }: WorkspaceDeps) {
  return (project: string | null): KnownBindings => {
    const listed = project === null ? null : (agentRuntime()?.listedTools(project) ?? null);
    const servers = new Set(listed?.map(({ server }) => server));
    const serverOf = (tool: string): string => tool.slice('mcp://'.length).split('.')[0] ?? '';
    return {
      schemaOf: (tool) =>
        control.hostCalls.find(tool)?.schema ?? listed?.find(({ uri }) => uri === tool)?.inputSchema,
      complete: (tool) => !tool.startsWith('mcp://') || servers.has(serverOf(tool)),
    };
  };
}

/** Handles workspace requests from inside and outside this process. */
export interface WorkspaceRuntime {
  readonly controller: WorkspaceController;
  readonly controlSocket: ControlSocketParts;
  readonly suggestions: SyncSuggestions;
  /** For `patina doctor`. */
  readonly check: (project: string | null) => Result<string>;
  readonly close: () => Promise<void>;
}

/** Builds the runtime; reads, watches and listens to nothing before the first request. */
export function composeWorkspace(deps: WorkspaceDeps): WorkspaceRuntime {
  const { coreDeps, stored, log } = deps;
  const { host, ids, notices, clock } = coreDeps;
  const { snapshots, store, folders, reader } = stored;
  const views = createWorkspaceViews({ snapshots, store, folders, reader, bindings: bindingsOf(deps) });
  const collect = ({ dryRun }: { readonly dryRun: boolean }) =>
    collectUnreferenced(log, store, { builtIn: snapshots.builtIn.hash, dryRun });
  const controller = createWorkspaceController({
    log,
    ids,
    reader,
    views,
    collect,
    allow: folders.allow,
    create: folders.create,
    image: (wanted) => readStoredImage(snapshots, wanted),
  });
  const controlSocket = composeControlSocket({ host, log, workspace: controller, notices });
  raiseSyncNotices(log, notices);
  const suggestions = createSyncSuggestions({
    log,
    folders,
    snapshots,
    reader,
    clock,
    watch: (watched, listener) => watchFolders(watched).onChange(listener),
    raise: notices.raise,
    withdraw: notices.withdraw,
  });
  const close = (): Promise<void> => {
    suggestions.close();
    return controlSocket.close();
  };
  const check = (project: string | null): Result<string> =>
    checkWorkspace({ log, folders, snapshots }, project);
  return { controller, controlSocket, suggestions, check, close };
}
