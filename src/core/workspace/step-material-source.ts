import { err, ok, type Result } from '#shared/result';
import { appError } from '#shared/app-error';
import type { SessionState } from '#shared/session-state';
import type { ApplyBoundary } from '#shared/workspace';
import type { SessionLog } from '../session/session-log';
import { isBusy } from '../session/unfinished-work';
import { decideWorkspace, isDue } from './decide';
import type { Snapshots } from './snapshots';
import { materialize, overrideOf } from './step-content';
import type { StepMaterial } from '../session/step-material';

type Log = Pick<SessionLog, 'state' | 'append' | 'subscribe'>;

/**
 * Creates the source over one log. A snapshot that waits for an idle session is applied once the session is
 * idle.
 */
export function createStepMaterialSource({
  log,
  snapshots,
}: {
  readonly log: Log;
  readonly snapshots: Snapshots;
}) {
  const applyIfDue = (
    sessionId: string,
    state: SessionState,
    boundary: ApplyBoundary,
  ): Result<SessionState> => {
    const facts = decideWorkspace(state.workspace, { type: 'reach', boundary });
    if (!facts.ok) return facts;
    if (facts.value.length === 0) return ok(state);
    const appended = log.append(sessionId, facts.value);
    return appended.ok ? ok(log.state(sessionId) ?? state) : appended;
  };
  const peek = (state: SessionState, turn?: number): Result<StepMaterial> =>
    materialize(snapshots, state, overrideOf(state, turn));
  const applyWhenIdle = (sessionId: string): void => {
    const state = log.state(sessionId);
    if (state && isDue(state.workspace, 'idle') && !isBusy(state)) applyIfDue(sessionId, state, 'idle');
  };
  log.subscribe((_events, sessionId) => {
    const state = log.state(sessionId);
    // Deferred, so that other listeners see these events before the next ones.
    if (state && isDue(state.workspace, 'idle')) queueMicrotask(() => applyWhenIdle(sessionId));
  });
  return {
    /** The content that a step would use now; applies nothing. */
    peek,
    /**
     * Starts a step of a line: first applies and records the snapshot that is due at this boundary (P3 §6).
     */
    begin(
      { sessionId, turn }: { readonly sessionId: string; readonly turn: number },
      boundary: Exclude<ApplyBoundary, 'idle'>,
    ): Result<StepMaterial> {
      const state = log.state(sessionId);
      if (!state) return err(appError('HOST', 'NOT_FOUND', `There is no session "${sessionId}".`));
      const now = applyIfDue(sessionId, state, boundary);
      return now.ok ? peek(now.value, turn) : now;
    },
  };
}
