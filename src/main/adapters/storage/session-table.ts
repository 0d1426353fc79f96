import type { SessionSummary } from '#shared/session-state';
import { seqSpan } from './event-row';
import { prepareQuery, type Sqlite } from './sqlite';
import { isCorruption } from './storage-failure';
import { textOf, type StoredText } from './stored-text';

export interface SessionRow {
  readonly key: number;
  /** The seq of the session's last row. */
  readonly lastSeq: number;
  /** The last seq according to the session's own row; larger than `lastSeq` if the end is missing. */
  readonly claimedSeq: number;
  readonly summary: SessionSummary;
}

interface StoredRow {
  readonly key: number;
  readonly id: StoredText;
  readonly last_seq: number;
  readonly claimed: number;
  readonly title: StoredText;
  readonly project: StoredText | null;
  readonly archived: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly turn_count: number;
  readonly pinned: number | null;
  readonly unread: number | null;
  readonly failed: number | null;
}

export interface DeletedSession {
  readonly key: number;
  readonly id: string;
}

/** Prefix of the id of a deleted session until its rows are erased. */
export const deletedMark = 'deleted:';

export type SessionTable = ReturnType<typeof createSessionTable>;

const lastRow = `(SELECT coalesce(max(events.id) % ${seqSpan}, 0) FROM events
    WHERE events.id > sessions.key * ${seqSpan} AND events.id < (sessions.key + 1) * ${seqSpan})`;
const columnsWith = (
  lastSeq: string,
): string => `sessions.key AS key, CAST(id AS BLOB) AS id, sessions.last_seq AS claimed,
  ${lastSeq} AS last_seq, CAST(title AS BLOB) AS title, CAST(project AS BLOB) AS project,
  archived, created_at, updated_at, turn_count, pinned, unread, failed`;

function fromStored(row: StoredRow): SessionRow {
  const { archived, created_at: createdAt, updated_at: updatedAt } = row;
  return {
    key: row.key,
    lastSeq: row.last_seq,
    claimedSeq: row.claimed,
    summary: {
      id: textOf(row.id),
      title: textOf(row.title),
      project: row.project && textOf(row.project),
      archived: archived === 1,
      createdAt,
      updatedAt,
      turnCount: row.turn_count,
      marks: { pinned: row.pinned === 1, unread: row.unread === 1, failed: row.failed === 1 },
    },
  };
}

/** The statements over `sessions`: one row per session, always changed in the transaction of its events. */
export function createSessionTable(db: Sqlite, onDamage: () => void) {
  const prepared = (tail: string): ((...values: string[]) => readonly StoredRow[]) => {
    const [exact, claimed] = [lastRow, 'sessions.last_seq'].map((lastSeq) =>
      prepareQuery(
        db,
        `SELECT ${columnsWith(lastSeq)} FROM sessions LEFT JOIN marks ON marks.key = sessions.key WHERE ${tail}`,
      ),
    );
    return (...values) => {
      try {
        return exact?.all(...values) as StoredRow[];
      } catch (error) {
        if (!isCorruption(error)) throw error;
        onDamage();
        // The page of a session's last row is damaged, so `last_seq` of each session row says how far it
        // reaches.
        return claimed?.all(...values) as StoredRow[];
      }
    };
  };
  const rowsOf = prepared('id = ?');
  const find = (id: string): StoredRow | undefined => rowsOf(id)[0];
  const list = prepared('last_seq > 0 ORDER BY updated_at DESC, sessions.key DESC');
  const add = db.prepare(
    `INSERT INTO sessions (id, last_seq, title, archived, created_at, updated_at, turn_count)
     VALUES (?, 0, '', 0, 0, 0, 0)`,
  );
  const write = db.prepare(
    `UPDATE sessions SET last_seq = ?, title = ?, project = ?, archived = ?, created_at = ?, updated_at = ?,
     turn_count = ? WHERE key = ?`,
  );
  const drop = db.prepare('DELETE FROM sessions WHERE key = ?');
  const writeMarks = db.prepare(
    'INSERT OR REPLACE INTO marks (key, pinned, unread, failed) VALUES (?, ?, ?, ?)',
  );
  const unmark = db.prepare('DELETE FROM marks WHERE key = ?');
  // This seq hides the session from every list and search.
  const markRead = db.prepare(
    "UPDATE sessions SET id = ?, last_seq = 0, title = '', project = NULL WHERE key = ?",
  );
  const deleted = db.prepare(
    `SELECT key, CAST(id AS BLOB) AS id FROM sessions WHERE id >= '${deletedMark}' AND id < 'deleted;' AND last_seq = 0`,
  );
  // A session's key never changes; only a rolled-back `add` could make an entry wrong, so `add` caches
  // nothing.
  const keys = new Map<string, number>();
  return {
    keyOf(id: string): number | null {
      const known = keys.get(id);
      if (known !== undefined) return known;
      const row = find(id);
      if (row && row.last_seq > 0) keys.set(id, row.key);
      return row?.key ?? null;
    },
    find(id: string): SessionRow | null {
      const row = find(id);
      return row ? fromStored(row) : null;
    },
    list: (): readonly SessionSummary[] => list().map((row) => fromStored(row).summary),
    /** Adds a session without events; returns its key. */
    add: (id: string): number => Number(add.run(id).lastInsertRowid),
    write(key: number, lastSeq: number, summary: SessionSummary): void {
      const { title, project, archived, createdAt, updatedAt, turnCount, marks } = summary;
      write.run(lastSeq, title, project, archived ? 1 : 0, createdAt, updatedAt, turnCount, key);
      const bits = [marks.pinned, marks.unread, marks.failed].map(Number);
      if (bits.includes(1)) writeMarks.run(key, ...bits);
      else unmark.run(key);
    },
    /** Hides the session from every reader; its row keeps its id so that the remaining rows can be erased. */
    markDeleted(key: number, id: string): void {
      keys.delete(id);
      markRead.run(deletedMark + id, key);
    },
    /** Sessions marked as deleted, with their original ids. */
    deleted: (): readonly DeletedSession[] =>
      (deleted.all() as { key: number; id: StoredText }[]).map(({ key, id }) => ({
        key,
        id: textOf(id).slice(deletedMark.length),
      })),
    /** Deletes the row of a session marked as deleted; its key may be reused. */
    drop(key: number): void {
      drop.run(key);
      unmark.run(key);
    },
    /** Clears the cached key of a session, which another process may have deleted. */
    forget: (id: string): void => void keys.delete(id),
  };
}
