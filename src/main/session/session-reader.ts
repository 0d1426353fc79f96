import { applyEvents } from '#shared/apply-event';
import { sameJson } from '#shared/json';
import { ok, type Result } from '#shared/result';
import { emptySession, type SessionState } from '#shared/session-state';
import type { SessionStore } from '../ports/session-store';
import { stateHash } from './state-hash';

/** `equal`: the state kept up to date event by event is the one all events give from the start. */
export interface Replay {
  readonly events: number;
  readonly stateHash: string;
  readonly equal: boolean;
}

/** A session's state from its newest snapshot and the events after it. */
export function readState(
  store: SessionStore,
  sessionId: string,
): Result<{ readonly state: SessionState; readonly snapshotSeq: number }> {
  const start = store.loadSnapshot(sessionId) ?? emptySession(sessionId);
  const events = store.read(sessionId, start.seq);
  if (!events.ok) return events;
  return ok({ state: applyEvents(start, events.value), snapshotSeq: start.seq });
}

/** Folds all of a session's events anew and compares with `live`, or with the snapshot-based state when it is not open. */
export function replaySession(
  store: SessionStore,
  sessionId: string,
  live: SessionState | null,
): Result<Replay> {
  const kept = live ? ok({ state: live }) : readState(store, sessionId);
  if (!kept.ok) return kept;
  const { state } = kept.value;
  const events = store.read(sessionId, 0);
  if (!events.ok) return events;
  // Another process may have written more since `live` was read; the comparison is at the same event.
  const upToLive = events.value.slice(0, state.seq);
  const replayed = applyEvents(emptySession(sessionId), upToLive);
  return ok({
    events: upToLive.length,
    stateHash: stateHash(replayed),
    // Said of the whole states and not of their hashes: a second hash costs more than all of the comparison.
    equal: sameJson(replayed, state),
  });
}
