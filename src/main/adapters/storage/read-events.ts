import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { eventSchemaVersion, type SessionEvent } from '#shared/session-event';
import type { EventGap as PlacedGap } from '#shared/session-state';
import type { SessionDamage } from '../../../core/ports/database-check';
import type { EventGap, SessionCheck, StoredEvents } from '../../../core/ports/session-store';
import { checkChain, wrongIn } from './event-chain';
import { eventOf, factOf, type EventRow } from './event-row';
import { charsPerRow } from './event-table';
import type { SessionRow } from './session-table';
import { emptySummary, summaryAfter } from './summary-change';
import type { Tables } from './tables';

/** Rebuilds the session's summary row and its messages from the readable events. */
export function rebuildSession(
  tables: Tables,
  key: number,
  id: string,
  stored: Pick<StoredEvents, 'events' | 'lastSeq'>,
): void {
  tables.messages.forget(key);
  tables.sessions.write(key, stored.lastSeq, summaryAfter(emptySummary(id), stored.events));
  tables.messages.take(key, stored.events);
  tables.runs.take(stored.events);
}

const notFound = (sessionId: string): AppError =>
  appError('HOST', 'NOT_FOUND', `There is no session "${sessionId}".`);

const newerPatina = (version: number): AppError =>
  appError('HOST', 'STATE', `This session was written by a newer Patina (events of version ${version}).`, {
    hint: 'Update Patina to open it.',
  });

/**
 * A session that claims more missing events than this after its last row has a damaged number, not a loss.
 */
export const maxClaim = 1_000_000;

/**
 * The last event number of a session: from its rows, and, for rows that are gone, from its head or else its
 * summary row.
 */
export function reachOf({ heads }: Tables, { key, lastSeq, claimedSeq, summary }: SessionRow): number {
  const claimedLast = heads.find(key, summary.id)?.seq ?? claimedSeq;
  return claimedLast - lastSeq < maxClaim ? Math.max(lastSeq, claimedLast) : lastSeq;
}

/**
 * Reads a session's events after `afterSeq`. Skips and reports damaged or missing events and reads those
 * after them; moves and removes nothing.
 */
export function readEvents(tables: Tables, sessionId: string, afterSeq: number): Result<StoredEvents> {
  const row = tables.sessions.find(sessionId);
  if (!row) return err(notFound(sessionId));
  const lastSeq = reachOf(tables, row);
  const events: SessionEvent[] = [];
  const gaps: EventGap[] = [];
  let seq = afterSeq;
  for (const stored of tables.events.intact(row.key, sessionId, { afterSeq, lastSeq })) {
    if (stored.v > eventSchemaVersion) return err(newerPatina(stored.v));
    if (stored.seq > seq + 1) gaps.push({ fromSeq: seq + 1, toSeq: stored.seq - 1 });
    events.push(eventOf(stored));
    seq = stored.seq;
  }
  if (seq < lastSeq) gaps.push({ fromSeq: seq + 1, toSeq: lastSeq });
  return ok({ events, gaps, lastSeq, turnCount: row.summary.turnCount });
}

/** Text of the tail of a session, a few milliseconds of reading. */
const charsOfTail = 2_000_000;

/** The newest events of a session that follow each other without a gap, in order. */
export function readTail(
  tables: Tables,
  sessionId: string,
  maxEvents: number,
): Result<readonly SessionEvent[]> {
  const key = tables.sessions.keyOf(sessionId);
  if (key === null) return err(notFound(sessionId));
  const newestFirst: SessionEvent[] = [];
  let chars = 0;
  for (const row of tables.events.newestFirst(key, sessionId)) {
    if (row.v > eventSchemaVersion) return err(newerPatina(row.v));
    chars += row.fact.length;
    const next = newestFirst.at(-1);
    if (newestFirst.length === maxEvents || chars > charsOfTail || (next && row.seq !== next.seq - 1)) break;
    newestFirst.push(eventOf(row));
  }
  return ok(newestFirst.reverse());
}

