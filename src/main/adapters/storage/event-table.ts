import { isIntact, seqSpan, type EventRow } from './event-row';
import { prepareQuery, type Sqlite } from './sqlite';
import { isCorruption } from './storage-failure';
import { textOf, type StoredText } from './stored-text';
import { crc32 } from 'node:zlib';

/**
 * One row of `events` as five lines: sum, seq, at, v, fact. The last four form the text that `rowSum` covers,
 * so a row is checked in place. A fact is JSON text without line breaks; if it contains one, the check fails.
 */
const packedRowSql = `sum || char(10) || (id % ${seqSpan}) || char(10) || at || char(10) || v || char(10) || fact || char(10)`;

/** The rows of a pack in order; null for a damaged row, after which the start of the next row is unknown. */
function* unpackRows(sessionId: string, packed: string): Generator<EventRow | null> {
  const sumSoFar = crc32(`${sessionId}\n`);
  let start = 0;
  while (start < packed.length) {
    const seqAt = packed.indexOf('\n', start) + 1;
    const atAt = packed.indexOf('\n', seqAt) + 1;
    const vAt = packed.indexOf('\n', atAt) + 1;
    const factAt = packed.indexOf('\n', vAt) + 1;
    const end = packed.indexOf('\n', factAt);
    const sum = Number(packed.slice(start, seqAt - 1));
    if (end === -1 || crc32(packed.slice(seqAt, end), sumSoFar) !== sum) {
      yield null;
      return;
    }
    yield {
      sessionId,
      seq: Number(packed.slice(seqAt, atAt - 1)),
      at: Number(packed.slice(atAt, vAt - 1)),
      v: Number(packed.slice(vAt, factAt - 1)),
      sum,
      fact: packed.slice(factAt, end),
    };
    start = end + 1;
  }
}

interface SeqBounds {
  readonly afterSeq: number;
  readonly lastSeq: number;
}

/** A row as the file stores it; its checksum may not match. */
export interface RawRow {
  readonly id: number;
  readonly sessionId: StoredText;
  readonly at: number;
  readonly v: number;
  readonly sum: number;
  readonly fact: StoredText;
}

/** The intact rows of a range of seqs. */
export interface RowRange {
  readonly rows: readonly EventRow[];
  /**
   * What reading the range cost, in characters that could have been read instead; damaged and missing rows
   * cost more than intact ones.
   */
  readonly cost: number;
}

export interface EventTable {
  insert(key: number, row: EventRow): void;
  /**
   * Inserts the row if it follows the session's last one and `holder` has the session's lease; returns
   * whether it did.
   */
  insertNext(key: number, row: EventRow, holder: string): boolean;
  /** Writes the row at its id and replaces any row there. */
  put(key: number, row: EventRow): void;
  /** The intact rows with `afterSeq < seq <= lastSeq`, in order; damaged and missing rows are omitted. */
  intact(key: number, sessionId: string, bounds: SeqBounds): Iterable<EventRow>;
  /** Like `intact`, range by range with what each cost, for a reader that may stop early. */
  ranges(key: number, sessionId: string, bounds: SeqBounds): Iterable<RowRange>;
  /** One row, or null when it is missing or damaged. */
  find(key: number, sessionId: string, seq: number): EventRow | null;
  /** The seq of the session's last row; 0 when it has none. */
  lastSeq(key: number): number;
  /** Like `lastSeq`, for a reader; also 0 when the page of that row is damaged. */
  readableEnd(key: number): number;
  /** The intact rows of a session, newest first. */
  newestFirst(key: number, sessionId: string): Iterable<EventRow>;
  /** Deletes one row. */
  remove(key: number, seq: number): void;
  /** Deletes rows by id, both included; none of their bytes stay readable in the file. */
  erase(firstId: number, lastId: number): void;
  /** Deletes the session's rows in the table of unreadable rows. */
  dropUnreadable(sessionId: string): void;
}

/** Rows per query: SQLite returns one long text of many rows several times faster than as many rows. */
const rowsPerFetch = 4_096;

/**
 * Rows per query for a reader that may stop soon: one that reads back from the end, or only a limited
 * distance.
 */
const rowsPerLook = 64;

