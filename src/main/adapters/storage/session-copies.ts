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
import type { SessionCopy } from '../../../core/ports/session-store';
import { structureProblem } from './check-database';
import { deleteSession, eraseRows } from './delete-session';
import { checkSession } from './read-events';
import { copyDatabase, openSqlite, openSqliteReadOnly, type Sqlite } from './sqlite';
import { createTables, type Tables } from './tables';

/** A copy is made once a day, and this many are kept. */
const maxCopies = 3;
/** Room that must be left on the disk beside the copy. */
const spareBytes = 64 * 1024 * 1024;
const namePattern = /^sessions-(\d{4}-\d{2}-\d{2})\.db$/;

const self = { holder: 'copies', pid: 0 };
const tablesOf = (db: Sqlite): Tables => createTables(db, { self, processAlive: () => false });

export const copiesFolder = (path: string): string => join(dirname(path), 'copies');

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** The names of the copies, the newest first. */
function copyNames(path: string): readonly string[] {
  if (!existsSync(copiesFolder(path))) return [];
  return readdirSync(copiesFolder(path))
    .filter((name) => namePattern.test(name))
    .sort()
    .reverse();
}

/** Whether today has no copy yet; a clock that went back makes none until it has caught up. */
export function copyDue(path: string, now: number): boolean {
  const [newest] = copyNames(path);
  return existsSync(path) && (newest === undefined || newest < `sessions-${dayOf(now)}.db`);
}

/** Runs `work` on an open copy, for reading alone. */
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

/** The copies there are, the newest first; `sessions` is null for one that cannot be read. */
export function listCopies(path: string): readonly SessionCopy[] {
  return copyNames(path).map((name) => ({
    name,
    day: namePattern.exec(name)?.[1] ?? '',
    bytes: statSync(join(copiesFolder(path), name)).size,
    sessions: sessionsIn(path, name),
  }));
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Why the file is not worth a copy that pushes out an older one, or null. */
function reasonAgainst(path: string): string | null {
  const problem = structureProblem(path);
  if (problem !== null) return `the sessions file is damaged (${problem})`;
  const db = openSqliteReadOnly(path);
  try {
    const tables = tablesOf(db);
    const damaged = tables.sessions.list().filter(({ id }) => {
      const check = checkSession(tables, id);
      return !check.ok || check.value.gaps.length + check.value.broken.length > 0;
    });
    return damaged.length === 0 ? null : `events are damaged in ${counted(damaged.length, 'session')}`;
  } finally {
    db.close();
  }
}

function hasRoom(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path));
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return bavail * bsize > statSync(path).size + wal + spareBytes;
}

/** On disk before it gets its name: a name always means a whole copy. */
function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

/** A session deleted while the copy was made must not come back with it. */
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
 * Makes today's copy, for a process that may wait for the disk: checked before and after, put in its place whole, and only then
 * the oldest is deleted. Gives the reason when there is none, null when there is. Throws `SqliteError` and errors of the disk.
 */
export function makeCopy(path: string, now: number): string | null {
  if (!copyDue(path, now)) return null;
  const reason = reasonAgainst(path);
  if (reason !== null) return reason;
  if (!hasRoom(path)) return 'the disk has too little room for it';
  const folder = copiesFolder(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (name.includes('.part')) rmSync(join(folder, name));
  const name = `sessions-${dayOf(now)}.db`;
  const part = join(folder, `${name}.${process.pid}.part`);
  const db = openSqliteReadOnly(path);
  try {
    // No bytes of rows that move while the copy grows: a session deleted later must be gone from it.
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

/** Nobody waits for a copy: one of this size is rewritten in about a second. */
const rewrittenCopyBytes = 64 * 1024 * 1024;

function removeFrom(path: string, name: string, sessionId: string): void {
  const db = openSqlite(join(copiesFolder(path), name));
  try {
    const tables = tablesOf(db);
    if (tables.sessions.keyOf(sessionId) !== null) {
      tables.leases.take(sessionId, 0);
      deleteSession(tables, sessionId, self.holder);
      tables.leases.release(sessionId);
    }
    // A copy that was made while the session was being erased holds it under its mark.
    eraseRows(tables, () => undefined, rewrittenCopyBytes);
    for (const { key } of tables.sessions.deleted()) tables.sessions.drop(key);
    db.exec('PRAGMA journal_mode = DELETE');
  } finally {
    db.close();
  }
}

/** Takes a deleted session out of every copy; a copy that cannot be changed is deleted, as it would keep what has to go. */
function removeFromCopies(path: string, sessionId: string): string | null {
  for (const name of copyNames(path)) {
    const file = join(copiesFolder(path), name);
    try {
      removeFrom(path, name, sessionId);
    } catch {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true });
    }
    if (existsSync(file) && !readable(path, name)) rmSync(file, { force: true });
  }
  const left = copyNames(path).filter((name) => stillHolds(path, name, sessionId));
  return left.length === 0 ? null : `copies in ${copiesFolder(path)} still hold it: ${left.join(', ')}`;
}

/** Between two transactions another process gets its turn. */
const pauseMs = 15;
const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);

/**
 * Takes deleted sessions out of the sessions file and of every copy, for a process that may wait for the disk. Ended at any time, it
 * does the rest when it is run again. Why something is left, or null. Throws `SqliteError` and errors of the disk.
 */
export function eraseDeleted(path: string): string | null {
  const db = openSqlite(path);
  try {
    const tables = tablesOf(db);
    const deleted = tables.sessions.deleted();
    const reason = eraseRows(tables, pause);
    if (reason !== null) return reason;
    const left = deleted.map(({ id }) => removeFromCopies(path, id)).find((kept) => kept !== null);
    if (left !== undefined) return left;
    for (const { key } of deleted) tables.sessions.drop(key);
    return null;
  } finally {
    db.close();
  }
}

const readable = (path: string, name: string): boolean => sessionsIn(path, name) !== null;

const stillHolds = (path: string, name: string, sessionId: string): boolean =>
  withCopy(path, name, ({ sessions }) => sessions.keyOf(sessionId) !== null);
