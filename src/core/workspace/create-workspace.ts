import { ok, type Result } from '#shared/result';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { ServerStatus } from '../ports/server-status';
import type { SnapshotStore } from '../ports/snapshot-store';
import type { ToolDefinition } from '../ports/tool-definition';
import type { WorkspaceFolders } from '../ports/workspace-files';
import type { SessionLog } from '../session/session-log';
import { patternNames } from '../tools/tool-pattern';
import type { KnownBuiltInTool } from '../tools/tool-table';
import type { Snapshots } from './snapshots';
import { readStoredImage } from './stored-image';
import { createSyncSuggestions, type SuggestSyncDeps } from './suggest-sync';
import type { WorkspaceReader } from './sync-workspace';
import type { KnownBindings } from './tool-findings';
import { createWorkspaceController } from './workspace-controller';
import { createWorkspaceTools } from './workspace-tools';
import { createWorkspaceViews } from './workspace-view';
import { defaultWorkspace } from '../../shared/workspace';
import { findScope } from './scopes';
import type { Notice } from '../../shared/notice';
import type { SessionEvent } from '../../shared/session-event';
import type { SessionState } from '../../shared/session-state';
import { projectStream } from '../session/project-stream';

/** The snapshots that a session may still need, including those that contain the images it sent. */
function referenced({ workspace, imageSnapshots = [] }: SessionState): readonly string[] {
  const { active, pending, waiting, history } = workspace;
  const hashes = [
    active,
    pending?.hash,
    waiting?.hash,
    ...history.map(({ hash }) => hash),
    ...imageSnapshots,
  ];
  return hashes.flatMap((hash) => hash ?? []);
}

/**
 * Removes the stored snapshots that no session and no project refers to, and returns their hashes; a dry run
 * only returns the hashes. A session that cannot be read stops the collection before anything is removed,
 * because its references are unknown.
 */
function collectUnreferenced(
  log: Pick<SessionLog, 'ids' | 'peek'>,
  store: Pick<SnapshotStore, 'list' | 'remove'>,
  { builtIn, dryRun }: { readonly builtIn: string; readonly dryRun: boolean },
): Result<readonly string[]> {
  const ids = log.ids();
  if (!ids.ok) return ids;
  const used = new Set([builtIn]);
  for (const id of ids.value) {
    const state = log.peek(id);
    if (!state.ok) return state;
    for (const hash of referenced(state.value)) used.add(hash);
  }
  const stored = store.list();
  if (!stored.ok) return stored;
  const unused = stored.value.map(({ hash }) => hash).filter((hash) => !used.has(hash));
  for (const hash of dryRun ? [] : unused) {
    const removed = store.remove(hash);
    if (!removed.ok) return removed;
  }
  return ok(unused);
}

export interface WorkspaceDeps {
  readonly log: SessionLog;
  readonly snapshots: Snapshots;
  readonly store: SnapshotStore;
  readonly folders: WorkspaceFolders;
  readonly reader: WorkspaceReader;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly notices: SyncNoticeDeps['notices'];
  readonly watch: SuggestSyncDeps['watch'];
  readonly builtInTools: () => readonly Pick<KnownBuiltInTool, 'name' | 'schema'>[];
  /** The registered servers; starts none. */
  readonly servers: (project: string | null) => Result<readonly Pick<ServerStatus, 'server'>[]>;
  /** The tools that a project's servers listed in this process; null when none was queried. */
  readonly listedTools: (project: string) => readonly ToolDefinition[] | null;
}

/**
 * The available tools: the host's, and those that servers listed in this process. A server that is not
 * registered has none.
 */
function bindingsOf({ builtInTools, servers, listedTools }: WorkspaceDeps) {
  return (project: string | null): KnownBindings => {
    const listed = (project === null ? null : listedTools(project)) ?? [];
    const registered = servers(project);
    // Servers whose tools are not known yet; null: the registry cannot be read.
    const unlisted =
      registered.ok &&
      registered.value
        .map(({ server }) => server)
        .filter((server) => !listed.some((tool) => tool.server === server));
    return {
      schemas: new Map([
        ...listed.map(({ uri, inputSchema }) => [uri, inputSchema] as const),
        ...builtInTools().map(({ name, schema }) => [name, schema] as const),
      ]),
      complete: (pattern) =>
        !pattern.startsWith('mcp://') ||
        (unlisted && !unlisted.some((server) => patternNames(serverPart(pattern), `mcp://${server}`))),
    };
  };
}

