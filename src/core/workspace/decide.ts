import { appError, type AppError } from '#shared/app-error';
import { sameBinding, type WorkspaceFact } from '#shared/apply-workspace-event';
import { assertNever, err, ok, type Result } from '#shared/result';
import type {
  ApplyBoundary,
  ApplyWhen,
  StagedSnapshot,
  VersionSelector,
  WorkspaceState,
} from '#shared/workspace';

/** How a sync ended: the snapshot found, or the reason for its rejection. */
export type SyncOutcome =
  | { readonly outcome: 'found'; readonly snapshot: StagedSnapshot }
  | { readonly outcome: 'rejected'; readonly error: AppError };

/** A request to the workspace, or an event that affects it. */
export type WorkspaceInput =
  | {
      readonly type: 'request-sync';
      readonly requestId: string;
      readonly workspace: string;
      readonly version: VersionSelector;
    }
  | { readonly type: 'end-sync'; readonly requestId: string; readonly end: SyncOutcome }
  /** `idle`: nothing is running in the session. */
  | { readonly type: 'request-apply'; readonly when: ApplyWhen; readonly idle: boolean }
  | { readonly type: 'reach'; readonly boundary: ApplyBoundary };

const nothingToApply = appError('HOST', 'STATE', 'There is no version to apply.', {
  hint: 'Sync first, then apply the version that the sync finds.',
});

/** The waiting applies that each boundary allows. The start of a run is idle and also a step boundary. */
const boundaryAllows: { readonly [B in ApplyBoundary]: readonly ApplyWhen[] } = {
  idle: ['immediate_if_idle'],
  'run-start': ['next_run', 'next_step_boundary', 'immediate_if_idle'],
  step: ['next_step_boundary'],
};

/** The newest snapshot of the state; a sync compares its result with it. */
export function newestSnapshot({ pending, waiting, active, binding }: WorkspaceState): StagedSnapshot | null {
  return pending ?? waiting ?? (active === null ? null : { hash: active, binding });
}

/** Whether a waiting apply is due at a boundary. */
export function isDue({ waiting }: WorkspaceState, boundary: ApplyBoundary): boolean {
  return waiting !== null && boundaryAllows[boundary].includes(waiting.when);
}

function applied({ hash, binding }: StagedSnapshot, boundary: ApplyBoundary): WorkspaceFact {
  return { type: 'snapshot-applied', hash, binding, boundary };
}

function endSync(state: WorkspaceState, requestId: string, end: SyncOutcome): readonly WorkspaceFact[] {
  if (state.sync?.requestId !== requestId || state.sync.status !== 'syncing') return [];
  if (end.outcome === 'rejected') {
    return [{ type: 'workspace-snapshot-rejected', requestId, error: end.error }];
  }
  const { hash, binding } = end.snapshot;
  const newest = newestSnapshot(state);
  if (newest?.hash === hash && sameBinding(newest.binding, binding)) {
    return [{ type: 'workspace-sync-unchanged', requestId, hash }];
  }
  return [{ type: 'workspace-snapshot-ready', requestId, hash, binding }];
}

function requestApply(
  state: WorkspaceState,
  when: ApplyWhen,
  idle: boolean,
): Result<readonly WorkspaceFact[]> {
  const staged = state.pending ?? state.waiting;
  if (!staged) return err(nothingToApply);
  const requested: WorkspaceFact = { type: 'workspace-apply-requested', hash: staged.hash, when };
  return ok(idle && when === 'immediate_if_idle' ? [requested, applied(staged, 'idle')] : [requested]);
}

/**
 * Decides the facts that an input leads to, in order; none when it changes nothing. HOST/STATE when there is
 * nothing to apply. Pure: the same state and input give the same facts, live and in replay (P3 §3).
 */
export function decideWorkspace(
  state: WorkspaceState,
  input: WorkspaceInput,
): Result<readonly WorkspaceFact[]> {
  switch (input.type) {
    case 'request-sync': {
      const { requestId, workspace, version } = input;
      const known = newestSnapshot(state)?.hash ?? null;
      return ok([{ type: 'workspace-sync-requested', requestId, workspace, version, known }]);
    }
    case 'end-sync':
      return ok(endSync(state, input.requestId, input.end));
    case 'request-apply':
      return requestApply(state, input.when, input.idle);
    case 'reach':
      return ok(
        state.waiting && isDue(state, input.boundary) ? [applied(state.waiting, input.boundary)] : [],
      );
    default:
      return assertNever(input);
  }
}