/** Cost of examining a row beside its text, in characters. */
export const charsPerRow = 100;

/** Cost of a query for a single row, in characters. */
const charsPerFind = 1_000;

const readSql = `
  SELECT CAST(group_concat(line, '') AS BLOB) AS packed FROM (
    SELECT ${packedRowSql} AS line
    FROM events WHERE id > ? AND id <= ? ORDER BY id
  )`;

const rawColumns = 'id, CAST(session_id AS BLOB) AS sessionId, at, v, sum, CAST(fact AS BLOB) AS fact';

type Inserts = Pick<EventTable, 'insert' | 'insertNext' | 'put'>;

function createInserts(db: Sqlite): Inserts {
  const columns = '(id, session_id, at, v, sum, fact)';
  const insert = db.prepare(`INSERT INTO events ${columns} VALUES (?, ?, ?, ?, ?, ?)`);
  const put = db.prepare(`INSERT OR REPLACE INTO events ${columns} VALUES (?, ?, ?, ?, ?, ?)`);
  // Checks and inserts in one statement, so appending a reply piece costs hardly more than a bare insert.
  // After a truncated end, the session continues after the last recorded event, whose row is gone.
  const insertNext = db.prepare(
    `INSERT INTO events ${columns} SELECT ?1, ?2, ?3, ?4, ?5, ?6
     WHERE ((SELECT coalesce(max(id), ?7) FROM events WHERE id > ?7 AND id < ?8) = ?1 - 1
       OR (EXISTS (SELECT 1 FROM heads WHERE key = ?10 AND seq = ?1 - ?7 - 1)
         AND NOT EXISTS (SELECT 1 FROM events WHERE id >= ?1 AND id < ?8)))
     AND EXISTS (SELECT 1 FROM leases WHERE session_id = ?2 AND holder = ?9)`,
  );
  const values = (key: number, { seq, sessionId, at, v, sum, fact }: EventRow) =>
    [key * seqSpan + seq, sessionId, at, v, sum, fact] as const;
  return {
    insert: (key, row) => void insert.run(...values(key, row)),
    put: (key, row) => void put.run(...values(key, row)),
    insertNext(key, row, holder) {
      const [first, end] = [key * seqSpan, (key + 1) * seqSpan];
      return insertNext.run(...values(key, row), first, end, holder, key).changes === 1;
    },
  };
}

/** Decodes the row whatever it contains: the checksum decides whether it is intact. */
export const rowOf = (raw: RawRow, sessionId: string): EventRow => ({
  sessionId,
  seq: raw.id % seqSpan,
  at: raw.at,
  v: raw.v,
  sum: raw.sum,
  fact: textOf(raw.fact),
});

/**
 * Consecutive empty ranges after the last row found in which the reader still queries each row by its number.
 */
const emptyStretches = 4;

/**
 * Reads a session's rows in ranges: a whole range per query while its rows are intact, row by row when one is
 * missing. A damaged number in a page ends a range query early without an error; a query for the single row
 * still finds it.
 */
