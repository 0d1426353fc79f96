import { appError, type AppError } from '#shared/app-error';
import type { SessionFact } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';
import { pathTo } from '#shared/turn-tree';

export const noSuchTurn = (turn: number): AppError =>
  appError('HOST', 'NOT_FOUND', `This session has no turn ${turn}.`, {
    hint: 'Turns count from 0, in the order in which they were sent.',
  });
const busy = appError('HOST', 'STATE', 'A reply or a run is still in progress.', {
  hint: 'Stop it first.',
});
const leavesWorkflow = appError(
  'HOST',
  'STATE',
  'That is before the line that started the running workflow.',
  {
    hint: 'Cancel the workflow first.',
  },
);
const notAnswered = appError(
  'HOST',
  'STATE',
  'No model answered that line, so there is nothing to regenerate.',
  {
    hint: 'Send the message again.',
  },
);

/** Why a session cannot continue from this turn (-1: from the beginning) now; null if it can. */
export function headRefusal(state: SessionState, turn: number, isBusy: boolean): AppError | null {
  if (turn !== -1 && !turnAt(state, turn)) return noSuchTurn(turn);
  if (isBusy) return busy;
  const started = state.workflow?.turn ?? null;
  const leaves = started !== null && !pathTo(state, turn).some((each) => each.turn === started);
  return leaves ? leavesWorkflow : null;
}

/** Why a turn cannot be regenerated; null if it can. */
export function regenerateRefusal(state: SessionState, turn: number): AppError | null {
  const found = turnAt(state, turn);
  if (!found) return noSuchTurn(turn);
  return found.unreadable || !(found.reply || found.run) ? notAnswered : null;
}

/** Withdraws the router's open question when a session continues from another turn: its line is left behind. */
export function leavingFacts({ openQuestion }: Pick<SessionState, 'openQuestion'>): readonly SessionFact[] {
  return openQuestion ? [{ type: 'question-withdrawn', ...openQuestion, reason: 'cancelled' }] : [];
}
