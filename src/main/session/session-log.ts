import type { AppError } from '#shared/app-error';
import { applyEvent } from '#shared/apply-event';
import type { SearchHit } from '#shared/ipc';
import { err, ok, type Result } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import { emptySession, type SessionState, type SessionSummary } from '#shared/session-state';
import type { Ids } from '../ports/ids';
import type { SessionStore } from '../ports/session-store';
import { createOpenSessions, type OpenEntry } from './open-sessions';
import { stateHash } from './state-hash';
import { interruptions, isBusy } from './unfinished-work';

export interface SessionLogDeps {
  readonly store: SessionStore;
  readonly ids: Ids;
  /** Sessions kept in memory; 8 unless said otherwise. */
  readonly openLimit?: number;
}

/** An open session: its state, and why it cannot be written from here when another process writes it. */
export interface OpenedSession {
  readonly state: SessionState;
  readonly readOnly: AppError | null;
}

/** `equal`: the state kept up to date event by event is the one all events give from the start. */
export interface Replay {
  readonly events: number;
  readonly stateHash: string;
  readonly equal: boolean;
}

export type EventListener = (events: readonly SessionEvent[], sessionId: string) => void;

/**
 * Sessions as lists of events (DESIGN §5). What `append` returns as a success is on disk; listeners hear of it after that.
 * Failures are HOST/STORAGE (the disk), HOST/STATE (another process writes the session) and HOST/NOT_FOUND.
 */
export interface SessionLog {
  create(project: string | null): Result<SessionState>;
  /** Makes this process the session's writer and closes what a dead writer left open; read-only when another lives. */
  open(sessionId: string): Result<OpenedSession>;
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
/** Events folded since the newest snapshot after which a new one pays: on opening, while writing, on letting go. */
const snapshotAfter = { open: 500, append: 5_000, leave: 100 };

const foldOn = (state: SessionState, events: readonly SessionEvent[]): SessionState =>
  events.reduce(applyEvent, state);

/** The log of all sessions; holds the few open ones in memory. */
export function createSessionLog({ store, ids, openLimit = 8 }: SessionLogDeps): SessionLog {
  const listeners = new Set<EventListener>();

  const snapshot = (entry: OpenEntry, after: number): OpenEntry => {
    if (entry.state.seq - entry.snapshotSeq < after) return entry;
    store.saveSnapshot(entry.state);
    return { ...entry, snapshotSeq: entry.state.seq };
  };

  const letGo = (entry: OpenEntry): void => {
    if (entry.readOnly) return;
    snapshot(entry, snapshotAfter.leave);
    store.releaseLease(entry.state.id);
  };

  const open = createOpenSessions({
    limit: openLimit,
    mayLeave: (entry) => entry.readOnly !== null || !isBusy(entry.state),
    onLeave: letGo,
  });

  const read = (sessionId: string): Result<{ state: SessionState; snapshotSeq: number }> => {
    const start = store.loadSnapshot(sessionId) ?? emptySession(sessionId);
    const events = store.read(sessionId, start.seq);
    if (!events.ok) return events;
    return ok({ state: foldOn(start, events.value), snapshotSeq: start.seq });
  };

  const commit = (entry: OpenEntry, facts: readonly SessionFact[]): Result<readonly SessionEvent[]> => {
    const { id, seq } = entry.state;
    const events = store.append(id, seq, facts);
    if (!events.ok) {
      // Someone else wrote, or took the session over: what is in memory is no longer the truth.
      if (events.error.code === 'STATE') open.remove(id);
      return events;
    }
    const next = { ...entry, state: foldOn(entry.state, events.value) };
    open.put(snapshot(next, snapshotAfter.append));
    for (const listener of listeners) listener(events.value, id);
    return events;
  };

  const load = (sessionId: string): Result<OpenEntry> => {
    const lease = store.acquireLease(sessionId);
    if (!lease.ok && lease.error.code !== 'STATE') return lease;
    const found = read(sessionId);
    if (!found.ok) {
      if (lease.ok) store.releaseLease(sessionId);
      return found;
    }
    const entry: OpenEntry = { ...found.value, readOnly: lease.ok ? null : lease.error };
    open.put(entry.readOnly ? entry : snapshot(entry, snapshotAfter.open));
    const closing = entry.readOnly ? [] : interruptions(entry.state);
    if (closing.length === 0) return ok(entry);
    const closed = commit(entry, closing);
    return closed.ok ? ok(open.get(sessionId) ?? entry) : closed;
  };

  /** The entry in memory when it can be written, else read anew: its writer may be gone, or have written more. */
  const entryOf = (sessionId: string): Result<OpenEntry> => {
    const known = open.get(sessionId);
    return known && !known.readOnly ? ok(known) : load(sessionId);
  };

  const replay = (sessionId: string): Result<Replay> => {
    const kept = open.get(sessionId);
    const live = kept ? ok(kept) : read(sessionId);
    if (!live.ok) return live;
    const events = store.read(sessionId, 0);
    if (!events.ok) return events;
    const upToLive = events.value.filter((event) => event.seq <= live.value.state.seq);
    const hash = stateHash(foldOn(emptySession(sessionId), upToLive));
    return ok({ events: upToLive.length, stateHash: hash, equal: hash === stateHash(live.value.state) });
  };

  return {
    create(project) {
      const id = ids.next('ses');
      const lease = store.acquireLease(id);
      if (!lease.ok) return lease;
      const entry = { state: emptySession(id), readOnly: null, snapshotSeq: 0 };
      const created = commit(entry, [{ type: 'session-created', title: '', project }]);
      if (created.ok) return ok(foldOn(entry.state, created.value));
      store.releaseLease(id);
      return created;
    },
    open(sessionId) {
      const entry = entryOf(sessionId);
      return entry.ok ? ok({ state: entry.value.state, readOnly: entry.value.readOnly }) : entry;
    },
    append(sessionId, facts) {
      const entry = entryOf(sessionId);
      if (!entry.ok) return entry;
      return entry.value.readOnly ? err(entry.value.readOnly) : commit(entry.value, facts);
    },
    state: (sessionId) => open.get(sessionId)?.state ?? null,
    events: (sessionId) => store.read(sessionId, 0),
    replay,
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
      for (const entry of open.all()) letGo(entry);
      store.close();
    },
  };
}
