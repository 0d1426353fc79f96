import type { Push, PushBatch } from '#shared/ipc';
import type { Clock } from '../../core/ports/clock';
import type { App } from '../app';
import { isProjectStream } from '../../core/session/project-stream';
import { liveSummary } from '#shared/attention';

/** About one frame: the screen could not show a faster rhythm. */
const frameMs = 16;
/** Beyond this the window cannot keep up; it fetches a snapshot instead of the backlog. */
const maxQueuedEvents = 5_000;

export type PushChannel = ReturnType<typeof createPushChannel>;

type Joint<T extends Push['type']> = Extract<Push, { type: T }>;

function joinedText(last: Joint<'reply-delta'>, next: Joint<'reply-delta'>): Push | null {
  const sameReply = last.sessionId === next.sessionId && last.turn === next.turn;
  const continues = last.offset + last.text.length === next.offset;
  return sameReply && continues ? { ...last, text: last.text + next.text } : null;
}

function joinedEvents(last: Joint<'events'>, next: Joint<'events'>): Push | null {
  if (last.sessionId !== next.sessionId) return null;
  return { ...last, events: [...last.events, ...next.events] };
}

function joinedSummary(last: Joint<'session-changed'>, next: Joint<'session-changed'>): Push | null {
  return last.summary.id === next.summary.id ? next : null;
}

/** Merges a push into the last one when it continues it, to keep a batch small. */
function joined(last: Push | undefined, next: Push): Push | null {
  if (last === undefined) return null;
  if (last.type === 'reply-delta') return next.type === 'reply-delta' ? joinedText(last, next) : null;
  if (last.type === 'events') return next.type === 'events' ? joinedEvents(last, next) : null;
  if (last.type !== 'session-changed' || next.type !== 'session-changed') return null;
  return joinedSummary(last, next);
}

function eventCount(queue: readonly Push[]): number {
  return queue.reduce((sum, push) => sum + (push.type === 'events' ? push.events.length : 0), 0);
}

/** Keeps only the newest event of each session: the gap in `seq` makes the window fetch the state. */
function collapsed(queue: readonly Push[]): Push[] {
  return queue.flatMap((push): Push[] => {
    if (push.type === 'reply-delta') return [];
    return [push.type === 'events' ? { ...push, events: push.events.slice(-1) } : push];
  });
}

/**
 * Main's side of the push stream. At most one batch is in flight and at most one leaves per frame, however
 * fast a model or a run produces events: events in between are merged into the next batch.
 */
export function createPushChannel(send: (batch: PushBatch) => void, clock: Clock) {
  let queue: Push[] = [];
  let batch = 0;
  let acknowledged = -1;
  let scheduled = false;
  let sentAt = Number.NEGATIVE_INFINITY;

  const flush = (): void => {
    scheduled = false;
    if (queue.length === 0 || acknowledged !== batch) return;
    batch += 1;
    sentAt = clock.elapsed();
    const pushes = queue;
    queue = [];
    send({ batch, pushes });
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    // After a pause, flush immediately together with everything from the same tick, so that the first output
    // does not wait for a frame.
    clock.after(Math.max(0, sentAt + frameMs - clock.elapsed()), flush);
  };

  return {
    push(push: Push): void {
      const merged = joined(queue.at(-1), push);
      if (merged) queue[queue.length - 1] = merged;
      else queue.push(push);
      if (eventCount(queue) > maxQueuedEvents) queue = collapsed(queue);
      schedule();
    },
    /** The window has drawn this batch; 0 announces a new listener. */
    acknowledge(number: number): void {
      if (number === 0) batch = 0;
      if (number !== batch) return;
      acknowledged = batch;
      if (queue.length > 0) schedule();
    },
  };
}

/** The push channels of all windows, by the ids of the windows; each begins with the first message to or from it. */
export function createPushChannels(send: (windowId: number, batch: PushBatch) => void, clock: Clock) {
  const channels = new Map<number, PushChannel>();
  const channelOf = (id: number): PushChannel => {
    const known = channels.get(id) ?? createPushChannel((batch) => send(id, batch), clock);
    channels.set(id, known);
    return known;
  };
  return {
    /** Pushes to every window. */
    push: (push: Push) => channels.forEach((channel) => channel.push(push)),
    pushTo: (windowId: number, push: Push) => channelOf(windowId).push(push),
    acknowledge: (windowId: number, batch: number) => channelOf(windowId).acknowledge(batch),
    /** Forgets a window that is closed. */
    close: (windowId: number) => void channels.delete(windowId),
  };
}

export type PushChannels = ReturnType<typeof createPushChannels>;

/** Connects state changes in main to pushes to the windows. */
export function pushEverything(
  app: Pick<
    App,
    | 'authoring'
    | 'elicitations'
    | 'localModels'
    | 'log'
    | 'notices'
    | 'onModels'
    | 'onReplyDelta'
    | 'settings'
  >,
  push: (push: Push) => void,
): void {
  app.log.subscribe((events, sessionId) => {
    push({ type: 'events', sessionId, events });
    // A project's own workspace is stored like a session but is not one: it appears in no list.
    // A piece of a reply changes nothing that the list shows.
    if (isProjectStream(sessionId) || events.every(({ type }) => type === 'reply-extended')) return;
    const state = app.log.state(sessionId);
    if (state) push({ type: 'session-changed', summary: liveSummary(state) });
  });
  app.log.onGaps((sessionId, gaps) => push({ type: 'session-gaps', sessionId, gaps }));
  app.log.onImported((summary) => push({ type: 'session-changed', summary }));
  app.log.onRemoved((sessionId) => push({ type: 'session-removed', sessionId }));
  app.onReplyDelta((delta) => push({ type: 'reply-delta', ...delta }));
  app.onModels((models) => push({ type: 'models-changed', models }));
  app.localModels.onProgress(() => push({ type: 'local-models-changed' }));
  app.settings.onChange((settings) => push({ type: 'settings-changed', settings }));
  app.notices.subscribe((notice) => push({ type: 'notice-raised', notice }));
  app.elicitations.subscribe({
    onAsked: (elicitation) => push({ type: 'elicitation-asked', elicitation }),
    over: (id) => push({ type: 'elicitation-over', id }),
  });
  app.authoring.onChange(() => push({ type: 'workflows-changed' }));
  app.notices.onWithdrawn((id) => push({ type: 'notice-withdrawn', id }));
}