/** The turn of a stored event, or of the nearest earlier event that has one; -1 before the first turn. */
function turnAtEvent(tables: Tables, key: number, sessionId: string, upTo: number): number {
  for (let seq = upTo; seq > 0; seq -= 1) {
    const row = tables.events.find(key, sessionId, seq);
    const fact = row && factOf(row.fact);
    if (fact && 'turn' in fact && typeof fact.turn === 'number') return fact.turn;
  }
  return -1;
}

/**
 * A session's intact events up to `lastSeq` and the cost of reading them; null instead of events when the
 * cost exceeds `maxChars`.
 */
function lookWithin(
  tables: Tables,
  key: number,
  sessionId: string,
  lastSeq: number,
  maxChars: number,
): { readonly rows: readonly EventRow[] | null; readonly chars: number } {
  if (lastSeq * charsPerRow > maxChars) return { rows: null, chars: 0 };
  const rows: EventRow[] = [];
  let chars = 0;
  for (const range of tables.events.ranges(key, sessionId, { afterSeq: 0, lastSeq })) {
    chars += range.cost;
    if (chars > maxChars) return { rows: null, chars };
    rows.push(...range.rows);
  }
  return { rows, chars };
}

/**
 * The ranges of unreadable events up to `lastSeq`, each with the turn it follows; null when finding them
 * would read more than `maxChars`, so that the cost is bounded for a session of any size.
 */
export function placedGaps(
  tables: Tables,
  sessionId: string,
  lastSeq: number,
  maxChars: number,
): readonly PlacedGap[] | null {
  const key = tables.sessions.keyOf(sessionId);
  if (key === null) return [];
  const { rows } = lookWithin(tables, key, sessionId, lastSeq, maxChars);
  if (rows === null) return null;
  const gaps: PlacedGap[] = [];
  let seq = 0;
  const skipTo = (next: number): void => {
    if (next <= seq + 1) return;
    gaps.push({ fromSeq: seq + 1, toSeq: next - 1, turn: turnAtEvent(tables, key, sessionId, seq) });
  };
  for (const row of rows) {
    skipTo(row.seq);
    seq = row.seq;
  }
  skipTo(lastSeq + 1);
  return gaps;
}

/**
 * For each session with damage, how many events are missing, damaged or do not follow the one before. Skips a
 * session that costs more than the remainder of `maxChars`, so that the cost is bounded for a file of any
 * size.
 */
export function countDamaged(
  tables: Tables,
  sessionIds: readonly string[],
  maxChars: number,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let left = maxChars;
  for (const id of sessionIds) {
    if (left <= 0) break;
    const row = tables.sessions.find(id);
    if (!row) continue;
    const lastSeq = reachOf(tables, row);
    const { rows, chars } = lookWithin(tables, row.key, id, lastSeq, left);
    left -= chars;
    if (rows === null) continue;
    const seen = { intact: () => rows, readableEnd: () => lastSeq };
    const damaged = wrongIn(checkChain(seen, row.key, id, tables.heads.find(row.key, id), lastSeq));
    if (damaged > 0) found.set(id, damaged);
  }
  return found;
}

/** What is wrong with the events of a session, each gap with the turn it follows; null when nothing is. */
export function damageOf(tables: Tables, sessionId: string): Omit<SessionDamage, 'restorable'> | null {
  const check = checkSession(tables, sessionId);
  const key = tables.sessions.keyOf(sessionId);
  if (!check.ok || key === null || wrongIn(check.value) === 0) return null;
  const placed = (gap: EventGap): PlacedGap => ({
    ...gap,
    turn: turnAtEvent(tables, key, sessionId, gap.fromSeq - 1),
  });
  return { ...check.value, gaps: check.value.gaps.map(placed) };
}

/** Checks a session by its checksums and hashes. */
export function checkSession(tables: Tables, sessionId: string): Result<SessionCheck> {
  const row = tables.sessions.find(sessionId);
  if (!row) return err(notFound(sessionId));
  const head = tables.heads.find(row.key, sessionId);
  const { intact, gaps, broken } = checkChain(tables.events, row.key, sessionId, head, reachOf(tables, row));
  return ok({ sessionId, intact, gaps, broken });
}
