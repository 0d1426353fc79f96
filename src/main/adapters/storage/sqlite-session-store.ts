import { randomUUID } from 'node:crypto';
import { appError, type AppError } from '#shared/app-error';
import { ok, err, type Result } from '#shared/result';
import type { Clock } from '../../../core/ports/clock';
import type { GrantStore } from '../../../core/ports/grant-store';
import type { PinStore } from '../../../core/ports/pin-store';
import type { UsageStore } from '../../../core/ports/usage-store';
import type {
  LeaseHolder,
  ReadOnlyStore,
  Salvage,
  SessionRepair,
  SessionStore,
  Soundness,
} from '../../../core/ports/session-store';
import { appendEvents, leasedByAnother } from './append-events';
import { deleteSession } from './delete-session';
import { createConnection, type Connection } from './connection';
import { completeCheckDue, unregisterProcess, noteDoubt, noteSound } from './database-users';
import { leaseMs, type Lease } from './lease-table';
import { openDatabase, type OpenDatabase } from './open-database';
import { checkSession, countDamaged, placedGaps, readEvents, readTail } from './read-events';
import { repairSession, restorableEvents, sessionsSetAside } from './repair-session';
import { listCopies, withCopy } from './session-copies';
import { transact } from './sqlite';
import { createTables } from './tables';
import { parseToolUri } from '#shared/tool-name';

export interface SqliteSessionStoreDeps extends LeaseHolder {
  /** The database file; its folder is created when missing. */
  readonly path: string;
  readonly clock: Clock;
  /** Whether a process with this id is running on this machine. */
  readonly processAlive: (pid: number) => boolean;
  /** Called after damage was found and handled: at first use, or later when a read meets a bad row. */
  readonly onSalvage?: (salvage: Salvage) => void;
  /** Called when the file is readable but not writable, and with null once it becomes writable. */
  readonly onReadOnly?: (readOnly: ReadOnlyStore | null) => void;
  /** Opens the file; by default from disk, with checks. Tests supply one that makes the disk fail. */
  readonly openDatabase?: OpenDatabase;
}

/** Interval for retrying an unwritable file: the user may have freed space or granted permission. */
const retryWritingMs = 10_000;

const orNull = <T>(result: Result<T | null>): T | null => (result.ok ? result.value : null);

type LeaseCalls = Pick<SessionStore, 'acquireLease' | 'releaseLease'>;

/** The leases of this process, renewed while it has any. */
function createLeases(
  connection: Connection,
  clock: Clock,
): LeaseCalls & { readonly releaseAll: () => void } {
  const claimed = new Set<string>();
  let stopBeat: (() => void) | null = null;
  const now = (): number => Math.round(clock.now());

  const beat = (): void => {
    connection.use('keep the sessions open', ({ leases }) => ok(leases.renewAll(now())));
    stopBeat = clock.after(leaseMs / 3, beat);
  };
  const releaseLease = (sessionId: string): void => {
    connection.use('close the session', ({ leases }) => ok(leases.release(sessionId)));
    claimed.delete(sessionId);
    if (claimed.size > 0) return;
    stopBeat?.();
    stopBeat = null;
  };

  return {
    acquireLease: (sessionId) =>
      connection.use('open the session', ({ db, leases, chain, sessions }) => {
        const other = transact(db, () => leases.take(sessionId, now()));
        if (other) return err(leasedByAnother(other));
        chain.forget(sessionId);
        sessions.forget(sessionId);
        claimed.add(sessionId);
        stopBeat ??= clock.after(leaseMs / 3, beat);
        return ok(null);
      }),
    releaseLease,
    releaseAll: () => [...claimed].forEach(releaseLease),
  };
}

type EventCalls = Pick<
  SessionStore,
  'append' | 'importSession' | 'read' | 'tail' | 'gapsUpTo' | 'check' | 'remove'
>;
type RepairCalls = Pick<SessionStore, 'repair' | 'restorable' | 'quarantinedSessions' | 'copies' | 'copied'>;

