import type { FactOf } from './session-event';
import {
  initialWorkspace,
  type AppliedSnapshot,
  type StagedSnapshot,
  type SyncState,
  type WorkspaceBinding,
  type WorkspaceInheritance,
  type WorkspaceState,
} from './workspace';

/** Facts that change the active, pending or waiting content. */
export type WorkspaceFact = FactOf<
  | 'workspace-sync-requested'
  | 'workspace-sync-unchanged'
  | 'workspace-snapshot-ready'
  | 'workspace-snapshot-rejected'
  | 'workspace-apply-requested'
  | 'snapshot-applied'
  | 'workspace-content-chosen'
>;

export const sameBinding = (a: WorkspaceBinding, b: WorkspaceBinding): boolean =>
  a.workspace === b.workspace && a.version === b.version;

/** Maximum applied snapshots in the state's history; the events contain all of them. */
const maxHistory = 100;

const remembered = (history: readonly AppliedSnapshot[], applied: AppliedSnapshot) => [
  ...history.slice(-(maxHistory - 1)),
  applied,
];

/** Ends the current sync; a sync superseded by a later request changes nothing. */
function endSync(
  state: WorkspaceState,
  requestId: string,
  change: Partial<SyncState>,
  more: Partial<WorkspaceState> = {},
): WorkspaceState {
  if (state.sync?.requestId !== requestId || state.sync.status !== 'syncing') return state;
  return { ...state, ...more, sync: { ...state.sync, ...change } };
}

/** Whether a snapshot is active and no other one waits to replace it. */
function isInUse(state: WorkspaceState, { hash, binding }: StagedSnapshot): boolean {
  return state.waiting === null && state.active === hash && sameBinding(state.binding, binding);
}

function requestApply(
  state: WorkspaceState,
  { hash, when }: FactOf<'workspace-apply-requested'>,
): WorkspaceState {
  const { pending, waiting } = state;
  if (pending?.hash === hash) return { ...state, pending: null, waiting: { ...pending, when } };
  return waiting?.hash === hash ? { ...state, waiting: { ...waiting, when } } : state;
}

const folds: {
  readonly [T in WorkspaceFact['type']]: (
    state: WorkspaceState,
    event: FactOf<T> & { readonly at: number },
  ) => WorkspaceState;
} = {
  'workspace-sync-requested': (state, { requestId, workspace, version }) => ({
    ...state,
    sync: { requestId, workspace, version, status: 'syncing' },
  }),
  'workspace-sync-unchanged': (state, { requestId }) => endSync(state, requestId, { status: 'unchanged' }),
  'workspace-snapshot-ready': (state, { requestId, hash, binding }) => {
    const staged = { hash, binding };
    return endSync(
      state,
      requestId,
      { status: 'ready' },
      { pending: isInUse(state, staged) ? null : staged },
    );
  },
  // A rejected snapshot changes nothing that is active, pending or waiting (P3 §9).
  'workspace-snapshot-rejected': (state, { requestId, error }) =>
    endSync(state, requestId, { status: 'rejected', error }),
  'workspace-apply-requested': requestApply,
  'snapshot-applied': (state, { hash, binding, boundary, at }) => ({
    ...state,
    binding,
    active: hash,
    waiting: null,
    history: remembered(state.history, { hash, workspace: binding.workspace, at, boundary }),
  }),
  'workspace-content-chosen': (state, { promptPack, toolCatalog }) => ({ ...state, promptPack, toolCatalog }),
};

/** Returns the workspace state after one more fact. Pure. */
export function applyWorkspaceFact(
  state: WorkspaceState,
  event: WorkspaceFact & { readonly at: number },
): WorkspaceState {
  const fold = folds[event.type] as (state: WorkspaceState, event: WorkspaceFact) => WorkspaceState;
  return fold(state, event);
}

/** The initial workspace state of a new session. */
export function inheritWorkspace(inheritance: WorkspaceInheritance | undefined, at: number): WorkspaceState {
  if (!inheritance) return initialWorkspace;
  const { binding, active } = inheritance;
  const first: AppliedSnapshot = { hash: active, workspace: binding.workspace, at, boundary: 'start' };
  return { ...initialWorkspace, ...inheritance, history: [first] };
}
