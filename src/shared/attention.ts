import {
  summaryOf,
  waitingPlan,
  type Activity,
  type SessionState,
  type SessionSummary,
  type Turn,
  type TurnBlocks,
} from './session-state';
import { headTurn } from './turn-tree';

/** Whether work on a turn is still in progress. */
export function isBusy(turn: Turn): boolean {
  return (
    turn.reply?.status === 'streaming' || turn.run?.status === 'planning' || turn.run?.status === 'running'
  );
}

/** What was found in a block and in all blocks of a session; a change replaces both. */
const found = new WeakMap<readonly Turn[] | TurnBlocks, Turn | null>();

function findOnce<T extends readonly Turn[] | TurnBlocks>(
  searched: T,
  find: (searched: T) => Turn | undefined,
): Turn | null {
  const known = found.get(searched);
  if (known !== undefined) return known;
  const busy = find(searched) ?? null;
  found.set(searched, busy);
  return busy;
}

const busyIn = (block: readonly Turn[]): Turn | undefined => block.findLast(isBusy);

function searchBlocks(blocks: TurnBlocks): Turn | undefined {
  for (let at = blocks.length - 1; at >= 0; at -= 1) {
    const busy = findOnce(blocks[at] ?? [], busyIn);
    if (busy) return busy;
  }
  return undefined;
}

/**
 * The turn in progress, the newest if there are several: mostly one of the newest block, and any turn that runs again.
 */
export function busyTurn(session: Pick<SessionState, 'blocks'> | undefined): Turn | undefined {
  if (!session) return undefined;
  const newest = session.blocks.at(-1)?.findLast(isBusy);
  return newest ?? findOnce(session.blocks, searchBlocks) ?? undefined;
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
