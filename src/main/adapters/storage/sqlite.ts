import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { saysUnwritable } from './storage-failure';

/**
 * One connection to the sessions database. Every operation on it may throw a `SqliteError`; only
 * `connection.ts` catches.
 */
export type Sqlite = Database.Database;

/** How long a writer waits for another process's transaction; Patina's transactions take milliseconds. */
const busyTimeoutMs = 2_000;

/** Owner access only, whatever the umask of the process is. */
const privateMode = 0o600;

/**
 * Creates a missing database file for its owner only, and tightens the mode of existing files; SQLite gives a
 * log the mode of its file. Does not open an existing file: closing any descriptor of it would drop this
 * process's locks on it.
 */
export function makePrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', privateMode));
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      if (existsSync(file)) chmodSync(file, privateMode);
    } catch {
      // Another user's file, or a file system without modes: its owner decides who reads it.
    }
  }
}

/**
 * Opens a database with Patina's durability guarantees: a write-ahead log, synced at every commit. Throws
 * `SqliteError`, or a plain `Error` that ends in SQLite's number when the file cannot be opened at all.
 */
export function openSqlite(path: string): Sqlite {
  makePrivate(path);
  const db = new Database(path, { timeout: busyTimeoutMs });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = OFF');
  db.pragma('temp_store = MEMORY');
  // Rows that move between pages leave no bytes behind, which a later permanent deletion could not find.
  db.pragma('secure_delete = ON');
  return db;
}

function openAddress(address: string): Sqlite {
  const db = new Database(address, { timeout: busyTimeoutMs });
  // SQLite opens the file at the first statement that needs it.
  db.exec('SELECT 1 FROM sqlite_schema LIMIT 1');
  return db;
}

/** Whether the log may contain commits, which a read of the file alone would miss. */
const hasLog = (path: string): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Opens a database read-only. Where SQLite cannot create its shared-memory files there are no writers, so a
 * file without a log is read as it is. Throws like `openSqlite`, also when a log exists that cannot be read
 * in place.
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

/** A query; returns values as SQLite provides them. */
export interface Query {
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): unknown[];
}

/**
 * A query that can run again after it met a damaged page: the driver's own statement repeats its first error
 * forever.
 */
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

/**
 * Runs `work` in one immediate transaction: commits when it returns, rolls back when it throws or calls
 * `undo`.
 */
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
    // Report the first error; SQLite ends the transaction itself when the rollback fails.
  }
}

/** Writes a complete copy of the database, for its owner only; `target` must not exist. */
export function copyDatabase(db: Sqlite, target: string): void {
  closeSync(openSync(target, 'wx', privateMode));
  db.prepare('VACUUM INTO ?').run(target);
}
