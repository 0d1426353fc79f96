import { appError, type AppError } from '#shared/app-error';
import { applyEvents } from '#shared/apply-event';
import { sameJson } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import { emptySession, type EventGap, type SessionState } from '#shared/session-state';
import type { FactTimes, SessionRepair, SessionStore } from '../ports/session-store';
import { readState } from './session-reader';
import { interruptions, isBusy } from './unfinished-work';

interface SessionWriterDeps {
  readonly store: SessionStore;
  readonly openLimit: number;
  readonly onCommitted: (events: readonly SessionEvent[], sessionId: string) => void;
}

/** An open session: its state, and the reason why this process cannot write to it, if any. */
export interface OpenedSession {
  readonly state: SessionState;
  readonly readOnly: AppError | null;
  /** Whether damage of all its stored events was looked for. */
  readonly scanned: boolean;
}

/** The open sessions of this process; the only code that appends events. */
export type SessionWriter = ReturnType<typeof createSessionWriter>;

/** Minimum number of events since the last snapshot for a new one when a session leaves memory. */
const snapshotOnLeave = 100;

/**
 * The same while a session is written. A snapshot costs as much as the session is long, so a long one gets
 * fewer: the cost of each event stays the same.
 */
const snapshotWhileWriting = (seq: number): number => Math.max(5_000, seq / 10);

/** Stores a snapshot when at least `after` events came since the last one. */
function snapshotted(store: SessionStore, entry: OpenEntry, after: number): OpenEntry {
  if (entry.readOnly || entry.state.seq - entry.snapshotSeq < after) return entry;
  store.saveSnapshot(entry.state);
  return { ...entry, snapshotSeq: entry.state.seq };
}

function release(store: SessionStore, entry: OpenEntry): void {
  if (entry.readOnly) return;
  snapshotted(store, entry, snapshotOnLeave);
  store.releaseLease(entry.state.id);
}

/** Acquires the lease if it is free, and reads the session. */
function readIn(store: SessionStore, sessionId: string): Result<OpenEntry> {
  const lease = store.acquireLease(sessionId);
  const found = readState(store, sessionId);
  if (found.ok) return ok({ ...found.value, readOnly: lease.ok ? null : lease.error });
  if (lease.ok) store.releaseLease(sessionId);
  return found;
}

/** Commits facts, then updates the state, then notifies the listener. */
function commitTo(
  { store, onCommitted }: SessionWriterDeps,
  open: OpenSessions,
  entry: OpenEntry,
  facts: readonly SessionFact[],
  times?: FactTimes,
): Result<readonly SessionEvent[]> {
  const { id, seq } = entry.state;
  const events = store.append(id, seq, facts, times);
  if (events.ok) {
    const next = { ...entry, state: applyEvents(entry.state, events.value) };
    open.put(snapshotted(store, next, snapshotWhileWriting(next.state.seq)));
    onCommitted(events.value, id);
  } else if (events.error.code === 'STATE') {
    // Another process wrote to the session or took it over, so the state in memory is stale.
    open.remove(id);
  }
  return events;
}

const stillBusy = appError('HOST', 'STATE', 'Something in this session is still running.', {
  hint: 'Stop it, or wait until it ends.',
});

/** Releases the lease as well, because nobody can write to a removed session. */
function removeFrom(store: SessionStore, open: OpenSessions, { state, readOnly }: OpenEntry): Result<null> {
  if (readOnly) return err(readOnly);
  if (isBusy(state)) return err(stillBusy);
  const removed = store.remove(state.id);
  if (!removed.ok) return removed;
  open.remove(state.id);
  store.releaseLease(state.id);
  return removed;
}

/** Closes the work that a dead writer left open; returns the updated entry. */
function recover(deps: SessionWriterDeps, open: OpenSessions, entry: OpenEntry): OpenEntry {
  const closing = entry.readOnly ? [] : interruptions(entry.state);
  if (closing.length === 0) return entry;
  const closed = commitTo(deps, open, entry, closing);
  if (closed.ok) return open.get(entry.state.id) ?? entry;
  // The disk refuses the write: the session stays readable, and the next open tries again.
  deps.store.releaseLease(entry.state.id);
  const readOnly = { ...entry, readOnly: closed.error };
  open.put(readOnly);
  return readOnly;
}

