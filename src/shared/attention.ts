import {
  summaryOf,
  waitingPlan,
  type Activity,
  type SessionState,
  type SessionSummary,
  type Turn,
} from './session-state';
import { headTurn } from './turn-tree';

/** Whether work on a turn is still in progress. */
export function isBusy(turn: Turn): boolean {
  return (
    turn.reply?.status === 'streaming' || turn.run?.status === 'planning' || turn.run?.status === 'running'
  );
}

/** The turn in progress, searched among the newest turns. */
export function busyTurn(session: Pick<SessionState, 'blocks'> | undefined): Turn | undefined {
  if (!session) return undefined;
  for (const block of session.blocks.slice(-2).reverse()) {
    const busy = block.findLast(isBusy);
    if (busy) return busy;
  }
  return undefined;
}

function waitsForUser({ run, questions = [] }: Turn): boolean {
  if (questions.some(({ asker, status }) => asker === 'model' && status === 'open')) return true;
  if (!run) return false;
  return (
    run.asks === true || waitingPlan(run) !== null || run.approvals.some(({ status }) => status === 'open')
  );
}

/** The turn that waits for the user: a card is open, a plan waits, or the last answer is a question. */
export function waitingTurn(session: SessionState | undefined): Turn | undefined {
  const turn = session && (busyTurn(session) ?? headTurn(session));
  return turn && waitsForUser(turn) ? turn : undefined;
}

/** Whether a session waits for the user. */
export const needsUser = (session: SessionState | undefined): boolean => waitingTurn(session) !== undefined;

/** The current activity of a session; null while it is idle. */
export function activityOf(session: SessionState | undefined): Activity | null {
  if (needsUser(session)) return 'needs-user';
  return busyTurn(session) ? 'working' : null;
}

/** The session list entry of an open session. */
export function liveSummary(session: SessionState): SessionSummary {
  const activity = activityOf(session);
  return { ...summaryOf(session), ...(activity && { activity }) };
}
