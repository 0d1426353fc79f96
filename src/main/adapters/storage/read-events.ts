import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { eventSchemaVersion, type SessionEvent } from '#shared/session-event';
import type { EventGap as PlacedGap } from '#shared/session-state';
import type { EventGap, SessionCheck, StoredEvents } from '../../../core/ports/session-store';
import { checkChain, wrongIn } from './event-chain';
import { eventOf, factOf, type EventRow } from './event-row';
import { rowsPerLook } from './event-table';
import type { SessionRow } from './session-table';
import { emptySummary, summaryAfter } from './summary-change';
import type { Tables } from './tables';

/** Writes the session's line and its messages anew from the events that can be read. */
export function rebuildSession(
  tables: Tables,
  key: number,
  id: string,
  stored: Pick<StoredEvents, 'events' | 'lastSeq'>,
): void {
  tables.messages.forget(key);
  tables.sessions.write(key, stored.lastSeq, summaryAfter(emptySummary(id), stored.events));
  tables.messages.take(key, stored.events);
}

const notFound = (sessionId: string): AppError =>
  appError('HOST', 'NOT_FOUND', `There is no session ${sessionId}.`);

const newerPatina = (version: number): AppError =>
  appError('HOST', 'STATE', `This session was written by a newer Patina (events of version ${version}).`, {
    hint: 'Update Patina to open it.',
  });

/** More missing events than this behind the last row is a damaged number, not a loss. */
export const maxClaim = 1_000_000;

/** How far the session reaches: by its rows, and by what its head, or without one its line, says of rows that are gone. */
export function reachOf({ heads }: Tables, { key, lastSeq, claimedSeq, summary }: SessionRow): number {
  const said = heads.find(key, summary.id)?.seq ?? claimedSeq;
  return said - lastSeq < maxClaim ? Math.max(lastSeq, said) : lastSeq;
}

/**
 * A session's events after `afterSeq`. A damaged or missing event is skipped and named, and those behind it are read; nothing is
 * moved or removed.
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

/** The line that a stored event belongs to, or the nearest one before it that belongs to any; -1 before the first line. */
function turnAtEvent(tables: Tables, key: number, sessionId: string, upTo: number): number {
  for (let seq = upTo; seq > 0; seq -= 1) {
    const row = tables.events.find(key, sessionId, seq);
    const fact = row && factOf(row.fact);
    if (fact && 'turn' in fact && typeof fact.turn === 'number') return fact.turn;
  }
  return -1;
}

/** What a row costs to look at beside its fact, in characters. */
const charsPerRow = 100;

/** A session's sound events up to `lastSeq` and what looking at them cost, or null in their place when that is more than `maxChars`. */
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
  for (const row of tables.events.intact(key, sessionId, { afterSeq: 0, lastSeq }, rowsPerLook)) {
    chars += row.fact.length + charsPerRow;
    if (chars > maxChars) return { rows: null, chars };
    rows.push(row);
  }
  return { rows, chars };
}

/**
 * Where events up to `lastSeq` cannot be read, and the line each place follows; null when finding out takes a look at more than
 * `maxChars`, so the cost is the same for a session of any size.
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
 * How many events of each session are missing, damaged or do not follow the one before, sessions without such left out. A session
 * that takes more than is left of `maxChars` is not judged, so the cost is the same for a file of any size.
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

/** What is wrong with a session, by its checksums and its hashes. */
export function checkSession(tables: Tables, sessionId: string): Result<SessionCheck> {
  const row = tables.sessions.find(sessionId);
  if (!row) return err(notFound(sessionId));
  const head = tables.heads.find(row.key, sessionId);
  const { intact, gaps, broken } = checkChain(tables.events, row.key, sessionId, head, reachOf(tables, row));
  return ok({ sessionId, intact, gaps, broken });
}
