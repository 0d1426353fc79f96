import { statSync } from 'node:fs';
import { appError, type AppError } from '#shared/app-error';
import { err, type Result } from '#shared/result';
import type { ReadOnlyStore } from '../../../core/ports/session-store';
import { noteDoubt } from './database-users';
import { failureText, isCorruption, saysUnwritable, storageFailure } from './storage-failure';
import type { Sqlite } from './sqlite';
import type { Tables } from './tables';

/** The open database, and the reason when it is read-only. */
export interface Opening {
  readonly tables: Tables;
  readonly readOnly: ReadOnlyStore | null;
}

export interface ConnectionDeps {
  readonly path: string;
  /** Opens, checks, salvages and migrates the file; throws when it cannot be opened. */
  readonly open: (path: string) => Opening;
  /** Called when the file was opened read-only, and with null once it becomes writable. */
  readonly onReadOnly: (readOnly: ReadOnlyStore | null) => void;
}

/** Access to the database that converts every exception into a HOST/STORAGE value. */
export type Connection = ReturnType<typeof createConnection>;

/** Identifies the file at a path; the identity changes when the file is moved or replaced while open. */
function fileIdentity(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : null;
}

function closeQuietly(db: Sqlite, checkpoint: boolean): void {
  try {
    // Prepared statements keep the file open until garbage collection, so the log is emptied here and not on
    // close.
    if (checkpoint) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
  } catch {
    // The log already contains everything acknowledged; the next start checkpoints it.
  }
}

/** A connection that opens the file on first use and never switches to another file. */
export function createConnection({ path, open, onReadOnly }: ConnectionDeps) {
  let tables: Tables | null = null;
  let readOnly: ReadOnlyStore | null = null;
  let identity: string | null = null;
  let closed = false;

  const current = (): Tables => {
    if (tables && fileIdentity(path) !== identity) {
      // Writing to a file that lost its name would acknowledge data that the next start cannot find. Opening
      // the new file from here is unsafe too: closing the old one later would remove the new one's log.
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
      // The index is derived from the messages: a broken one is rebuilt and must not stop the event log.
      if (!failureText(error).includes('SQLITE_CORRUPT_VTAB')) throw error;
      mendIndex();
      return work(current());
    }
  };

  const failure = (doing: string, error: unknown): AppError => {
    // The next start reads every page and salvages the readable rows.
    if (isCorruption(error)) noteDoubt(path, 'damage');
    if (!readOnly || !saysUnwritable(error)) return storageFailure(doing, error, path);
    const { reason, hint } = readOnly;
    return appError('HOST', 'STORAGE', `Could not ${doing}. ${reason}`, { hint, retryable: true });
  };

  return {
    /**
     * Runs `work` on the database, opening it first if necessary: a disk that was full at start may have room
     * by now.
     */
    use<T>(doing: string, work: (tables: Tables) => Result<T>): Result<T> {
      if (closed) return err(appError('HOST', 'STATE', `Could not ${doing}: the session store is closed.`));
      try {
        return attempt(work);
      } catch (error) {
        return err(failure(doing, error));
      }
    },
    /** Tries to reopen a read-only file for writing. */
    retryWriting(): void {
      if (closed || !tables || !readOnly) return;
      try {
        const opened = open(path);
        const unused = opened.readOnly ? opened.tables : tables;
        if (!opened.readOnly) {
          ({ tables, readOnly } = opened);
          // A read-only home may have had no file; this attempt created it.
          identity ??= fileIdentity(path);
          onReadOnly(null);
        }
        closeQuietly(unused.db, false);
      } catch {
        // Reads continue as before until the next attempt.
      }
    },
    close(): void {
      closed = true;
      if (tables) closeQuietly(tables.db, !readOnly && fileIdentity(path) === identity);
      tables = null;
    },
  };
}
