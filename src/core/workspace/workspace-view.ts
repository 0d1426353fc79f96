import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { ApplyWhen, WorkspaceFinding } from '#shared/workspace';
import type { SnapshotDiff, WorkspaceCall, WorkspaceContents, WorkspaceView } from '#shared/workspace-call';
import type { SnapshotStore } from '../ports/snapshot-store';
import type { WorkspaceFolders } from '../ports/workspace-files';
import { isBusy } from '../session/unfinished-work';
import { newestSnapshot } from './decide';
import { diffSnapshots, type DiffSide } from './diff-snapshots';
import type { WorkspaceScope } from './scopes';
import type { Snapshot, Snapshots } from './snapshots';
import { materialize } from './step-content';
import type { WorkspaceReader } from './sync-workspace';
import { toolFindings, type KnownBindings } from './tool-findings';

export interface WorkspaceViewDeps {
  readonly snapshots: Snapshots;
  readonly store: SnapshotStore;
  readonly folders: WorkspaceFolders;
  readonly reader: WorkspaceReader;
  readonly bindings: (project: string | null) => KnownBindings;
}

/** Read-only views of a workspace. */
export interface WorkspaceViews {
  readonly view: (scope: WorkspaceScope) => Promise<Result<WorkspaceView>>;
  readonly diff: (state: SessionState, call: Extract<WorkspaceCall, { op: 'diff' }>) => Result<SnapshotDiff>;
  /** The full hash that begins with this prefix. HOST/NOT_FOUND, or HOST/INVALID_INPUT when several match. */
  readonly resolve: (prefix: string) => Result<string>;
  /** HOST/NOT_FOUND for a pack or catalog that the active snapshot does not have. */
  readonly checkChoice: (
    state: SessionState,
    choice: { readonly promptPack: string | null; readonly toolCatalog: string | null },
  ) => Result<null>;
}

const sameForAll = (text: string): WorkspaceView['applyEffects'] => ({
  next_run: text,
  next_step_boundary: text,
  immediate_if_idle: text,
});

/** The effect that each way to apply would have now. Nothing ever runs in a project's own state. */
function applyEffects(running: boolean, ofSession: boolean): WorkspaceView['applyEffects'] {
  if (!ofSession) return sameForAll('New sessions will use the new version.');
  return {
    next_run: running
      ? 'The current message keeps the active version; your next message uses the new one.'
      : 'Your next message uses the new version.',
    next_step_boundary: running
      ? 'The current message uses it from its next model call or plan step.'
      : 'Nothing is running: your next message uses the new version from its first step.',
    immediate_if_idle: running
      ? 'Patina is working: the new version becomes active when that ends.'
      : 'Nothing is running: the new version becomes active at once.',
  } satisfies Record<ApplyWhen, string>;
}

function contentsOf(
  snapshots: Snapshots,
  state: SessionState,
  { hash, content }: Snapshot,
): WorkspaceContents {
  const used = materialize(snapshots, state);
  const packs = [...content.packs.values()].map(({ id, templates, context }) => ({
    id,
    files: [...templates, ...context].map(({ path }) => path),
  }));
  const catalogs = [...content.catalogs.values()].map(({ id, tools }) => ({ id, tools }));
  const promptPack = used.ok ? used.value.promptPack : null;
  const toolCatalog = used.ok ? used.value.toolCatalog : '';
  return { hash, legacy: content.legacy, packs, catalogs, promptPack, toolCatalog };
}

/**
 * Findings about the active content: files that could not be read, unbound tools, legacy formats, and choices
 * that the snapshot does not have.
 */
function findingsOf(
  deps: WorkspaceViewDeps,
  { state, project }: WorkspaceScope,
  snapshot: Result<Snapshot>,
): readonly WorkspaceFinding[] {
  const { sync, promptPack, toolCatalog } = state.workspace;
  const rejected = (sync?.error?.problems ?? []).map((problem) => ({ ...problem, level: 'error' as const }));
  if (!snapshot.ok) {
    const { message } = snapshot.error;
    return [...rejected, { level: 'error', file: '', field: '', rule: 'stored', reason: message }];
  }
  const { content, hash } = snapshot.value;
  const missingChoice = (what: string, id: string): WorkspaceFinding => ({
    level: 'warning',
    file: hash.slice(0, 12),
    field: what,
    rule: 'reference',
    reason: `The active version has no ${what} "${id}"; its default is used.`,
  });
  return [
    ...rejected,
    ...content.warnings.map((warning) => ({ ...warning, level: 'warning' as const })),
    ...(promptPack !== null && !content.packs.has(promptPack)
      ? [missingChoice('instructions (prompt pack)', promptPack)]
      : []),
    ...(toolCatalog !== null && !content.catalogs.has(toolCatalog)
      ? [missingChoice('tool set (tool catalog)', toolCatalog)]
      : []),
    ...toolFindings(content, deps.bindings(project)),
  ];
}

