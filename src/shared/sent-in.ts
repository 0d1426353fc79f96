import { turnAt, type SessionState, type Turn } from './session-state';
import { headTurn, parentOf } from './turn-tree';
import type { SentIn } from './work-context';

/** Where a line that is sent now is sent; undefined in the default mode without a focus. */
export function sentInNow({ modeId, context }: Pick<SessionState, 'modeId' | 'context'>): SentIn | undefined {
  const { entityType, entityHeader: header } = context ?? {};
  const focus = header && entityType !== undefined ? { entityType, header } : undefined;
  return modeId === null && !focus
    ? undefined
    : { ...(modeId !== null && { modeId }), ...(focus && { focus }) };
}

const focusId = ({ focus }: SentIn): string => (focus ? `${focus.entityType} ${focus.header.id}` : '');

/** What differs between two places; `defaultMode` is the id of the default mode. */
export const changedPlace = (one: SentIn = {}, other: SentIn = {}, defaultMode = '') => ({
  mode: (one.modeId ?? defaultMode) !== (other.modeId ?? defaultMode),
  focus: focusId(one) !== focusId(other),
});

/** The first turn that followed the head, which was sent in what the head left behind; the head itself if none did. */
function afterHead(state: SessionState): Turn | undefined {
  for (let at = state.head + 1; at < state.turnCount; at += 1) {
    const turn = turnAt(state, at);
    if (turn && parentOf(turn) === state.head) return turn;
  }
  const head = headTurn(state);
  // A command may have changed both, and nothing was sent after it.
  return head?.command ? undefined : head;
}

/**
 * The mode and the focus that a session had at its head, when the session was taken back to it and has others now;
 * else null. Nothing but a turn changes them, so they fit the newest turn.
 */
export function placeAtHead(state: SessionState, defaultMode: string): SentIn | null {
  if (state.head < 0 || state.head === state.turnCount - 1) return null;
  const turn = afterHead(state);
  const { mode, focus } = changedPlace(turn?.sentIn, sentInNow(state), defaultMode);
  return turn && (mode || focus) ? (turn.sentIn ?? {}) : null;
}