function createEventCalls(
  connection: Connection,
  { clock }: SqliteSessionStoreDeps,
  self: Lease,
): EventCalls {
  const now = (): number => Math.round(clock.now());
  return {
    append: (sessionId, afterSeq, facts, times) =>
      connection.use('save the session', (tables) =>
        appendEvents(tables, { sessionId, afterSeq, facts, times, at: now(), holder: self.holder }),
      ),
    importSession: (sessionId, timed) =>
      connection.use('save the session', (tables) => {
        const facts = timed.map(({ fact }) => fact);
        const times = timed.map(({ at }) => Math.round(at));
        return appendEvents(tables, { sessionId, afterSeq: 0, facts, times, at: now(), holder: self.holder });
      }),
    read: (sessionId, afterSeq) =>
      connection.use('read the session', (tables) => readEvents(tables, sessionId, afterSeq)),
    tail: (sessionId, maxEvents) =>
      connection.use('read the session', (tables) => readTail(tables, sessionId, maxEvents)),
    gapsUpTo: (sessionId, lastSeq, maxChars) =>
      connection.use('read the session', (tables) => ok(placedGaps(tables, sessionId, lastSeq, maxChars))),
    check: (sessionId) => connection.use('check the session', (tables) => checkSession(tables, sessionId)),
    remove: (sessionId) =>
      connection.use('delete the session', (tables) => deleteSession(tables, sessionId, self.holder)),
  };
}

function createRepairCalls(connection: Connection, path: string, leases: LeaseCalls): RepairCalls {
  const repairWith = (sessionId: string, copy?: string): Result<SessionRepair> =>
    connection.use('repair the session', (tables) =>
      repairSession(tables, { sessionId, path, ...(copy !== undefined && { copy }) }),
    );
  return {
    repair(sessionId, copy) {
      if (copy !== undefined && !listCopies(path).some(({ name }) => name === copy)) return err(noCopy(copy));
      const lease = leases.acquireLease(sessionId);
      if (!lease.ok) return lease;
      const repaired = repairWith(sessionId, copy);
      leases.releaseLease(sessionId);
      return repaired;
    },
    restorable: (sessionId) =>
      connection.use('read the copies', (tables) => ok(restorableEvents(tables, { sessionId, path }))),
    quarantinedSessions: () => connection.use('list the sessions', (tables) => ok(sessionsSetAside(tables))),
    copies: () => connection.use('list the copies', () => ok(listCopies(path))),
    copied: (copy) =>
      connection.use('read the copy', () =>
        listCopies(path).some(({ name }) => name === copy)
          ? ok(withCopy(path, copy, ({ sessions }) => sessions.list()))
          : err(noCopy(copy)),
      ),
  };
}

const noCopy = (copy: string): AppError =>
  appError('HOST', 'NOT_FOUND', `There is no copy ${copy}.`, {
    hint: 'List them with: patina session copies',
  });

type CacheCalls = Pick<
  SessionStore,
  'list' | 'sessionOfRun' | 'damaged' | 'search' | 'openings' | 'loadSnapshot' | 'saveSnapshot'
>;

function createCacheCalls(connection: Connection): CacheCalls {
  return {
    list: () => connection.use('list the sessions', ({ sessions }) => ok(sessions.list())),
    sessionOfRun: (runId) => connection.use('find the run', ({ runs }) => ok(runs.sessionOf(runId))),
    damaged: (sessionIds, maxChars) =>
      connection.use('list the sessions', (tables) => ok(countDamaged(tables, sessionIds, maxChars))),
    search: (text, limit) =>
      connection.use('search the sessions', ({ messages }) => ok(messages.search(text, limit))),
    openings: (limit) =>
      connection.use('search the sessions', ({ messages }) => ok(messages.openings(limit))),
    loadSnapshot: (sessionId) =>
      orNull(
        connection.use('read the session', ({ sessions, snapshots }) => {
          const row = sessions.find(sessionId);
          return ok(row && snapshots.load(sessionId, row.lastSeq));
        }),
      ),
    saveSnapshot(state) {
      connection.use('save a snapshot', ({ snapshots }) => ok(snapshots.save(state)));
    },
  };
}

/** Everything in the sessions database: sessions, grants and pins. */
export interface HomeStore extends SessionStore {
  readonly grants: GrantStore;
  readonly pins: PinStore;
  readonly usage: UsageStore;
  readonly soundness: Soundness;
  /** Whether rows of deleted sessions remain in the file. */
  erasureDue(): boolean;
}

