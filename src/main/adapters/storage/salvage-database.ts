import { existsSync, renameSync } from 'node:fs';
import type { SessionEvent } from '#shared/session-event';
import type { Salvage } from '../../ports/session-store';
import { rebuildSession } from './read-events';
import { salvageRows, type FoundRows } from './salvage-rows';
import { transact } from './sqlite';
import type { Tables } from './tables';

/** A session's events from the first on without a gap, and what lies behind the gap or never turned up. */
interface Kept {
  readonly sessionId: string;
  readonly events: readonly SessionEvent[];
  readonly lost: number;
}

/** More missing events than this behind the last one found is a damaged number, not a loss. */
const largestClaim = 1_000_000;

function keepPrefix(found: FoundRows, sessionId: string): Kept {
  const rows = found.bySession.get(sessionId) ?? new Map<number, SessionEvent>();
  const events: SessionEvent[] = [];
  for (let event = rows.get(1); event; event = rows.get(event.seq + 1)) events.push(event);
  const highest = Math.max(0, ...rows.keys());
  const claimed = found.claimedSeq.get(sessionId) ?? 0;
  const last = claimed > highest && claimed - highest < largestClaim ? claimed : highest;
  const beyond = found.damaged.filter((row) => row.sessionId === sessionId && row.seq > last);
  return { sessionId, events, lost: last - events.length + beyond.length };
}

/** Moves a database with its log out of the way, so that they still belong together; the new path. */
export function setDatabaseAside(path: string, stamp: string): string {
  const target = `${path}.corrupt-${stamp}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix);
  }
  return target;
}

/**
 * Fills a new database with what a damaged one still holds. A session keeps its events up to the first that is lost:
 * what comes after a hole builds on what was in it. The rest stays in the file set aside, and is counted.
 */
export function salvageInto(tables: Tables, damaged: string): Omit<Salvage, 'setAside'> {
  const found = salvageRows(damaged, `${damaged}-wal`);
  const damagedIn = found.damaged.map(({ sessionId }) => sessionId);
  const sessions = [...new Set([...found.bySession.keys(), ...found.claimedSeq.keys(), ...damagedIn])];
  const kept = sessions
    .map((sessionId) => keepPrefix(found, sessionId))
    .sort((a, b) => (a.events[0]?.at ?? 0) - (b.events[0]?.at ?? 0));
  transact(tables.db, () => {
    for (const { sessionId, events } of kept) {
      if (events.length === 0) continue;
      const key = tables.sessions.add(sessionId);
      for (const event of events) tables.events.insert(key, event);
      rebuildSession(tables, key, sessionId, events);
    }
  });
  const eventsKept = kept.reduce((sum, session) => sum + session.events.length, 0);
  const rowsLost = kept.reduce((sum, session) => sum + session.lost, 0);
  return { eventsKept, rowsLost };
}