/** The part of an `mcp://` pattern that matches the name of a server: up to its first dot or wildcard. */
const serverPart = (pattern: string): string => /^[^.*]*\*?/.exec(pattern)?.[0] ?? '';

/** Builds the control of workspaces; reads and watches nothing before the first request. */
export function createWorkspace(deps: WorkspaceDeps) {
  const { log, snapshots, store, folders, reader, ids, clock, notices, watch } = deps;
  const controller = createWorkspaceController({
    log,
    ids,
    reader,
    views: createWorkspaceViews({ snapshots, store, folders, reader, bindings: bindingsOf(deps) }),
    collect: ({ dryRun }) => collectUnreferenced(log, store, { builtIn: snapshots.builtIn.hash, dryRun }),
    allow: folders.allow,
    create: folders.create,
    image: (wanted) => readStoredImage(snapshots, wanted),
  });
  raiseSyncNotices(deps);
  const { raise, withdraw } = notices;
  return {
    controller,
    tools: createWorkspaceTools(controller),
    suggestions: createSyncSuggestions({ log, folders, snapshots, reader, clock, watch, raise, withdraw }),
    /** Checks the workspace of new sessions in a project, for `patina doctor`. */
    check: (project: string | null): Result<string> => checkWorkspace({ log, folders, snapshots }, project),
  };
}
export interface WorkspaceCheckDeps {
  readonly log: Pick<SessionLog, 'peek'>;
  readonly folders: Pick<WorkspaceFolders, 'names'>;
  readonly snapshots: Pick<Snapshots, 'get'>;
}
/**
 * Describes the workspace that new sessions of a project start with, for `patina doctor`. An error when the
 * list of workspaces is invalid, or when the active snapshot cannot be read: then no line is answered.
 */

export function checkWorkspace(deps: WorkspaceCheckDeps, project: string | null): Result<string> {
  const names = deps.folders.names();
  if (!names.ok) return names;
  const scope = findScope(deps.log.peek, { project });
  if (!scope.ok) return scope;
  const { active, binding } = scope.value.state.workspace;
  const snapshot = deps.snapshots.get(active);
  if (!snapshot.ok) return snapshot;
  const own = active === null && binding.workspace === defaultWorkspace;
  return ok(
    own ? 'the built-in workspace' : `${binding.workspace}, version ${snapshot.value.hash.slice(0, 12)}`,
  );
}
/** The effect of a sync's end on its notice: raise it, withdraw it, or neither. */
type SyncNotice =
  | { readonly type: 'raise'; readonly notice: Notice }
  | { readonly type: 'withdraw'; readonly id: string }
  | null;
/** One notice per folder, because several sessions may sync it and find the same problem. */
function idOf({ project, workspace: { sync, binding } }: SyncedState): string {
  const name = sync?.workspace ?? binding.workspace;
  return `workspace-sync-${name === defaultWorkspace ? projectStream(project) : name}`;
}
type SyncedState = Pick<SessionState, 'project' | 'workspace'>;
/**
 * A failed sync is never silent (P3 §9). The next successful sync of the same folder withdraws the
 * notice, whichever session requested it. `state` is that of the stream after the event. Pure.
 */
function syncNotice(event: SessionEvent, state: SyncedState): SyncNotice {
  if (event.type === 'workspace-snapshot-rejected') {
    const { message, hint } = event.error;
    const notice: Notice = {
      id: idOf(state),
      level: 'error',
      detail: message,
      title: 'The workspace could not be synced',
      hint: hint ?? 'The active version stays in use. Fix the problem, then sync again.',
    };
    return { type: 'raise', notice };
  }
  const good = event.type === 'workspace-snapshot-ready' || event.type === 'workspace-sync-unchanged';
  return good ? { type: 'withdraw', id: idOf(state) } : null;
}

export interface SyncNoticeDeps {
  readonly log: Pick<SessionLog, 'peek' | 'subscribe'>;
  readonly notices: {
    readonly raise: (notice: Notice) => void;
    readonly withdraw: (id: string) => void;
  };
}
/** Shows the user every failed sync, no matter which process requested it. */

export function raiseSyncNotices({ log, notices }: SyncNoticeDeps): void {
  log.subscribe((events, stream) => {
    for (const event of events.filter(({ type }) => type.startsWith('workspace-'))) {
      const state = log.peek(stream);
      const change = state.ok ? syncNotice(event, state.value) : null;
      if (change?.type === 'raise') notices.raise(change.notice);
      if (change?.type === 'withdraw') notices.withdraw(change.id);
    }
  });
}
