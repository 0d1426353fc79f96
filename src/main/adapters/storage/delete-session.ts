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
 * Deletes a session, all or nothing, at a cost independent of its size; `holder` must be its writer. Its row
 * keeps its id behind a mark until `eraseDeleted` has removed everything else from the file. Throws
 * `SqliteError`.
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

/**
 * Maximum bytes that one transaction erases, so that a writer in another process waits only a few
 * milliseconds.
 */
const bytesPerSlice = 256 * 1024;
const rowsPerSlice = 64;
/** Pages of the full-text index that one merge writes. */
const pagesPerMerge = 32;

interface SliceRow {
  readonly id: number;
  readonly bytes: number;
}

/** Runs `erase` on the rows of a table that belong to a session, one slice per transaction. */
function mapYielding(
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

/** Erases the rows from the first id to the last, both included. */
type Erase = (firstId: number, lastId: number) => void;

/** Merges the full-text index completely, which drops the deleted words; one step per transaction. */
function mergeWords({ db, messages }: Tables, pause: () => void): void {
  const changes = db.prepare('SELECT total_changes() AS count');
  const count = (): number => (changes.get() as { count: number }).count;
  let pages = -pagesPerMerge;
  for (;;) {
    const before = count();
    transact(db, () => messages.merge(pages));
    // By the FTS5 contract, a merge with nothing left to do changes fewer than two rows.
    if (count() - before < 2) return;
    pages = pagesPerMerge;
    pause();
  }
}

/** Maximum file size to rewrite: about 50 ms, during which nothing else can write. */
const rewrittenUpToBytes = 8 * 1024 * 1024;

/**
 * Rewrites the file so that no row fragment remains in unused gaps of pages. A larger file keeps its gaps: no
 * process could save anything during the rewrite.
 */
function clearGaps(db: Sqlite, maxBytes: number): void {
  const { bytes } = db
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number };
  if (bytes <= maxBytes) db.exec('VACUUM');
}

/**
 * Erases the remaining rows of deleted sessions in short transactions, for a process that may wait; it can be
 * stopped at any time and resumes on the next run. Returns why the work is incomplete, or null: the marks
 * stay until `finish`. Throws `SqliteError`.
 */
export function eraseRows(
  tables: Tables,
  pause: () => void,
  rewriteUpTo: number = rewrittenUpToBytes,
): string | null {
  const { db, sessions, events, heads, messages, runs, snapshots, usage } = tables;
  const deleted = sessions.deleted();
  if (deleted.length === 0) return null;
  for (const { key, id } of deleted) {
    mapYielding(db, 'messages', key, pause, messages.forgetBetween);
    mapYielding(db, 'events', key, pause, events.erase);
    transact(db, () => {
      events.dropUnreadable(id);
      heads.drop(key);
      snapshots.drop(id);
      runs.dropOfSession(id);
      usage.dropSession(id);
    });
    pause();
  }
  mergeWords(tables, pause);
  clearGaps(db, rewriteUpTo);
  // The log still contains the pages as they were.
  const { busy } = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
  return busy === 0 ? null : 'another process reads the sessions file';
}
