import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { leasedByAnother } from './append-events';
import { seqSpan } from './event-row';
import { transact, type Sqlite } from './sqlite';
import type { Tables } from './tables';

const notThere = appError('HOST', 'NOT_FOUND', 'There is no such session.');

function mayDelete({ leases }: Tables, sessionId: string, holder: string): Result<null> {
  const lease = leases.holderOf(sessionId);
  if (lease?.holder === holder) return ok(null);
  return err(lease ? leasedByAnother(lease) : notThere);
}

/**
 * Deletes a session for its user, all or nothing, at the same cost for one of any size; `holder` has to be its writer. Its line keeps
 * its id behind a mark until `eraseDeleted` has taken everything else out of the file. Throws `SqliteError`.
 */
export function deleteSession(tables: Tables, sessionId: string, holder: string): Result<null> {
  const { db, sessions, chain, grants } = tables;
  return transact(db, (undo) => {
    const may = mayDelete(tables, sessionId, holder);
    const key = sessions.keyOf(sessionId);
    const done = may.ok && key === null ? err(notThere) : may;
    if (!done.ok || key === null) {
      undo();
      return done;
    }
    chain.forget(sessionId);
    grants.dropOfSession(sessionId);
    sessions.markDeleted(key, sessionId);
    return done;
  });
}

/** What one transaction takes out at most, so that a writer in another process waits for some milliseconds only. */
const bytesPerSlice = 256 * 1024;
const rowsPerSlice = 64;
/** Pages of the index of words that one merge writes. */
const pagesPerMerge = 32;

interface SliceRow {
  readonly id: number;
  readonly bytes: number;
}

/** Runs `erase` on the rows of a table that belong to a session, a slice in each transaction. */
function inSlices(
  db: Sqlite,
  table: 'events' | 'messages',
  key: number,
  pause: () => void,
  erase: Erase,
): void {
  const text = table === 'events' ? 'fact' : 'text';
  const next = db.prepare(
    `SELECT id, octet_length(${text}) AS bytes FROM ${table} WHERE id > ? AND id < ? ORDER BY id LIMIT ${rowsPerSlice}`,
  );
  for (;;) {
    const rows = next.all(key * seqSpan - 1, (key + 1) * seqSpan) as SliceRow[];
    if (rows.length === 0) return;
    let bytes = 0;
    const end = rows.findIndex((row) => (bytes += row.bytes) > bytesPerSlice);
    const slice = end === -1 ? rows : rows.slice(0, end + 1);
    transact(db, () => erase(slice[0]?.id ?? 0, slice.at(-1)?.id ?? 0));
    pause();
  }
}

/** Takes out the rows from the first id to the last. */
type Erase = (firstId: number, lastId: number) => void;

/** Merges the index of words into one, which leaves the forgotten words out of it; a step in each transaction. */
function mergeWords({ db, messages }: Tables, pause: () => void): void {
  const changes = db.prepare('SELECT total_changes() AS count');
  const count = (): number => (changes.get() as { count: number }).count;
  let pages = -pagesPerMerge;
  for (;;) {
    const before = count();
    transact(db, () => messages.merge(pages));
    // By FTS5's contract a merge with nothing left to do changes less than two rows.
    if (count() - before < 2) return;
    pages = pagesPerMerge;
    pause();
  }
}

/** Rewriting a file of this size takes about 50 ms, in which nothing else can be written. */
const rewrittenUpToBytes = 8 * 1024 * 1024;

/**
 * Rewrites the file, so that no fragment of a row stays in the unused gaps of pages it once moved between. A larger file keeps its gaps:
 * while it is rewritten, no process could save anything.
 */
function clearGaps(db: Sqlite, maxBytes: number): void {
  const { bytes } = db
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number };
  if (bytes <= maxBytes) db.exec('VACUUM');
}

/**
 * Takes what is left of deleted sessions out of the file, in short transactions, for a process that may wait; it can be ended at any
 * time and begins again. Why it is not done yet, or null: the marks stay until `finish`. Throws `SqliteError`.
 */
export function eraseRows(
  tables: Tables,
  pause: () => void,
  rewriteUpTo: number = rewrittenUpToBytes,
): string | null {
  const { db, sessions, events, heads, messages, snapshots } = tables;
  const deleted = sessions.deleted();
  if (deleted.length === 0) return null;
  for (const { key, id } of deleted) {
    inSlices(db, 'messages', key, pause, messages.forgetBetween);
    inSlices(db, 'events', key, pause, events.erase);
    transact(db, () => {
      events.dropUnreadable(id);
      heads.drop(key);
      snapshots.drop(id);
    });
    pause();
  }
  mergeWords(tables, pause);
  clearGaps(db, rewriteUpTo);
  // The log still has the pages as they were.
  const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
  return busy === 0 ? null : 'another process reads the sessions file';
}
