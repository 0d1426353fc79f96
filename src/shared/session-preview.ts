import { applyEvents } from './apply-event';
import type { SessionEvent } from './session-event';
import { emptySession, turnsPerBlock, type SessionState, type Turn } from './session-state';
import { activePath } from './turn-tree';

/** The last turns of a long session's active path, shown while the whole session loads. */
export interface SessionPreview {
  readonly id: string;
  /** The last event that it shows. */
  readonly seq: number;
  /** The turns of all branches of the session. */
  readonly turnCount: number;
  readonly turns: readonly Turn[];
}

/** More turns than a screen shows. */
const previewTurns = 40;

/** The newest events that a preview is made of; a session with fewer opens as fast as its preview. */
export const previewEvents = 1_000;

const notRead = (turn: number): Turn => ({
  turn,
  text: '',
  at: 0,
  runMode: 'ask',
  model: { providerId: '', model: '' },
});

/** A state in which this turn is the next one; those before it in its block are not read, the others absent. */
function stateBefore({ sessionId, seq }: SessionEvent, turn: number): SessionState {
  const blocks = Array.from({ length: Math.floor(turn / turnsPerBlock) + 1 }, (): Turn[] => []);
  for (let at = turn - (turn % turnsPerBlock); at < turn; at += 1) blocks.at(-1)?.push(notRead(at));
  return { ...emptySession(sessionId), seq: seq - 1, turnCount: turn, head: turn - 1, blocks };
}

const previewWith = ({ id, seq, turnCount }: SessionState, path: readonly Turn[]): SessionPreview => ({
  id,
  seq,
  turnCount,
  turns: path.slice(-previewTurns),
});

/** The preview of a session whose state is known; null for a short one. */
export const previewOf = (state: SessionState): SessionPreview | null =>
  state.seq <= previewEvents ? null : previewWith(state, activePath(state));

/**
 * The preview of a session from its newest events, in order and without gaps. Null for a short session, and when
 * they do not show where the active path ends.
 */
export function previewFromTail(tail: readonly SessionEvent[]): SessionPreview | null {
  const at = tail.findIndex(({ type }) => type === 'message-sent');
  const first = tail[at];
  if (tail[0]?.seq === 1 || first?.type !== 'message-sent') return null;
  const state = applyEvents(stateBefore(first, first.turn), tail.slice(at));
  const path = activePath(state).filter(({ turn }) => turn >= first.turn);
  return path.length === 0 ? null : previewWith(state, path);
}
