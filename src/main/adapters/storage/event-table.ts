import { eventSchemaVersion, type SessionEvent } from '#shared/session-event';
import { seqSpan, toRow } from './event-row';
import { packedRowSql, unpackEvents } from './packed-events';
import type { Sqlite } from './sqlite';
import { textOf, type StoredText } from './stored-text';

/** Events in order, up to the first row that is missing or not what was written. */
export interface EventsRead {
  readonly events: readonly SessionEvent[];
  /** The seq of the first bad row, when there is one before the session's end. */
  readonly hole: number | null;
  /** The version of a row this Patina is too old for. */
  readonly newerVersion: number | null;
}

export interface EventTable {
  insert(key: number, event: SessionEvent): void;
  /** Inserts the event if it follows the session's last one and the session is `holder`'s to write; whether it did. */
  insertNext(key: number, event: SessionEvent, holder: string): boolean;
  /** Events with `afterSeq < seq <= lastSeq`. */
  read(key: number, sessionId: string, range: { afterSeq: number; lastSeq: number }): EventsRead;
  /** Facts of one session as JSON, newest first. */
  newestFirst(key: number): Iterable<string>;
  /** Takes every row after `seq` out of the session and keeps it, as it is, among the unreadable. */
  setAsideAfter(key: number, seq: number, at: number): void;
  /** Deletes every row of the session, those kept among the unreadable included. */
  drop(key: number, sessionId: string): void;
}

/** Rows fetched per query: one long text of many rows crosses from SQLite several times faster than as many rows. */
const rowsPerFetch = 4_096;

/** Rows per step when looking back from a session's end, where what is sought is usually near. */
const rowsPerLook = 64;

const readSql = `
  SELECT CAST(group_concat(line, '') AS BLOB) AS packed FROM (
    SELECT ${packedRowSql} AS line
    FROM events WHERE id > ? AND id <= ? ORDER BY id LIMIT ${rowsPerFetch}
  )`;

type Inserts = Pick<EventTable, 'insert' | 'insertNext'>;

function createInserts(db: Sqlite): Inserts {
  const insert = db.prepare(
    'INSERT INTO events (id, session_id, at, v, sum, fact) VALUES (?, ?, ?, ?, ?, ?)',
  );
  // The question and the row in one statement: an append of a reply's piece costs hardly more than a bare insert.
  const insertNext = db.prepare(
    `INSERT INTO events (id, session_id, at, v, sum, fact) SELECT ?1, ?2, ?3, ?4, ?5, ?6
     WHERE (SELECT coalesce(max(id), ?7) FROM events WHERE id > ?7 AND id < ?8) = ?1 - 1
     AND EXISTS (SELECT 1 FROM leases WHERE session_id = ?2 AND holder = ?9)`,
  );
  return {
    insert(key, event) {
      const row = toRow(event);
      insert.run(key * seqSpan + row.seq, row.sessionId, row.at, row.v, row.sum, row.fact);
    },

    insertNext(key, event, holder) {
      const { sessionId, seq, at, v, sum, fact } = toRow(event);
      const [first, end] = [key * seqSpan, (key + 1) * seqSpan];
      return insertNext.run(first + seq, sessionId, at, v, sum, fact, first, end, holder).changes === 1;
    },
  };
}

/** The statements over `events`; prepared once per connection. */
export function createEventTable(db: Sqlite): EventTable {
  const packs = db.prepare(readSql);
  const newest = db.prepare(
    `SELECT id, CAST(fact AS BLOB) AS fact FROM events WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ${rowsPerLook}`,
  );
  const keepBad = db.prepare(
    `INSERT INTO unreadable (found_at, row)
     SELECT ?, json_array(id % ${seqSpan}, session_id, at, v, sum, fact) FROM events WHERE id > ? AND id < ?`,
  );
  const dropRows = db.prepare('DELETE FROM events WHERE id > ? AND id < ?');
  const dropUnreadable = db.prepare(
    "DELETE FROM unreadable WHERE json_valid(row) AND json_extract(row, '$[1]') = ?",
  );

  const fetch = (from: number, to: number): string => {
    const { packed } = packs.get(from, to) as { packed: StoredText | null };
    return packed === null ? '' : textOf(packed);
  };

  return {
    ...createInserts(db),

    read(key, sessionId, { afterSeq, lastSeq }) {
      const events: SessionEvent[] = [];
      let seq = afterSeq;
      while (seq < lastSeq) {
        const packed = fetch(key * seqSpan + seq, key * seqSpan + lastSeq);
        for (const event of unpackEvents(sessionId, packed)) {
          if (event?.seq !== seq + 1) return { events, hole: seq + 1, newerVersion: null };
          if (event.v > eventSchemaVersion) return { events, hole: null, newerVersion: event.v };
          events.push(event);
          seq += 1;
        }
        if (packed === '') return { events, hole: seq + 1, newerVersion: null };
      }
      return { events, hole: null, newerVersion: null };
    },

    // Fetched in steps, never as an open cursor: a cursor left half-way would keep the log from being checkpointed.
    *newestFirst(key) {
      let before = (key + 1) * seqSpan;
      for (;;) {
        const rows = newest.all(key * seqSpan, before) as { id: number; fact: StoredText }[];
        for (const row of rows) yield textOf(row.fact);
        if (rows.length < rowsPerLook) return;
        before = rows.at(-1)?.id ?? 0;
      }
    },

    setAsideAfter(key, seq, at) {
      keepBad.run(at, key * seqSpan + seq, (key + 1) * seqSpan);
      dropRows.run(key * seqSpan + seq, (key + 1) * seqSpan);
    },

    drop(key, sessionId) {
      dropRows.run(key * seqSpan, (key + 1) * seqSpan);
      dropUnreadable.run(sessionId);
    },
  };
}
