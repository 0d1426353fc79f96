import Database from 'libsql';

/** One connection to the sessions database. Everything on it may throw a `SqliteError`; only `connection.ts` catches. */
export type Sqlite = Database.Database;

/** How long a writer waits for another process's transaction; ours take milliseconds. */
const busyTimeoutMs = 2_000;

/**
 * Opens a database with the promises Patina makes: a write-ahead log, synced at every commit.
 * Throws `SqliteError`, or a plain `Error` ending in SQLite's number when the file cannot be opened at all.
 */
export function openSqlite(path: string): Sqlite {
  const db = new Database(path, { timeout: busyTimeoutMs });
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = OFF');
  db.pragma('temp_store = MEMORY');
  return db;
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
