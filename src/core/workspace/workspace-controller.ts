import { appError, type AppError } from '#shared/app-error';
import { assertNever, err, ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import { defaultWorkspace, type ApplyWhen } from '#shared/workspace';
import type { WorkspaceCall, WorkspaceView } from '#shared/workspace-call';
import type { Ids } from '../ports/ids';
import type { WorkspaceFolders } from '../ports/workspace-files';
import type { SessionLog } from '../session/session-log';
import { isBusy } from '../session/unfinished-work';
import { decideWorkspace, newestSnapshot, type WorkspaceInput } from './decide';
import { findScope, openScope, type WorkspaceScope } from './scopes';
import type { StoredImage, ImageReference } from './stored-image';
import type { WorkspaceReader } from './sync-workspace';
import type { WorkspaceViews } from './workspace-view';

export interface WorkspaceControllerDeps {
  readonly log: SessionLog;
  readonly ids: Ids;
  readonly reader: WorkspaceReader;
  readonly views: WorkspaceViews;
  readonly allow: WorkspaceFolders['allow'];
  readonly create: WorkspaceFolders['create'];
  readonly image: (wanted: ImageReference) => Result<StoredImage>;
  readonly collect: (how: { readonly dryRun: boolean }) => Result<readonly string[]>;
}

/** The only entry point for calls on the workspace. */
export type WorkspaceController = ReturnType<typeof createWorkspaceController>;

const alreadyActive = appError('HOST', 'STATE', 'That version is already active.');
const missing = (id: string): AppError => appError('HOST', 'NOT_FOUND', `There is no session "${id}".`);

/** Decides on the current state and commits the resulting facts. */
function act({ log }: WorkspaceControllerDeps, id: string, input: WorkspaceInput): Result<SessionState> {
  const state = log.state(id);
  if (!state) return err(missing(id));
  const facts = decideWorkspace(state.workspace, input);
  if (!facts.ok) return facts;
  const appended = facts.value.length === 0 ? ok([]) : log.append(id, facts.value);
  return appended.ok ? ok(log.state(id) ?? state) : appended;
}

async function sync(
  deps: WorkspaceControllerDeps,
  scope: WorkspaceScope,
  call: Extract<WorkspaceCall, { op: 'sync' }>,
): Promise<Result<null>> {
  const { binding } = scope.state.workspace;
  const workspace = call.workspace ?? binding.workspace;
  // A pinned binding stays pinned until the user requests another version.
  const version = call.version ?? (call.workspace === undefined ? binding.version : 'latest');
  const requestId = deps.ids.next('wss');
  const requested = act(deps, scope.id, { type: 'request-sync', requestId, workspace, version });
  if (!requested.ok) return requested;
  const known = newestSnapshot(requested.value.workspace)?.hash ?? null;
  const found = await deps.reader.find({ workspace, version, known, project: scope.project });
  const ended = act(deps, scope.id, {
    type: 'end-sync',
    requestId,
    end: found.ok
      ? { outcome: 'found', snapshot: { hash: found.value, binding: { workspace, version } } }
      : { outcome: 'rejected', error: found.error },
  });
  if (!ended.ok) return ended;
  return found.ok ? ok(null) : found;
}

function apply(
  deps: WorkspaceControllerDeps,
  scope: WorkspaceScope,
  when: ApplyWhen = 'next_run',
): Result<null> {
  const state = deps.log.state(scope.id) ?? scope.state;
  const requested = act(deps, scope.id, { type: 'request-apply', when, idle: !isBusy(state) });
  if (!requested.ok || scope.sessionId !== null) return requested.ok ? ok(null) : requested;
  // Nothing ever runs in a project's own state: its next run is the next new session, which copies the active
  // snapshot.
  const applied = act(deps, scope.id, { type: 'reach', boundary: 'run-start' });
  return applied.ok ? ok(null) : applied;
}

/** Stages an earlier snapshot like any other and then requests its apply; the binding stays the same. */
async function rollBack(
  deps: WorkspaceControllerDeps,
  scope: WorkspaceScope,
  call: Extract<WorkspaceCall, { op: 'rollback' }>,
): Promise<Result<null>> {
  const hash = deps.views.resolve(call.hash);
  if (!hash.ok) return hash;
  const { active, waiting, binding } = scope.state.workspace;
  if (active === hash.value && !waiting) return err(alreadyActive);
  const requestId = deps.ids.next('wss');
  const { workspace } = binding;
  const requested = act(deps, scope.id, { type: 'request-sync', requestId, workspace, version: hash.value });
  if (!requested.ok) return requested;
  const target = { workspace: defaultWorkspace, version: hash.value, project: scope.project, known: null };
  const found = await deps.reader.find(target);
  const end = found.ok
    ? { outcome: 'found' as const, snapshot: { hash: hash.value, binding } }
    : { outcome: 'rejected' as const, error: found.error };
  const ended = act(deps, scope.id, { type: 'end-sync', requestId, end });
  if (!ended.ok) return ended;
  return found.ok ? apply(deps, scope, call.when) : found;
}

function choose(
  { log, views }: WorkspaceControllerDeps,
  scope: WorkspaceScope,
  call: Extract<WorkspaceCall, { op: 'choose' }>,
): Result<null> {
  const { workspace } = scope.state;
  const promptPack = call.promptPack === undefined ? workspace.promptPack : call.promptPack;
  const toolCatalog = call.toolCatalog === undefined ? workspace.toolCatalog : call.toolCatalog;
  const known = views.checkChoice(scope.state, { promptPack, toolCatalog });
  if (!known.ok) return known;
  const { binding } = workspace;
  const chosen = { workspace: binding.workspace, promptPack, toolCatalog };
  const appended = log.append(scope.id, [{ type: 'workspace-content-chosen', ...chosen }]);
  return appended.ok ? ok(null) : appended;
}

type Change = Extract<WorkspaceCall, { op: 'sync' | 'apply' | 'rollback' | 'choose' }>;

async function change(
  deps: WorkspaceControllerDeps,
  found: WorkspaceScope,
  call: Change,
): Promise<Result<null>> {
  const scope = openScope(deps.log, found);
  if (!scope.ok) return scope;
  switch (call.op) {
    case 'sync':
      return sync(deps, scope.value, call);
    case 'apply':
      return apply(deps, scope.value, call.when);
    case 'rollback':
      return rollBack(deps, scope.value, call);
    case 'choose':
      return choose(deps, scope.value, call);
    default:
      return assertNever(call);
  }
}

const isChange = (call: WorkspaceCall): call is Change =>
  ['sync', 'apply', 'rollback', 'choose'].includes(call.op);

/** Adds the data that only this call requests to the view. */
function answered(
  { views, collect }: WorkspaceControllerDeps,
  { state }: WorkspaceScope,
  view: WorkspaceView,
  call: WorkspaceCall,
): Result<WorkspaceView> {
  if (call.op === 'diff') {
    const diff = views.diff(state, call);
    return diff.ok ? ok({ ...view, diff: diff.value }) : diff;
  }
  if (call.op !== 'gc') return ok(view);
  const { dryRun = false } = call;
  const removed = collect({ dryRun });
  if (!removed.ok) return removed;
  const gone = dryRun ? [] : removed.value;
  const snapshots = view.snapshots.filter(({ hash }) => !gone.includes(hash));
  return ok({ ...view, snapshots, removed: removed.value });
}

/** Creates the controller over a log. */
export function createWorkspaceController(deps: WorkspaceControllerDeps) {
  const { log, views } = deps;
  return {
    /** The full hash of a stored snapshot that begins with this prefix. */
    resolve: views.resolve,
    /**
     * Allows the user's folder to be synced under a name. HOST/INVALID_INPUT when the name is taken,
     * HOST/STORAGE.
     */
    allow: deps.allow,
    /**
     * Writes a starter workspace into the user's empty folder and allows the folder as `allow` does; HOST/STATE
     * if it is not empty.
     */
    create: deps.create,
    /** An image of a stored snapshot, as it was sent. */
    image: deps.image,
    /**
     * Executes a call and returns the workspace after it. CONFIG/INVALID for an invalid snapshot (recorded as
     * rejected; nothing is replaced), POLICY/CAPABILITY_DENIED for a name that is not allowed, HOST/STATE when
     * there is nothing to apply or another process is the writer.
     */
    async call(call: WorkspaceCall): Promise<Result<WorkspaceView>> {
      const scope = findScope(log.peek, call);
      if (!scope.ok) return scope;
      if (isChange(call)) {
        const changed = await change(deps, scope.value, call);
        if (!changed.ok) return changed;
      }
      const now = findScope(log.peek, call);
      if (!now.ok) return now;
      const view = await views.view(now.value);
      return view.ok ? answered(deps, now.value, view.value, call) : view;
    },
  };
}
