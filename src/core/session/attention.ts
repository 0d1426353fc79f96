import { waitingTurn } from '#shared/attention';
import type { FactOf, SessionEvent } from '#shared/session-event';
import { turnAt, type ApprovalState, type SessionState, type Turn } from '#shared/session-state';
import type { SmallWrite, UserCall } from '../ports/user-call';
import { isProjectStream } from './project-stream';
import type { SessionLog } from './session-log';

/** The windows, as far as they decide whether the user sees what happens. */
export interface Presence {
  /** Whether the user works in another app. */
  readonly isAway: () => boolean;
  /** Whether a window shows a session. */
  readonly isOnScreen: (sessionId: string) => boolean;
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

/** About as much as a notification shows without cutting it. */
const maxWriteText = 140;

/**
 * Whether only a card can show the write: it carries data from another server, was approved for another content, or
 * does more than add a file or folder, which undo takes back.
 */
function needsCard({ again: isRepeated, file, flows = [], origins = [] }: ApprovalState): boolean {
  const onlyAdds = (file?.kind === 'text' || file?.kind === 'folder') && !file.exists;
  return isRepeated === true || !onlyAdds || flows.length + origins.length > 0;
}

/**
 * The write that a turn waits for, if it is alone and a notification can show all that its card shows. Text that
 * could look like something else needs the card.
 */
function smallWrite({ run }: Turn): SmallWrite | undefined {
  const open = run?.approvals.filter(({ status }) => status === 'open') ?? [];
  const [only] = open;
  if (!run || !only || open.length > 1) return undefined;
  if (needsCard(only)) return undefined;
  const { approvalId, hash, tool } = only;
  const text = `${tool} ${JSON.stringify(only.arguments)}`;
  if (text.length > maxWriteText || !/^[\x20-\x7e]*$/.test(text)) return undefined;
  return { runId: run.runId, approvalId, hash, text };
}

/**
 * Notifies the user when a session needs them, and when long work ends, while they are away. One need causes one
 * notification; it lasts until the session needs nobody. Marks sessions as unread whose work ended while another was
 * on the screen.
 */
export function createAttention({ log, call, count, isAway, isOnScreen }: AttentionDeps) {
  /** The sessions that wait for the user, and whether the user was called. */
  const waiting = new Map<string, { readonly called: boolean }>();

  const callFor = (state: SessionState): void => {
    const turn = waitingTurn(state);
    if (!turn) return;
    waiting.set(state.id, { called: true });
    const write = smallWrite(turn);
    const { id, title } = state;
    call({ sessionId: id, turn: turn.turn, reason: 'needs-you', title, ...(write && { write }) });
  };
  const update = (state: SessionState): void => {
    const { id } = state;
    const before = waiting.size;
    if (!waitingTurn(state)) waiting.delete(id);
    else if (!waiting.has(id) && isAway()) callFor(state);
    else if (!waiting.has(id)) waiting.set(id, { called: false });
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
    // Later, because the other listeners have not been notified of the end yet.
    if (!isOnScreen(sessionId) && !state.marks.unread) queueMicrotask(() => markUnread(sessionId));
    const ended = waiting.has(sessionId) || !isAway() ? null : longWork(state, end);
    if (ended) call({ sessionId, turn: end.turn, reason: ended, title: state.title });
  });
  return {
    /** The user has left: calls them for sessions that wait and are not on the screen, where they were seen. */
    left(): void {
      for (const [id, { called }] of waiting) {
        const state = called || isOnScreen(id) ? null : log.state(id);
        if (state) callFor(state);
      }
    },
    close: unsubscribe,
  };
}
