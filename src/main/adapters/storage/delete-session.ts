import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { heldByAnother } from './append-events';
import { transact } from './sqlite';
import type { Tables } from './tables';

const notThere = appError('HOST', 'NOT_FOUND', 'There is no such session.');

function mayDelete({ leases }: Tables, sessionId: string, holder: string): Result<null> {
  const lease = leases.holderOf(sessionId);
  if (lease?.holder === holder) return ok(null);
  return err(lease ? heldByAnother(lease) : notThere);
}

function dropRows(tables: Tables, sessionId: string): Result<null> {
  const { sessions, events, heads, chain, messages, snapshots, grants } = tables;
  const key = sessions.keyOf(sessionId);
  if (key === null) return err(notThere);
  messages.forget(key);
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
  db.pragma('secure_delete = ON');
  try {
    tables.messages.deleteForGood();
    const deleted = transact(db, (undo) => {
      const may = mayDelete(tables, sessionId, holder);
      const done = may.ok ? dropRows(tables, sessionId) : may;
      if (!done.ok) undo();
      return done;
    });
    // The log still has the pages as they were; another process that reads keeps it until the next checkpoint.
    if (deleted.ok) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return deleted;
  } finally {
    db.pragma('secure_delete = OFF');
  }
}
