import { needsUser } from '#shared/attention';
import type { FactOf, SessionEvent } from '#shared/session-event';
import { turnAt, type SessionState } from '#shared/session-state';
import type { UserCall } from '../ports/user-call';
import { isProjectStream } from './project-stream';
import type { SessionLog } from './session-log';

/** The window, as far as it decides whether the user sees what happens. */
export interface Presence {
  /** Whether the user works in another window. */
  readonly isAway: () => boolean;
  /** The session on the screen. */
  readonly onScreen: () => string | null;
}

export interface AttentionDeps extends Presence {
  readonly log: Pick<SessionLog, 'state' | 'subscribe' | 'append'>;
  readonly call: (call: UserCall) => void;
  /** How many sessions wait for the user. */
  readonly count: (waiting: number) => void;
}

/** Work that took at least this many milliseconds is worth a call when it ends. */
const longWorkMs = 10_000;

type Ended = SessionEvent & (FactOf<'reply-ended'> | FactOf<'run-ended'>);

const isEnd = (event: SessionEvent): event is Ended =>
  event.type === 'reply-ended' || event.type === 'run-ended';
const byUser: ReadonlySet<string> = new Set(['stopped', 'cancelled']);
const badly: ReadonlySet<string> = new Set(['failed', 'interrupted']);

/** The last end of work among the events that the user did not bring about. */
const endOfWork = (events: readonly SessionEvent[]): Ended | undefined =>
  events.findLast((event): event is Ended => isEnd(event) && !byUser.has(event.outcome));

/** How long work ended; null when it was short. */
function longWork(state: SessionState, ended: Ended): 'done' | 'failed' | null {
  const turn = turnAt(state, ended.turn);
  const startedAt = (turn?.reply ?? turn?.run)?.startedAt ?? ended.at;
  if (ended.at - startedAt < longWorkMs) return null;
  return badly.has(ended.outcome) ? 'failed' : 'done';
}

/**
 * Calls the user back when a session needs them, and when long work ends, while they are away. One need is one
 * call; it counts until the session needs nobody. Marks sessions as unread whose work ended while another was on the screen.
 */
export function createAttention({ log, call, count, isAway, onScreen }: AttentionDeps) {
  /** The sessions that wait for the user, and whether the user was called. */
  const waiting = new Map<string, { readonly title: string; readonly called: boolean }>();

  const callFor = (sessionId: string, title: string): void => {
    waiting.set(sessionId, { title, called: true });
    call({ sessionId, reason: 'needs-you', title });
  };
  const update = (state: SessionState): void => {
    const { id, title } = state;
    const before = waiting.size;
    if (!needsUser(state)) waiting.delete(id);
    else if (!waiting.has(id) && isAway()) callFor(id, title);
    else if (!waiting.has(id)) waiting.set(id, { title, called: false });
    if (waiting.size !== before) count(waiting.size);
  };
  /** A session that cannot be written (a full disk) stays as it is; other notices tell the user. */
  const markUnread = (sessionId: string) =>
    void log.append(sessionId, [{ type: 'session-marked', unread: true }]);
  const unsubscribe = log.subscribe((events, sessionId) => {
    const state = isProjectStream(sessionId) ? null : log.state(sessionId);
    if (!state) return;
    update(state);
    const end = endOfWork(events);
    if (!end) return;
    // Later, because the other listeners have not heard of the end yet.
    if (onScreen() !== sessionId && !state.marks.unread) queueMicrotask(() => markUnread(sessionId));
    const ended = waiting.has(sessionId) || !isAway() ? null : longWork(state, end);
    if (ended) call({ sessionId, reason: ended, title: state.title });
  });
  return {
    /** The user has left: calls them for sessions that wait and are not on the screen, where they were seen. */
    left(): void {
      for (const [id, { title, called }] of waiting) if (!called && id !== onScreen()) callFor(id, title);
    },
    close: unsubscribe,
  };
}
