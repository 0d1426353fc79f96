import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { SessionEvent } from '#shared/session-event';
import { emptySummary, summaryAfter } from './summary-change';
import { transact } from './sqlite';
import type { SessionRow } from './session-table';
import type { Tables } from './tables';

export interface ReadDeps {
  readonly holder: string;
  readonly now: () => number;
  /** Called with the number of events lost when a session was cut at a row that is not what was written. */
  readonly onLost: (eventsKept: number, rowsLost: number) => void;
}

/** Writes the session's line and its messages anew from the events it still has. */
export function rebuildSession(
  tables: Tables,
  key: number,
  id: string,
  events: readonly SessionEvent[],
): void {
  tables.messages.forget(key);
  tables.sessions.write(key, events.length, summaryAfter(emptySummary(id), events));
  tables.messages.take(key, events);
}

/** Ends a session before its first bad row, keeping the rows from there on apart; what follows a hole means nothing without it. */
function cutAt(tables: Tables, { key, summary }: SessionRow, hole: number, now: number): void {
  transact(tables.db, () => {
    tables.events.setAsideAfter(key, hole - 1, now);
    const kept = tables.events.read(key, summary.id, { afterSeq: 0, lastSeq: hole - 1 });
    rebuildSession(tables, key, summary.id, kept.events);
    tables.snapshots.drop(summary.id);
  });
}

/**
 * A session's events after `afterSeq`. At a damaged row the reading ends; the session's writer then cuts it there,
 * unless a snapshot still holds what the damaged rows said.
 */
export function readEvents(
  tables: Tables,
  sessionId: string,
  afterSeq: number,
  deps: ReadDeps,
): Result<readonly SessionEvent[]> {
  const row = tables.sessions.find(sessionId);
  if (!row) return err(appError('HOST', 'NOT_FOUND', `There is no session ${sessionId}.`));
  const { lastSeq, key } = row;
  const { events, hole, newerVersion } = tables.events.read(key, sessionId, { afterSeq, lastSeq });
  if (newerVersion !== null) {
    return err(
      appError(
        'HOST',
        'STATE',
        `This session was written by a newer Patina (events of version ${newerVersion}).`,
        {
          hint: 'Update Patina to open it.',
        },
      ),
    );
  }
  if (hole !== null && tables.leases.holderOf(sessionId)?.holder === deps.holder) {
    const remembered = tables.snapshots.load(sessionId, lastSeq)?.seq ?? 0;
    if (remembered >= hole) return ok(events);
    cutAt(tables, row, hole, deps.now());
    deps.onLost(hole - 1, lastSeq - hole + 1);
  }
  return ok(events);
}