/** Keeps the states in memory consistent with the store: every event is committed before it is applied. */
export function createSessionWriter(deps: SessionWriterDeps) {
  const { store, openLimit } = deps;
  const open = createOpenSessions({
    limit: openLimit,
    mayLeave: (entry) => entry.readOnly !== null || !isBusy(entry.state),
    onLeave: (entry) => release(store, entry),
  });

  const commit = (entry: OpenEntry, facts: readonly SessionFact[]) => commitTo(deps, open, entry, facts);

  const load = (sessionId: string): Result<OpenEntry> => {
    const found = readIn(store, sessionId);
    if (!found.ok) return found;
    open.put(found.value);
    return ok(recover(deps, open, found.value));
  };

  /**
   * The entry in memory if it is writable; otherwise reloads it, because its writer may be gone or may have
   * written more.
   */
  const entryOf = (sessionId: string): Result<OpenEntry> => {
    const known = open.get(sessionId);
    return known && !known.readOnly ? ok(known) : load(sessionId);
  };

  return {
    start(sessionId: string, facts: readonly SessionFact[], times?: FactTimes): Result<SessionState> {
      const lease = store.acquireLease(sessionId);
      if (!lease.ok) return lease;
      const empty = emptySession(sessionId);
      const entry = { state: empty, readOnly: null, snapshotSeq: 0, scanned: true };
      const created = commitTo(deps, open, entry, facts, times);
      if (created.ok) return ok(applyEvents(empty, created.value));
      store.releaseLease(sessionId);
      return created;
    },
    open(sessionId: string): Result<OpenedSession> {
      const entry = entryOf(sessionId);
      if (!entry.ok) return entry;
      const { state, readOnly, scanned } = entry.value;
      return ok({ state, readOnly, scanned });
    },
    append(sessionId: string, facts: readonly SessionFact[]): Result<readonly SessionEvent[]> {
      const entry = entryOf(sessionId);
      if (!entry.ok) return entry;
      return entry.value.readOnly ? err(entry.value.readOnly) : commit(entry.value, facts);
    },
    /** Whether work in the session keeps it from being removed; says nothing about other processes. */
    removable(sessionId: string): Result<null> {
      const entry = open.get(sessionId);
      return entry && !entry.readOnly && isBusy(entry.state) ? err(stillBusy) : ok(null);
    },
    /** Deletes a session permanently; HOST/STATE while work in it is running or another process writes it. */
    remove(sessionId: string): Result<null> {
      const entry = entryOf(sessionId);
      return entry.ok ? removeFrom(store, open, entry.value) : entry;
    },
    /** Repairs a session without running work; the session is reloaded afterwards. */
    repair(sessionId: string, copy?: string): Result<SessionRepair> {
      const entry = open.get(sessionId);
      if (entry && isBusy(entry.state)) return err(stillBusy);
      open.remove(sessionId);
      return store.repair(sessionId, copy);
    },
    /** Gives a session without running work up, so that another process can write it; it is reloaded afterwards. */
    leave(sessionId: string): Result<null> {
      const entry = open.get(sessionId);
      if (entry?.readOnly) return err(entry.readOnly);
      if (entry && isBusy(entry.state)) return err(stillBusy);
      open.remove(sessionId);
      store.releaseLease(sessionId);
      return ok(null);
    },
    state: (sessionId: string): SessionState | null => open.get(sessionId)?.state ?? null,
    /** Whether a session in memory has events whose damage nobody looked for yet. */
    unscanned: (sessionId: string): boolean => open.get(sessionId)?.scanned === false,
    /** Stores the result of a scan of all events of a session in memory; returns whether its gaps changed. */
    takeGaps(sessionId: string, gaps: readonly EventGap[]): boolean {
      const entry = open.get(sessionId);
      if (!entry) return false;
      const { gaps: known = [], ...rest } = entry.state;
      const changed = !sameJson(known, gaps);
      const state = changed ? { ...rest, ...(gaps.length > 0 && { gaps }) } : entry.state;
      open.put({ ...entry, state, scanned: true });
      return changed;
    },
    closeAll: (): void => open.all().forEach((entry) => release(store, entry)),
  };
}

/** A session in memory. */
interface OpenEntry extends OpenedSession {
  /** The seq of the newest stored snapshot. */
  readonly snapshotSeq: number;
}

type OpenSessions = ReturnType<typeof createOpenSessions>;

interface Limits {
  readonly limit: number;
  readonly mayLeave: (entry: OpenEntry) => boolean;
  readonly onLeave: (entry: OpenEntry) => void;
}

/** An LRU cache of open sessions; memory use depends on them and not on all sessions ever written. */
function createOpenSessions({ limit, mayLeave, onLeave }: Limits) {
  const entries = new Map<string, OpenEntry>();

  const shrink = (newest: string): void => {
    for (const [id, entry] of entries) {
      if (entries.size <= limit) return;
      if (id === newest || !mayLeave(entry)) continue;
      entries.delete(id);
      onLeave(entry);
    }
  };

  return {
    get(sessionId: string): OpenEntry | undefined {
      const entry = entries.get(sessionId);
      if (entry) {
        entries.delete(sessionId);
        entries.set(sessionId, entry);
      }
      return entry;
    },
    /** Adds the entry as the most recently used; evicts the least recently used ones above the limit. */
    put(entry: OpenEntry): void {
      entries.delete(entry.state.id);
      entries.set(entry.state.id, entry);
      shrink(entry.state.id);
    },
    remove: (sessionId: string): void => void entries.delete(sessionId),
    all: (): readonly OpenEntry[] => [...entries.values()],
  };
}
