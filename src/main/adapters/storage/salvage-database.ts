import { existsSync, renameSync } from 'node:fs';
import type { Salvage } from '../../../core/ports/session-store';
import { checkChain, type Head } from './event-chain';
import { eventOf, type EventRow } from './event-row';
import { maxClaim, rebuildSession } from './read-events';
import { salvageRows, type FoundRows } from './salvage-rows';
import { transact } from './sqlite';
import type { Tables } from './tables';

/** A session's rows in order, and how many are missing between and after them. */
interface SalvagedSession {
  readonly sessionId: string;
  readonly rows: readonly EventRow[];
  readonly lastSeq: number;
  readonly lost: number;
}

function salvagedSession(found: FoundRows, sessionId: string): SalvagedSession {
  const bySeq = found.bySession.get(sessionId) ?? new Map<number, EventRow>();
  const rows = [...bySeq.values()].sort((a, b) => a.seq - b.seq);
  const highest = rows.at(-1)?.seq ?? 0;
  const claimed = Math.max(found.claimedSeq.get(sessionId) ?? 0, found.heads.get(sessionId)?.seq ?? 0);
  const lastSeq = claimed > highest && claimed - highest < maxClaim ? claimed : highest;
  const beyond = found.damaged.filter((row) => row.sessionId === sessionId && row.seq > lastSeq);
  return { sessionId, rows, lastSeq, lost: lastSeq - rows.length + beyond.length };
}

/** Renames a database together with its log so that they stay a pair; returns the new path. */
export function quarantineDatabase(path: string, stamp: string): string {
  const target = `${path}.corrupt-${stamp}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix);
  }
  return target;
}

/** Writes a session with its gaps; its head still records its original end. */
function writeSession(
  tables: Tables,
  { sessionId, rows, lastSeq }: SalvagedSession,
  head: Head | undefined,
): void {
  if (rows.length === 0) return;
  const key = tables.sessions.add(sessionId);
  for (const row of rows) tables.events.insert(key, row);
  if (head?.seq === lastSeq) tables.heads.put(key, sessionId, head);
  else tables.heads.put(key, sessionId, checkChain(tables.events, key, sessionId, null, lastSeq).end);
  rebuildSession(tables, key, sessionId, { events: rows.map(eventOf), lastSeq });
}

/**
 * Fills a new database with every intact row of a damaged one, at its original position. A missing event
 * stays a gap that readers report; the damaged bytes stay in the quarantined file.
 */
export function salvageInto(tables: Tables, damaged: string): Omit<Salvage, 'setAside'> {
  const found = salvageRows(damaged, `${damaged}-wal`);
  const damagedIn = found.damaged.map(({ sessionId }) => sessionId);
  const sessions = [...new Set([...found.bySession.keys(), ...found.claimedSeq.keys(), ...damagedIn])];
  const salvaged = sessions
    .map((sessionId) => salvagedSession(found, sessionId))
    .sort((a, b) => (a.rows[0]?.at ?? 0) - (b.rows[0]?.at ?? 0));
  transact(tables.db, () => {
    for (const session of salvaged) writeSession(tables, session, found.heads.get(session.sessionId));
  });
  const eventsKept = salvaged.reduce((sum, session) => sum + session.rows.length, 0);
  const rowsLost = salvaged.reduce((sum, session) => sum + session.lost, 0);
  return { eventsKept, rowsLost };
}
