import { randomUUID } from 'node:crypto';
import { ok, err, type Result } from '#shared/result';
import type { Clock } from '../../ports/clock';
import type { LeaseHolder, Salvage, SessionStore } from '../../ports/session-store';
import { appendEvents, heldByAnother } from './append-events';
import { createConnection } from './connection';
import { leaseMs } from './lease-table';
import { openDatabase } from './open-database';
import { readEvents } from './read-events';
import { transact } from './sqlite';
import { createTables } from './tables';

export interface SqliteSessionStoreDeps extends LeaseHolder {
  /** The database file; its folder is made when missing. */
  readonly path: string;
  readonly clock: Clock;
  /** Whether a process with this id runs on this machine. */
  readonly processAlive: (pid: number) => boolean;
  /** Called when damage was found and dealt with: at the first use, or later when a bad row is met. */
  readonly onSalvage?: (salvage: Salvage) => void;
}

/** Keeps the leases of this process alive while it holds any. */
function createHeartbeat(clock: Clock, beat: () => void) {
  let stop: (() => void) | null = null;
  const next = (): void => {
    stop = clock.after(leaseMs / 3, () => {
      beat();
      next();
    });
  };
  return {
    start: () => void (stop ?? next()),
    stop: () => {
      stop?.();
      stop = null;
    },
  };
}

/**
 * The session store on SQLite. Building it touches no disk; the file is opened, checked and if need be salvaged on first use,
 * and every failure is a HOST/STORAGE value.
 */
export function createSqliteSessionStore(deps: SqliteSessionStoreDeps): SessionStore {
  const { clock, path } = deps;
  const self = { holder: `${deps.holder}#${randomUUID()}`, pid: deps.pid };
  const held = new Set<string>();
  let salvaged: Salvage | null = null;

  const report = (salvage: Salvage): void => {
    salvaged = salvage;
    deps.onSalvage?.(salvage);
  };
  const connection = createConnection({
    path,
    open: () => {
      const opened = openDatabase(path, clock.now());
      if (opened.salvage) report(opened.salvage);
      return createTables(opened.db, { self, processAlive: deps.processAlive });
    },
  });
  const heartbeat = createHeartbeat(clock, () => {
    connection.use('keep the sessions open', ({ leases }) => ok(leases.renewAll(clock.now())));
  });
  const orNull = <T>(result: Result<T | null>): T | null => (result.ok ? result.value : null);

  return {
    append: (sessionId, afterSeq, facts) =>
      connection.use('save the session', (tables) =>
        transact(tables.db, (undo) => {
          const at = Math.round(clock.now());
          const result = appendEvents(tables, { sessionId, afterSeq, facts, at, holder: self.holder });
          if (!result.ok) undo();
          return result;
        }),
      ),

    read: (sessionId, afterSeq) =>
      connection.use('read the session', (tables) =>
        readEvents(tables, sessionId, afterSeq, {
          holder: self.holder,
          now: () => Math.round(clock.now()),
          onLost: (eventsKept, rowsLost) => report({ setAside: path, eventsKept, rowsLost }),
        }),
      ),

    list: () => connection.use('list the sessions', ({ sessions }) => ok(sessions.list())),
    search: (text, limit) =>
      connection.use('search the sessions', ({ messages }) => ok(messages.search(text, limit))),

    loadSnapshot: (sessionId) =>
      orNull(
        connection.use('read the session', ({ sessions, snapshots }) => {
          const row = sessions.find(sessionId);
          return ok(row && snapshots.load(sessionId, row.lastSeq));
        }),
      ),
    saveSnapshot(state) {
      connection.use('keep a snapshot', ({ snapshots }) => ok(snapshots.save(state)));
    },

    acquireLease: (sessionId) =>
      connection.use('open the session', ({ db, leases }) => {
        const other = transact(db, () => leases.take(sessionId, Math.round(clock.now())));
        if (other) return err(heldByAnother(other));
        held.add(sessionId);
        heartbeat.start();
        return ok(null);
      }),
    releaseLease(sessionId) {
      connection.use('close the session', ({ leases }) => ok(leases.release(sessionId)));
      held.delete(sessionId);
      if (held.size === 0) heartbeat.stop();
    },

    salvage: () => salvaged,
    close() {
      heartbeat.stop();
      for (const sessionId of held) {
        connection.use('close the session', ({ leases }) => ok(leases.release(sessionId)));
      }
      held.clear();
      connection.close();
    },
  };
}
