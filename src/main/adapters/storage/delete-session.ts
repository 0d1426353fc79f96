import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { leasedByAnother } from './append-events';
import { transact, type Sqlite } from './sqlite';
import { isCorruption } from './storage-failure';
import type { Tables } from './tables';

const notThere = appError('HOST', 'NOT_FOUND', 'There is no such session.');

function mayDelete({ leases }: Tables, sessionId: string, holder: string): Result<null> {
  const lease = leases.holderOf(sessionId);
  if (lease?.holder === holder) return ok(null);
  return err(lease ? leasedByAnother(lease) : notThere);
}

function dropRows(tables: Tables, sessionId: string): Result<null> {
  const { sessions, events, heads, chain, messages, snapshots, grants } = tables;
  const key = sessions.keyOf(sessionId);
  if (key === null) return err(notThere);
  messages.forget(key);
  messages.compact();
  events.drop(key, sessionId);
  heads.drop(key);
  chain.forget(sessionId);
  snapshots.drop(sessionId);
  grants.dropOfSession(sessionId);
  sessions.drop(key, sessionId);
  return ok(null);
}

/**
 * Takes everything the file holds of a session out of it, all or nothing; `holder` has to be its writer. What was there is
 * overwritten: otherwise it could be read from the file's free pages, and salvage would bring it back. Throws `SqliteError`.
 */
export function deleteSession(tables: Tables, sessionId: string, holder: string): Result<null> {
  const { db } = tables;
  const deleted = transact(db, (undo) => {
    const may = mayDelete(tables, sessionId, holder);
    const done = may.ok ? dropRows(tables, sessionId) : may;
    if (!done.ok) undo();
    return done;
  });
  // The log still has the pages as they were; another process that reads keeps it until the next checkpoint.
  if (deleted.ok) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return deleted;
}

/** Rewriting a file of this size takes about a second, in which nothing else can be written. */
const rewrittenUpToBytes = 64 * 1024 * 1024;

/**
 * Rewrites the file after a deletion, so that no fragment of a row stays in the unused gaps of pages it once moved between. A larger
 * file keeps its gaps: while it is rewritten, no process could save anything.
 */
export function clearGaps(db: Sqlite): void {
  const { bytes } = db
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number };
  if (bytes > rewrittenUpToBytes) return;
  try {
    db.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    // The session is gone all the same; another process uses the file, or the disk has no room for a second one.
    if (isCorruption(error)) throw error;
  }
}