function createReads(db: Sqlite, onDamage: () => void): Pick<EventTable, 'intact' | 'ranges' | 'find'> {
  const packs = prepareQuery(db, readSql);
  const one = prepareQuery(db, `SELECT ${rawColumns} FROM events WHERE id = ?`);

  const find = (key: number, sessionId: string, seq: number): EventRow | null => {
    try {
      const raw = one.get(key * seqSpan + seq) as RawRow | undefined;
      const row = raw ? rowOf(raw, sessionId) : null;
      return row && isIntact(row) ? row : null;
    } catch (error) {
      // A row whose bytes make SQLite report corruption counts as damaged, like one with a wrong checksum;
      // its neighbors are readable.
      if (!isCorruption(error)) throw error;
      onDamage();
      return null;
    }
  };

  /** The rows before the first damaged one. */
  const packAfter = (key: number, sessionId: string, { afterSeq, lastSeq }: SeqBounds): RowRange => {
    const rows: EventRow[] = [];
    let cost = (lastSeq - afterSeq) * charsPerRow;
    try {
      const { packed } = packs.get(key * seqSpan + afterSeq, key * seqSpan + lastSeq) as {
        packed: StoredText | null;
      };
      const text = packed === null ? '' : textOf(packed);
      cost += text.length;
      for (const row of unpackRows(sessionId, text)) {
        if (!row) break;
        rows.push(row);
      }
    } catch (error) {
      if (!isCorruption(error)) throw error;
      onDamage();
    }
    return { rows, cost };
  };

  const oneByOne = (key: number, sessionId: string, { afterSeq, lastSeq }: SeqBounds): EventRow[] => {
    const rows: EventRow[] = [];
    for (let seq = afterSeq + 1; seq <= lastSeq; seq += 1) {
      const row = find(key, sessionId, seq);
      if (row) rows.push(row);
    }
    return rows;
  };

  function* ranges(
    key: number,
    sessionId: string,
    { afterSeq, lastSeq }: SeqBounds,
    rowsAtOnce: number,
  ): Generator<RowRange> {
    let empty = 0;
    for (let seq = afterSeq; seq < lastSeq; seq += rowsAtOnce) {
      const bounds = { afterSeq: seq, lastSeq: Math.min(lastSeq, seq + rowsAtOnce) };
      const rowCount = bounds.lastSeq - seq;
      const pack = packAfter(key, sessionId, bounds);
      const whole = pack.rows.length === rowCount || empty >= emptyStretches;
      const range = whole
        ? pack
        : { rows: oneByOne(key, sessionId, bounds), cost: pack.cost + rowCount * charsPerFind };
      empty = range.rows.length === 0 ? empty + 1 : 0;
      yield range;
    }
  }

  return {
    find,
    ranges: (key, sessionId, bounds) => ranges(key, sessionId, bounds, rowsPerLook),
    *intact(key, sessionId, bounds) {
      for (const { rows } of ranges(key, sessionId, bounds, rowsPerFetch)) yield* rows;
    },
  };
}

/**
 * The statements over `events`; prepared once per connection. Calls `onDamage` when a read skips a page that
 * SQLite cannot use.
 */
export function createEventTable(db: Sqlite, onDamage: () => void): EventTable {
  const newest = prepareQuery(
    db,
    `SELECT ${rawColumns} FROM events WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ${rowsPerLook}`,
  );
  const last = prepareQuery(db, 'SELECT coalesce(max(id), ?1) AS id FROM events WHERE id > ?1 AND id < ?2');
  const remove = db.prepare('DELETE FROM events WHERE id = ?');
  const eraseRows = db.prepare('DELETE FROM events WHERE id >= ? AND id <= ?');
  // SQLite moves rows during deletions and does not clear their old place, so the text is blanked in place
  // first.
  const blank = db.prepare(
    `UPDATE events SET fact = substr(hex(zeroblob(length(CAST(fact AS BLOB)) / 2 + 1)), 1, length(CAST(fact AS BLOB)))
     WHERE id >= ? AND id <= ?`,
  );
  const dropUnreadable = db.prepare(
    "DELETE FROM unreadable WHERE json_valid(row) AND json_extract(row, '$[1]') = ?",
  );

  const lastSeq = (key: number): number =>
    (last.get(key * seqSpan, (key + 1) * seqSpan) as { id: number }).id - key * seqSpan;

  return {
    ...createInserts(db),
    ...createReads(db, onDamage),
    lastSeq,

    readableEnd(key) {
      try {
        return lastSeq(key);
      } catch (error) {
        if (!isCorruption(error)) throw error;
        onDamage();
        return 0;
      }
    },

    // Fetches in batches and never as an open cursor: an unfinished cursor would prevent a checkpoint of the
    // log.
    *newestFirst(key, sessionId) {
      let before = (key + 1) * seqSpan;
      for (;;) {
        const rows = newest.all(key * seqSpan, before) as RawRow[];
        yield* rows.map((raw) => rowOf(raw, sessionId)).filter(isIntact);
        if (rows.length < rowsPerLook) return;
        before = rows.at(-1)?.id ?? 0;
      }
    },

    remove: (key, seq) => void remove.run(key * seqSpan + seq),

    erase(firstId, lastId) {
      blank.run(firstId, lastId);
      eraseRows.run(firstId, lastId);
    },
    dropUnreadable: (sessionId) => void dropUnreadable.run(sessionId),
  };
}
