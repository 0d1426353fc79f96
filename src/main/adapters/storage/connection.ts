import { statSync } from 'node:fs';
import { appError, type AppError } from '#shared/app-error';
import { err, type Result } from '#shared/result';
import type { ReadOnlyStore } from '../../../core/ports/session-store';
import { noteDoubt } from './database-users';
import { failureText, isCorruption, saysUnwritable, storageFailure } from './storage-failure';
import type { Sqlite } from './sqlite';
import type { Tables } from './tables';

/** The database as it was opened, and why for reading alone when it was. */
export interface Opening {
  readonly tables: Tables;
  readonly readOnly: ReadOnlyStore | null;
}

export interface ConnectionDeps {
  readonly path: string;
  /** Opens, checks, salvages and migrates the file; throws when it cannot be had. */
  readonly open: (path: string) => Opening;
  /** Called when the file was opened for reading alone, and with null once it can be written after that. */
  readonly onReadOnly: (readOnly: ReadOnlyStore | null) => void;
}

/** The way to the database that turns everything it throws into a HOST/STORAGE value. */
export interface Connection {
  /** Runs `work` on the open database, opening it first when it is not: a disk that was full at start may have room by now. */
  use<T>(doing: string, work: (tables: Tables) => Result<T>): Result<T>;
  /** Tries to open for writing what was opened for reading alone. */
  retryWriting(): void;
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
export function createConnection({ path, open, onReadOnly }: ConnectionDeps): Connection {
  let tables: Tables | null = null;
  let readOnly: ReadOnlyStore | null = null;
  let identity: string | null = null;
  let closed = false;

  const current = (): Tables => {
    if (tables && fileIdentity(path) !== identity) {
      // Writing on into a file that no longer has the name would acknowledge what the next start cannot find; and opening the
      // new one from here is no way out, as the old one's late close would remove the new one's log.
      throw new Error('The sessions file was moved or replaced while Patina ran. Restart Patina.');
    }
    if (!tables) {
      ({ tables, readOnly } = open(path));
      identity = fileIdentity(path);
      if (readOnly) onReadOnly(readOnly);
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

  const failure = (doing: string, error: unknown): AppError => {
    // The next start reads every page and saves what can be read.
    if (isCorruption(error)) noteDoubt(path, 'damage');
    if (!readOnly || !saysUnwritable(error)) return storageFailure(doing, error, path);
    const { reason, hint } = readOnly;
    return appError('HOST', 'STORAGE', `Could not ${doing}. ${reason}`, { hint, retryable: true });
  };

  return {
    use(doing, work) {
      if (closed) return err(appError('HOST', 'STATE', `Could not ${doing}: the session store is closed.`));
      try {
        return attempt(work);
      } catch (error) {
        return err(failure(doing, error));
      }
    },
    retryWriting() {
      if (closed || !tables || !readOnly) return;
      try {
        const opened = open(path);
        const unused = opened.readOnly ? opened.tables : tables;
        if (!opened.readOnly) {
          ({ tables, readOnly } = opened);
          onReadOnly(null);
        }
        closeQuietly(unused.db, false);
      } catch {
        // It is read as before until the next try.
      }
    },
    close() {
      closed = true;
      if (tables) closeQuietly(tables.db, !readOnly && fileIdentity(path) === identity);
      tables = null;
    },
  };
}
