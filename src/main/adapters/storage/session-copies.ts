import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  statfsSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionSummary } from '#shared/session-state';
import type { SessionCopy } from '../../../core/ports/session-store';
import { structureProblem } from './check-database';
import { deleteSession, eraseRows } from './delete-session';
import { wrongIn } from './event-chain';
import { checkSession } from './read-events';
import { copyDatabase, openSqlite, openSqliteReadOnly, type Sqlite } from './sqlite';
import { createTables, type Tables } from './tables';

/** Copies to keep; one is made each day. */
const maxCopies = 3;
/** Space that must remain free on the disk beside the copy. */
const spareBytes = 64 * 1024 * 1024;
const namePattern = /^sessions-(\d{4}-\d{2}-\d{2})\.db$/;

const self = { holder: 'copies', pid: 0 };
/** The tables of a file that is open for one task. */
export const tablesOf = (db: Sqlite): Tables => createTables(db, { self, processAlive: () => false });

export const copiesFolder = (path: string): string => join(dirname(path), 'copies');

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The names of the copies, newest first; none when a file is in the place of their folder. */
function copyNames(path: string): readonly string[] {
  if (!isFolder(copiesFolder(path))) return [];
  return readdirSync(copiesFolder(path))
    .filter((name) => namePattern.test(name))
    .sort()
    .reverse();
}

/** Whether today has no copy yet; after the clock moves back, no copy is due until it catches up. */
export function copyDue(path: string, now: number): boolean {
  const [newest] = copyNames(path);
  return existsSync(path) && (newest === undefined || newest < `sessions-${dayOf(now)}.db`);
}

/** Runs `work` on a copy opened read-only. */
export function withCopy<T>(path: string, name: string, work: (copy: Tables) => T): T {
  const db = openSqliteReadOnly(join(copiesFolder(path), name));
  try {
    return work(tablesOf(db));
  } finally {
    db.close();
  }
}

function sessionsIn(path: string, name: string): number | null {
  try {
    return withCopy(path, name, ({ sessions }) => sessions.list().length);
  } catch {
    return null;
  }
}

/** The copies, newest first; `sessions` is null for an unreadable copy. */
export function listCopies(path: string): readonly SessionCopy[] {
  return copyNames(path).map((name) => ({
    name,
    day: namePattern.exec(name)?.[1] ?? '',
    bytes: statSync(join(copiesFolder(path), name)).size,
    sessions: sessionsIn(path, name),
  }));
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Maximum number of damaged sessions to name. */
const maxNamed = 3;

/** How many sessions these are, and the names of the first ones. */
function named(sessions: readonly SessionSummary[]): string {
  const titles = sessions.slice(0, maxNamed).map(({ title }) => `“${title || 'New session'}”`);
  const more = sessions.length > titles.length ? [`${sessions.length - titles.length} more`] : [];
  return `${counted(sessions.length, 'session')} (${[...titles, ...more].join(', ')})`;
}

/** Why the file must not become a copy that replaces an older one, or null. */
function reasonAgainst(path: string): string | null {
  const problem = structureProblem(path);
  if (problem !== null) return `the sessions file is damaged (${problem})`;
  const db = openSqliteReadOnly(path);
  try {
    const tables = tablesOf(db);
    const damaged = tables.sessions.list().filter(({ id }) => {
      const check = checkSession(tables, id);
      return !check.ok || wrongIn(check.value) > 0;
    });
    return damaged.length === 0 ? null : `events are damaged in ${named(damaged)}`;
  } finally {
    db.close();
  }
}

function hasSpace(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path));
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return bavail * bsize > statSync(path).size + wal + spareBytes;
}

/** Syncs a file before its rename: a file with the final name is always a complete copy. */
function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

/** Removes sessions that were deleted while the copy was made, so that a restore cannot bring them back. */
function dropDeleted(path: string, name: string): void {
  const db = openSqliteReadOnly(path);
  const ids = new Set(
    tablesOf(db)
      .sessions.list()
      .map(({ id }) => id),
  );
  db.close();
  const gone = withCopy(path, name, ({ sessions }) => sessions.list().filter(({ id }) => !ids.has(id)));
  for (const { id } of gone) removeFrom(path, name, id);
  for (const { id } of withCopy(path, name, ({ sessions }) => sessions.deleted())) removeFrom(path, name, id);
}

