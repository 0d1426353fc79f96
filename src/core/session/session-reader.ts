import { applyStoredEvents } from '#shared/apply-stored-events';
import { sameJson, writeCanonicalJson } from '#shared/json';
import { ok, type Result } from '#shared/result';
import { emptySession, type SessionState } from '#shared/session-state';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes, bytesToHex } from '@noble/hashes/utils.js';
import type { SessionCheck, SessionStore } from '../ports/session-store';

/**
 * `equal`: every event is present and follows the one before it, and replaying them gives the state that was
 * folded event by event.
 */
export interface Replay {
  readonly events: number;
  readonly stateHash: string;
  readonly equal: boolean;
  /** The number of events that are missing, damaged, or do not follow the one before them. */
  readonly damaged: number;
}

/** The number of a session's events that are missing, damaged, or do not follow the one before them. */
export const damagedEvents = ({ gaps, broken }: Pick<SessionCheck, 'gaps' | 'broken'>): number =>
  gaps.reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, broken.length);

/**
 * Text scanned behind a snapshot, about ten milliseconds. The events of a longer session are scanned by a
 * process of their own after it was opened.
 */
const charsBehindSnapshot = 4_000_000;

/** A session's state, and whether damage of every event it was folded from was looked for. */
export interface ReadState {
  readonly state: SessionState;
  readonly snapshotSeq: number;
  readonly scanned: boolean;
}

/**
 * The events behind a snapshot may have been damaged since; the snapshot stays valid, and the gaps are added
 * to it.
 */
function withGaps(store: SessionStore, snapshot: SessionState): Pick<ReadState, 'state' | 'scanned'> {
  const gaps = store.gapsUpTo(snapshot.id, snapshot.seq, charsBehindSnapshot);
  const found = gaps.ok && gaps.value !== null && gaps.value.length > 0;
  const state = found ? { ...snapshot, gaps: gaps.value } : snapshot;
  return { state, scanned: gaps.ok && gaps.value !== null };
}

/** Reads a session's state from its newest snapshot and the events after it. */
export function readState(store: SessionStore, sessionId: string): Result<ReadState> {
  const snapshot = store.loadSnapshot(sessionId);
  const start = snapshot ? withGaps(store, snapshot) : { state: emptySession(sessionId), scanned: true };
  const { seq } = start.state;
  const events = store.read(sessionId, seq);
  if (!events.ok) return events;
  return ok({ ...start, state: applyStoredEvents(start.state, events.value), snapshotSeq: seq });
}

/**
 * Replays all events of a session and compares the result with `live`, or with the snapshot-based state when
 * the session is not open.
 */
export function replaySession(
  store: SessionStore,
  sessionId: string,
  live: SessionState | null,
): Result<Replay> {
  const current = live ? ok({ state: live }) : readState(store, sessionId);
  if (!current.ok) return current;
  const { state } = current.value;
  const stored = store.read(sessionId, 0);
  if (!stored.ok) return stored;
  const check = store.check(sessionId);
  if (!check.ok) return check;
  // Another process may have written more since `live` was read; the comparison stops at the same event.
  const events = stored.value.events.filter(({ seq }) => seq <= state.seq);
  const gaps = stored.value.gaps.filter(({ fromSeq }) => fromSeq <= state.seq);
  const replayed = applyStoredEvents(emptySession(sessionId), { ...stored.value, events, gaps });
  const damaged = damagedEvents(check.value);
  return ok({
    events: events.length,
    stateHash: stateHash(replayed),
    // Compares the states and not their hashes: a second hash costs more than the whole comparison.
    equal: damaged === 0 && sameJson(replayed, state),
    damaged,
  });
}

/** Text hashed per step, in UTF-16 code units; limits the copies of a long session's text in memory. */
const charsPerStep = 65536;

/** SHA-256 (hex) of a state's canonical text: equal states have equal hashes on every machine. */
export function stateHash(state: SessionState): string {
  const hash = sha256.create();
  let pending = '';
  writeCanonicalJson(state, (piece) => {
    // A piece never ends inside a surrogate pair, so each piece can be encoded separately.
    pending += piece;
    if (pending.length < charsPerStep) return;
    hash.update(utf8ToBytes(pending));
    pending = '';
  });
  return bytesToHex(hash.update(utf8ToBytes(pending)).digest());
}
