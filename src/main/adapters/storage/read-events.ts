import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { eventSchemaVersion, type SessionEvent } from '#shared/session-event';
import type { EventGap as PlacedGap } from '#shared/session-state';
import type { EventGap, SessionCheck, StoredEvents } from '../../../core/ports/session-store';
import { checkChain } from './event-chain';
import { eventOf, factOf } from './event-row';
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

/** Where events up to `lastSeq` cannot be read, and the line each place follows. */
export function placedGaps(tables: Tables, sessionId: string, lastSeq: number): readonly PlacedGap[] {
  const key = tables.sessions.keyOf(sessionId);
  if (key === null) return [];
  const gaps: PlacedGap[] = [];
  let seq = 0;
  const skipTo = (next: number): void => {
    if (next <= seq + 1) return;
    gaps.push({ fromSeq: seq + 1, toSeq: next - 1, turn: turnAtEvent(tables, key, sessionId, seq) });
  };
  for (const row of tables.events.intact(key, sessionId, { afterSeq: 0, lastSeq })) {
    skipTo(row.seq);
    seq = row.seq;
  }
  skipTo(lastSeq + 1);
  return gaps;
}

/**
 * How many events of each session cannot be read, those without such left out. A session with more events than are left of
 * `maxEvents` is not looked at, so the cost is the same for a file of any size.
 */
export function countUnreadable(
  tables: Tables,
  sessionIds: readonly string[],
  maxEvents: number,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let left = maxEvents;
  for (const id of sessionIds) {
    if (left <= 0) break;
    const row = tables.sessions.find(id);
    const lastSeq = row ? reachOf(tables, row) : 0;
    if (!row || row.lastSeq > left) continue;
    left -= row.lastSeq;
    const intact = [...tables.events.intact(row.key, id, { afterSeq: 0, lastSeq })].length;
    if (intact < lastSeq) found.set(id, lastSeq - intact);
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
