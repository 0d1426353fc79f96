import type { SearchHit } from '#shared/ipc';
import { ok, type Result } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import type { SessionState, SessionSummary } from '#shared/session-state';
import type { WorkflowPin } from '#shared/workflow';
import type { Ids } from '../ports/ids';
import type { SessionStore } from '../ports/session-store';
import { readState, replaySession, type Replay } from './session-reader';
import { createSessionWriter, type OpenedSession } from './session-writer';

export interface SessionLogDeps {
  readonly store: SessionStore;
  readonly ids: Ids;
  /** Sessions kept in memory; 8 unless said otherwise. */
  readonly openLimit?: number;
  /** The workflows a session that begins now works with. */
  readonly workflows?: () => WorkflowPin;
}

export type EventListener = (events: readonly SessionEvent[], sessionId: string) => void;

/**
 * Sessions as lists of events. What `append` returns as a success is on disk; listeners hear of it after that.
 * Failures are HOST/STORAGE (the disk), HOST/STATE (another process writes the session) and HOST/NOT_FOUND.
 */
export interface SessionLog {
  create(project: string | null): Result<SessionState>;
  /** Makes this process the session's writer and closes what a dead writer left open; read-only when another lives. */
  open(sessionId: string): Result<OpenedSession>;
  /** The stored state, without becoming the session's writer and without closing what another left open. */
  peek(sessionId: string): Result<SessionState>;
  append(sessionId: string, facts: readonly SessionFact[]): Result<readonly SessionEvent[]>;
  /** The state of an open session. */
  state(sessionId: string): SessionState | null;
  events(sessionId: string): Result<readonly SessionEvent[]>;
  replay(sessionId: string): Result<Replay>;
  summaries(which: { readonly archived: boolean }): Result<readonly SessionSummary[]>;
  search(text: string): Result<readonly SearchHit[]>;
  subscribe(listener: EventListener): () => void;
  close(): void;
}

const searchLimit = 50;

/** The log of all sessions; holds the few open ones in memory. */
export function createSessionLog({ store, ids, openLimit = 8, workflows }: SessionLogDeps): SessionLog {
  const listeners = new Set<EventListener>();
  const writer = createSessionWriter({
    store,
    openLimit,
    onCommitted(events, sessionId) {
      for (const listener of listeners) listener(events, sessionId);
    },
  });

  return {
    create(project) {
      const pin = workflows?.() ?? {};
      const pinned = Object.keys(pin).length === 0 ? {} : { workflows: pin };
      return writer.start(ids.next('ses'), [{ type: 'session-created', title: '', project, ...pinned }]);
    },
    open: (sessionId) => writer.open(sessionId),
    peek(sessionId) {
      const live = writer.state(sessionId);
      if (live) return ok(live);
      const read = readState(store, sessionId);
      return read.ok ? ok(read.value.state) : read;
    },
    append: (sessionId, facts) => writer.append(sessionId, facts),
    state: (sessionId) => writer.state(sessionId),
    events: (sessionId) => store.read(sessionId, 0),
    replay: (sessionId) => replaySession(store, sessionId, writer.state(sessionId)),
    summaries({ archived }) {
      const all = store.list();
      return all.ok ? ok(all.value.filter((summary) => summary.archived === archived)) : all;
    },
    search: (text) => store.search(text, searchLimit),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      writer.closeAll();
      store.close();
    },
  };
}