/**
 * The session store on SQLite. Creating it touches no disk; first use opens, checks and, if necessary,
 * salvages the file. Every failure is a HOST/STORAGE value.
 */
export function createSqliteSessionStore(deps: SqliteSessionStoreDeps): HomeStore {
  const { clock, path, pid, processAlive } = deps;
  const self = { holder: `${deps.holder}#${randomUUID()}`, pid };
  let salvaged: Salvage | null = null;

  const report = (salvage: Salvage): void => {
    salvaged = salvage;
    deps.onSalvage?.(salvage);
  };
  let stopRetrying = (): void => undefined;
  const retryWriting = (): void => {
    stopRetrying = clock.after(retryWritingMs, retryWriting);
    connection.retryWriting();
  };
  const open = deps.openDatabase ?? openDatabase;
  const connection = createConnection({
    path,
    open: () => {
      const opened = open({ path, now: clock.now(), processAlive, pid });
      if (opened.salvage) report(opened.salvage);
      const tables = createTables(opened.db, { self, processAlive }, () => noteDoubt(path, 'damage'));
      return { tables, readOnly: opened.readOnly ?? null };
    },
    onReadOnly(readOnly) {
      deps.onReadOnly?.(readOnly);
      if (readOnly) stopRetrying = clock.after(retryWritingMs, retryWriting);
      else stopRetrying();
    },
  });
  const leases = createLeases(connection, clock);

  return {
    ...createEventCalls(connection, deps, self),
    ...createCacheCalls(connection),
    ...createRepairCalls(connection, path, leases),
    grants: createGrantCalls(connection),
    pins: createPinCalls(connection),
    usage: {
      spent: (group, from, to) =>
        connection.use('read the usage', ({ usage }) => ok(usage.spent(group, from, to))),
    },
    soundness: {
      checkDue: () => completeCheckDue(path, clock.now()),
      // A completed check does not clear damage found while it ran.
      checked: (problem) => (problem === null ? noteSound(path, 'unclean-end') : noteDoubt(path, 'damage')),
    },
    erasureDue: () => {
      const deleted = connection.use('list the sessions', ({ sessions }) => ok(sessions.deleted()));
      return deleted.ok && deleted.value.length > 0;
    },
    acquireLease: leases.acquireLease,
    releaseLease: leases.releaseLease,
    salvage: () => salvaged,
    close() {
      stopRetrying();
      leases.releaseAll();
      connection.close();
      unregisterProcess(path, pid);
    },
  };
}
const notThere = appError('HOST', 'NOT_FOUND', 'There is no such saved permission.', {
  hint: 'It may have been revoked already.',
});

/** The saved permissions of this home, in the sessions database. */
function createGrantCalls(connection: Connection): GrantStore {
  return {
    list: () => connection.use('read the saved permissions', ({ grants }) => ok(grants.list())),
    add: (newGrants) =>
      connection.use('save the permission', ({ db, grants }) =>
        transact(db, () => {
          for (const grant of newGrants) grants.add(grant);
          return ok(null);
        }),
      ),
    remove: (ids) =>
      connection.use('revoke the saved permission', ({ db, grants }) =>
        transact(db, (undo) => {
          if (ids.map((id) => grants.remove(id)).every(Boolean)) return ok(null);
          undo();
          return err(notThere);
        }),
      ),
  };
}

/** The pinned tool definitions of this home, in the sessions database. */
function createPinCalls(connection: Connection): PinStore {
  return {
    list: () => connection.use('read the pinned tools', ({ pins }) => ok(pins.list())),
    put: (toolPins) =>
      connection.use('pin the tools', ({ db, pins }) =>
        transact(db, () => {
          for (const toolPin of toolPins) pins.put(toolPin);
          return ok(null);
        }),
      ),
    forget: (server) =>
      connection.use('forget the tools', ({ db, pins }) =>
        transact(db, () => {
          const gone = pins.list().filter(({ uri }) => parseToolUri(uri)?.server === server);
          for (const { uri } of gone) pins.remove(uri);
          return ok(null);
        }),
      ),
  };
}
