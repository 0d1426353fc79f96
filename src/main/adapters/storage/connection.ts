import { statSync } from 'node:fs';
import { appError } from '#shared/app-error';
import { err, type Result } from '#shared/result';
import { failureText, storageFailure } from './storage-failure';
import type { Sqlite } from './sqlite';
import type { Tables } from './tables';

export interface ConnectionDeps {
  readonly path: string;
  /** Opens, checks, salvages and migrates the file; throws when it cannot be had. */
  readonly open: (path: string) => Tables;
}

/** The way to the database that turns everything it throws into a HOST/STORAGE value. */
export interface Connection {
  /** Runs `work` on the open database, opening it first when it is not: a disk that was full at start may have room by now. */
  use<T>(doing: string, work: (tables: Tables) => Result<T>): Result<T>;
  close(): void;
}

/** Which file a path leads to; a file moved away or replaced under an open connection has another one. */
function fileIdentity(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : null;
}

function closeQuietly(db: Sqlite, checkpoint: boolean): void {
  try {
    // Prepared statements keep the file open until they are collected, so the log is emptied here and not by the close.
    if (checkpoint) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
  } catch {
    // Everything acknowledged is in the log already; the next start checkpoints it.
  }
}

/** A connection that opens on first use, and keeps the one file it opened. */
export function createConnection({ path, open }: ConnectionDeps): Connection {
  let tables: Tables | null = null;
  let identity: string | null = null;
  let closed = false;

  const current = (): Tables => {
    if (tables && fileIdentity(path) !== identity) {
      // Writing on into a file that no longer has the name would acknowledge what the next start cannot find; and opening the
      // new one from here is no way out, as the old one's late close would remove the new one's log.
      throw new Error('The sessions file was moved or replaced while Patina ran. Restart Patina.');
    }
    if (!tables) {
      tables = open(path);
      identity = fileIdentity(path);
    }
    return tables;
  };

  const mendIndex = (): void => {
    tables?.db.exec("INSERT INTO message_words (message_words) VALUES ('rebuild')");
  };

  const attempt = <T>(work: (tables: Tables) => Result<T>): Result<T> => {
    try {
      return work(current());
    } catch (error) {
      // The index is derived from the messages: a broken one is made anew and must not stop the record.
      if (!failureText(error).includes('SQLITE_CORRUPT_VTAB')) throw error;
      mendIndex();
      return work(current());
    }
  };

  return {
    use(doing, work) {
      if (closed) return err(appError('HOST', 'STATE', `Could not ${doing}: the session store is closed.`));
      try {
        return attempt(work);
      } catch (error) {
        return err(storageFailure(doing, error));
      }
    },
    close() {
      closed = true;
      if (tables) closeQuietly(tables.db, fileIdentity(path) === identity);
      tables = null;
    },
  };
}
