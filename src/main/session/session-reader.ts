import { applyEvent } from '#shared/apply-event';
import { ok, type Result } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import { emptySession, type SessionState } from '#shared/session-state';
import type { SessionStore } from '../ports/session-store';
import { stateHash } from './state-hash';

/** `equal`: the state kept up to date event by event is the one all events give from the start. */
export interface Replay {
  readonly events: number;
  readonly stateHash: string;
  readonly equal: boolean;
}

/** The state after some more events. */
export function foldOn(state: SessionState, events: readonly SessionEvent[]): SessionState {
  return events.reduce(applyEvent, state);
}

/** A session's state from its newest snapshot and the events after it. */
export function readState(
  store: SessionStore,
  sessionId: string,
): Result<{ readonly state: SessionState; readonly snapshotSeq: number }> {
  const start = store.loadSnapshot(sessionId) ?? emptySession(sessionId);
  const events = store.read(sessionId, start.seq);
  if (!events.ok) return events;
  return ok({ state: foldOn(start, events.value), snapshotSeq: start.seq });
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
  const hash = stateHash(foldOn(emptySession(sessionId), upToLive));
  return ok({ events: upToLive.length, stateHash: hash, equal: hash === stateHash(state) });
}