/** The contents of the staged snapshot, as if it were active. */
function stagedContents(snapshots: Snapshots, state: SessionState): WorkspaceContents | null {
  const { workspace } = state;
  const next = workspace.pending ?? workspace.waiting;
  const staged = next ? snapshots.get(next.hash) : null;
  if (!next || staged?.ok !== true) return null;
  return contentsOf(snapshots, { ...state, workspace: { ...workspace, active: next.hash } }, staged.value);
}

async function viewOf(deps: WorkspaceViewDeps, scope: WorkspaceScope): Promise<Result<WorkspaceView>> {
  const { snapshots, store, folders, reader } = deps;
  const { sessionId, project, state } = scope;
  const { workspace } = state;
  const stored = store.list();
  if (!stored.ok) return stored;
  const names = folders.names();
  const folder = folders.open(workspace.binding.workspace, project);
  const active = snapshots.get(workspace.active);
  const newest = newestSnapshot(workspace)?.hash ?? snapshots.builtIn.hash;
  const running = isBusy(state);
  return ok({
    sessionId,
    project,
    state: workspace,
    running,
    workspaces: names.ok ? names.value : [workspace.binding.workspace],
    folder: folder.ok ? folder.value.root : null,
    builtIn: folder.ok && folders.builtIn(folder.value.root),
    folderChanged: folder.ok ? await reader.changed(folder.value, newest) : null,
    contents: active.ok ? contentsOf(snapshots, state, active.value) : null,
    staged: stagedContents(snapshots, state),
    findings: findingsOf(deps, scope, active),
    applyEffects: applyEffects(running, sessionId !== null),
    snapshots: stored.value,
  });
}

function sideOf(snapshots: Snapshots, hash: string | null): Result<DiffSide | null> {
  if (hash === null) return ok(null);
  const snapshot = snapshots.get(hash);
  if (!snapshot.ok) return snapshot;
  const files = snapshots.files(hash);
  return files.ok ? ok({ snapshot: snapshot.value, files: files.value }) : files;
}

function createResolve({ store, snapshots }: WorkspaceViewDeps): WorkspaceViews['resolve'] {
  return (prefix) => {
    const stored = store.list();
    if (!stored.ok) return stored;
    const all = new Set([snapshots.builtIn.hash, ...stored.value.map(({ hash }) => hash)]);
    const [found, other] = [...all].filter((hash) => hash.startsWith(prefix));
    const hint = 'The workspace history lists every stored version.';
    if (found === undefined)
      return err(appError('HOST', 'NOT_FOUND', `There is no version ${prefix}.`, { hint }));
    if (other === undefined) return ok(found);
    return err(
      appError('HOST', 'INVALID_INPUT', `More than one version begins with ${prefix}.`, {
        hint: 'Give more digits of its hash.',
      }),
    );
  };
}

/** Without hashes, compares the active snapshot with the staged one. */
function createDiff(snapshots: Snapshots, resolve: WorkspaceViews['resolve']): WorkspaceViews['diff'] {
  const side = (version: string | undefined, own: string): Result<DiffSide | null> => {
    const hash = version === undefined ? ok(own) : resolve(version);
    return hash.ok ? sideOf(snapshots, hash.value) : hash;
  };
  return ({ workspace }, { from, to }) => {
    const active = workspace.active ?? snapshots.builtIn.hash;
    const left = side(from, active);
    if (!left.ok) return left;
    const right = side(to, newestSnapshot(workspace)?.hash ?? active);
    return right.ok ? ok(diffSnapshots(left.value, right.value)) : right;
  };
}

/** Creates the views over the stored snapshots. */
export function createWorkspaceViews(deps: WorkspaceViewDeps): WorkspaceViews {
  const { snapshots } = deps;
  const resolve = createResolve(deps);
  return {
    resolve,
    view: (scope) => viewOf(deps, scope),
    diff: createDiff(snapshots, resolve),
    checkChoice(state, { promptPack, toolCatalog }) {
      const checked = materialize(snapshots, state, {
        ...(promptPack !== null && { promptPack }),
        ...(toolCatalog !== null && { toolCatalog }),
      });
      return checked.ok ? ok(null) : checked;
    },
  };
}