/**
 * Makes today's copy, for a process that may wait for the disk: checks before and after, renames the complete
 * copy into place, and only then deletes the oldest. Returns the reason when no copy was made, else null.
 * Throws `SqliteError` and disk errors.
 */
export function makeCopy(path: string, now: number): string | null {
  if (!copyDue(path, now)) return null;
  const reason = reasonAgainst(path);
  if (reason !== null) return reason;
  if (!hasSpace(path)) return 'the disk has too little room for it';
  const folder = copiesFolder(path);
  if (existsSync(folder) && !isFolder(folder)) return `${folder} is not a folder`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (name.includes('.part')) rmSync(join(folder, name));
  const name = `sessions-${dayOf(now)}.db`;
  const part = join(folder, `${name}.${process.pid}.part`);
  const db = openSqliteReadOnly(path);
  try {
    // Leaves no bytes of rows that move while the copy grows: a session deleted later must disappear from the
    // copy.
    db.pragma('secure_delete = ON');
    copyDatabase(db, part);
  } finally {
    db.close();
  }
  syncFile(part);
  const problem = structureProblem(part);
  if (problem !== null) {
    rmSync(part);
    return `the copy came out damaged (${problem})`;
  }
  renameSync(part, join(folder, name));
  dropDeleted(path, name);
  for (const old of copyNames(path).slice(maxCopies)) rmSync(join(folder, old));
  return null;
}

/** Maximum size of a copy to rewrite: about a second, and no process waits for a copy. */
const rewrittenCopyBytes = 64 * 1024 * 1024;

function removeFrom(path: string, name: string, sessionId: string): void {
  const db = openSqlite(join(copiesFolder(path), name));
  try {
    const tables = tablesOf(db);
    tables.leases.take(sessionId, 0);
    deleteSession(tables, sessionId, self.holder);
    tables.leases.release(sessionId);
    // A copy made while the session was being erased contains it under its mark.
    eraseRows(tables, () => undefined, rewrittenCopyBytes);
    for (const { key } of tables.sessions.deleted()) tables.sessions.drop(key);
    db.exec('PRAGMA journal_mode = DELETE');
  } finally {
    db.close();
  }
}

/** Whether the copy could be rewritten without the session and is readable after that. */
function removed(path: string, name: string, sessionId: string): boolean {
  try {
    removeFrom(path, name, sessionId);
    return sessionsIn(path, name) !== null;
  } catch {
    return false;
  }
}

/**
 * Removes a deleted session from every copy; deletes a copy that cannot be changed, because it would retain
 * the session.
 */
function removeFromCopies(path: string, sessionId: string): string | null {
  for (const name of copyNames(path)) {
    if (removed(path, name, sessionId)) continue;
    const file = join(copiesFolder(path), name);
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
  }
  const left = copyNames(path).filter((name) => stillHolds(path, name, sessionId));
  return left.length === 0 ? null : `copies in ${copiesFolder(path)} still contain it: ${left.join(', ')}`;
}

/** Pause between two transactions, so that other processes can write. */
const pauseMs = 15;
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);

/**
 * Removes deleted sessions from the sessions file and from every copy, for a process that may wait for the
 * disk. It can be stopped at any time and completes on the next run. Returns why the work is incomplete, or
 * null. Throws `SqliteError` and disk errors.
 */
export function eraseDeleted(path: string): string | null {
  const db = openSqlite(path);
  try {
    const tables = tablesOf(db);
    const deleted = tables.sessions.deleted();
    const reason = eraseRows(tables, pause);
    if (reason !== null) return reason;
    const left = deleted.map(({ id }) => removeFromCopies(path, id)).find((failure) => failure !== null);
    if (left !== undefined) return left;
    for (const { key } of deleted) tables.sessions.drop(key);
    return null;
  } finally {
    db.close();
  }
}

const stillHolds = (path: string, name: string, sessionId: string): boolean =>
  withCopy(path, name, ({ sessions }) => sessions.keyOf(sessionId) !== null);
