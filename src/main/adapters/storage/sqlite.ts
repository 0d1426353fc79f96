import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { saysUnwritable } from './storage-failure';

/** One connection to the sessions database. Everything on it may throw a `SqliteError`; only `connection.ts` catches. */
export type Sqlite = Database.Database;

/** How long a writer waits for another process's transaction; ours take milliseconds. */
const busyTimeoutMs = 2_000;

/** For the owner only, whatever the process's own rule for new files is. */
const privateMode = 0o600;

/**
 * Makes a missing database file for its owner only, and tightens those that are there; SQLite gives a log the mode of its file.
 * A file that is there is not opened for this: closing any descriptor of it would drop this process's locks on it.
 */
function keepPrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', privateMode));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      if (existsSync(file)) chmodSync(file, privateMode);
    } catch {
      // Another user's file, or a disk without modes: its owner decides who reads it.
    }
  }
}

/**
 * Opens a database with the promises Patina makes: a write-ahead log, synced at every commit.
 * Throws `SqliteError`, or a plain `Error` ending in SQLite's number when the file cannot be opened at all.
 */
export function openSqlite(path: string): Sqlite {
  keepPrivate(path);
  const db = new Database(path, { timeout: busyTimeoutMs });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = OFF');
  db.pragma('temp_store = MEMORY');
  // Rows that move between pages leave no bytes behind, which a later deletion for good could not find any more.
  db.pragma('secure_delete = ON');
  return db;
}

function openAddress(address: string): Sqlite {
  const db = new Database(address, { timeout: busyTimeoutMs });
  // The file is opened by the first statement that needs it.
  db.exec('SELECT 1 FROM sqlite_schema LIMIT 1');
  return db;
}

/** Whether commits may lie in the log beside the file: what reads the file alone would not show them. */
const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Opens a database for reading alone. Where SQLite cannot make the files that tell readers of writers, there are no writers, and
 * without a log the file is read as it is. Throws like `openSqlite`, also when there is a log that cannot be read in place.
 */
export function openSqliteReadOnly(path: string): Sqlite {
  const address = `${pathToFileURL(path).href}?mode=ro`;
  try {
    return openAddress(address);
  } catch (error) {
    if (hasLog(path) || !saysUnwritable(error)) throw error;
    return openAddress(`${address}&immutable=1`);
  }
}

/** A query; values as SQLite gives them. */
export interface Query {
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): unknown[];
}

/** A query that can be asked again after it met a damaged page: the driver's own statement gives its first error for ever. */
export function prepareQuery(db: Sqlite, sql: string): Query {
  let statement = db.prepare(sql);
  const run = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      statement = db.prepare(sql);
      throw error;
    }
  };
  return {
    get: (...values) => run(() => statement.get(...values)),
    all: (...values) => run(() => statement.all(...values)),
  };
}

/** Runs `work` in one immediate transaction: kept when it returns, undone when it throws or says `undo`. */
export function transact<T>(db: Sqlite, work: (undo: () => void) => T): T {
  let undone = false;
  db.exec('BEGIN IMMEDIATE');
  try {
    const value = work(() => (undone = true));
    db.exec(undone ? 'ROLLBACK' : 'COMMIT');
    return value;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

function rollBack(db: Sqlite): void {
  try {
    if (db.inTransaction) db.exec('ROLLBACK');
  } catch {
    // The first error is the one worth telling; SQLite ends the transaction itself when it could not be undone.
  }
}

/** Writes a complete copy of the database, for its owner only; `target` must not be there. */
export function copyDatabase(db: Sqlite, target: string): void {
  closeSync(openSync(target, 'wx', privateMode));
  db.prepare('VACUUM INTO ?').run(target);
}
