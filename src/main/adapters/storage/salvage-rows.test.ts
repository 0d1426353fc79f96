import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { flipped, frameBytes, frameHeader, putDown } from '../../../testing/corrupt-database';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import { salvageRows, walTailHasRows } from './salvage-rows';
import { openSqlite, type Sqlite } from './sqlite';

const seqIs = (seq: number): string => `id % ${2 ** 32} = ${seq}`;
const long = 'long '.repeat(2_000);
const logOf = (path: string): Buffer =>
  existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);

/** Two sessions of 6 and 5 events, one of them on several pages; `change` may leave a log behind. */
function written(change: (db: Sqlite) => void = () => undefined, pageSize = 4_096): string {
  const path = newDatabasePath();
  const sized = openSqlite(path);
  sized.exec(`PRAGMA journal_mode = DELETE; PRAGMA page_size = ${pageSize}; VACUUM`);
  sized.close();
  const store = openStore(path);
  for (const [id, text, pieces] of [
    ['a', long, 2],
    ['b', 'short', 1],
  ] as const) {
    must(store.acquireLease(id));
    must(store.append(id, 0, turnFacts(pieces, text)));
  }
  store.close();
  const db = openSqlite(path);
  change(db);
  const copy = putDown(readFileSync(path), logOf(path));
  db.close();
  return copy;
}

/** What salvage finds, with the numbers of the events instead of the events. */
function found(path: string) {
  const { bySession, damaged, claimedSeq, heads, aside } = salvageRows(path, `${path}-wal`);
  const seqs = [...bySession].map(([id, rows]) => [id, [...rows.keys()].sort((a, b) => a - b)] as const);
  return {
    events: Object.fromEntries(seqs),
    damaged,
    claimed: Object.fromEntries(claimedSeq),
    heads: Object.fromEntries([...heads].map(([id, { seq }]) => [id, seq])),
    aside: aside.map(({ row }) => row),
  };
}

const all = {
  events: { a: [1, 2, 3, 4, 5, 6], b: [1, 2, 3, 4, 5] },
  damaged: [],
  claimed: { a: 6, b: 5 },
  heads: { a: 6, b: 5 },
  aside: [],
};

describe('[H55] the rows of a database file without SQLite', () => {
  it.each([512, 1_024, 4_096, 65_536])('are its events, unchanged, on pages of %i bytes', (pageSize) => {
    const path = written(undefined, pageSize);
    expect(found(path)).toEqual(all);
    const { bySession, heads } = salvageRows(path, `${path}-wal`);
    const db = openSqlite(path);
    const stored = db
      .prepare(
        `SELECT session_id AS sessionId, id % ${2 ** 32} AS seq, at, v, sum, fact FROM events ORDER BY id`,
      )
      .all();
    const { hash } = db.prepare("SELECT hash FROM heads WHERE session_id = 'a'").get() as { hash: string };
    db.close();
    expect(
      [...bySession.values()].flatMap((rows) => [...rows.values()].sort((a, b) => a.seq - b.seq)),
    ).toEqual(stored);
    expect(heads.get('a')).toEqual({ seq: 6, hash });
  });

  it.each([0, 3, 700, 16_640])(
    'are found on pages of the usual size when the header claims %i',
    (claimed) => {
      const path = written();
      const bytes = readFileSync(path);
      bytes.writeUInt16BE(claimed, 16);
      expect(found(putDown(bytes, Buffer.alloc(0)))).toEqual(all);
    },
  );

  it('include those that only the log has, and the older image of one that was damaged there', () => {
    const later = written((db) => {
      db.exec('PRAGMA wal_autocheckpoint = 0');
      db.exec(`UPDATE events SET sum = sum + 1 WHERE ${seqIs(3)} AND session_id = 'b'`);
      db.exec("UPDATE sessions SET last_seq = 2 WHERE id = 'b'");
      db.exec(`DELETE FROM events WHERE ${seqIs(5)} AND session_id = 'b'`);
    });
    expect(logOf(later).length).toBeGreaterThan(frameBytes);
    expect(found(later)).toEqual(all);
  });

  it('count a damaged one that has no intact image, once', () => {
    const hurt = written((db) => {
      db.exec('PRAGMA wal_autocheckpoint = 0');
      db.exec(`UPDATE events SET sum = sum + 1 WHERE ${seqIs(3)}; PRAGMA wal_checkpoint(TRUNCATE)`);
      db.exec(`UPDATE events SET sum = sum + 1 WHERE ${seqIs(3)} AND session_id = 'a'`);
    });
    expect(found(hurt)).toMatchObject({
      events: { a: [1, 2, 4, 5, 6], b: [1, 2, 4, 5] },
      damaged: [
        { sessionId: 'a', seq: 3 },
        { sessionId: 'b', seq: 3 },
      ],
    });
  });

  it('have the furthest intact head of each session', () => {
    const hurt = written((db) => {
      db.exec("UPDATE heads SET seq = 99 WHERE session_id = 'a'; PRAGMA wal_checkpoint(TRUNCATE)");
    });
    expect(found(hurt).heads).toEqual({ b: 5 });
    const older = written((db) => {
      db.exec('PRAGMA wal_autocheckpoint = 0; UPDATE heads SET seq = 1');
    });
    expect(found(older).heads).toEqual({ a: 6, b: 5 });
  });

  it('[SES-delete] leave out sessions that were deleted, also their damaged rows', () => {
    const path = written((db) => {
      db.exec(`UPDATE events SET sum = sum + 1 WHERE ${seqIs(3)}`);
      db.exec(
        "UPDATE sessions SET id = 'deleted:a', last_seq = 0 WHERE id = 'a'; PRAGMA wal_checkpoint(TRUNCATE)",
      );
    });
    expect(found(path)).toMatchObject({ events: { b: [1, 2, 4, 5] }, damaged: [{ sessionId: 'b', seq: 3 }] });
  });

  it('[STO-repair] have what was set aside and never restored, in order', () => {
    const aside = (seq: number, id: string, at: number, fact: string): string =>
      JSON.stringify([seq, id, at, 1, 0, fact]);
    let same = '';
    const path = written((db) => {
      const { at, fact } = db
        .prepare(`SELECT at, fact FROM events WHERE ${seqIs(2)} AND session_id = 'b'`)
        .get() as {
        at: number;
        fact: string;
      };
      // Without the link, as the earlier version that set rows aside wrote it.
      same = JSON.stringify({ ...(JSON.parse(fact) as object), prev: undefined });
      const insert = db.prepare('INSERT INTO unreadable VALUES (7, ?)');
      const rows = [
        aside(9, 'b', 1, '{}'),
        aside(2, 'b', at, same),
        aside(2, 'b', at + 1, same),
        aside(2, 'b', at, '{}'),
        aside(1, 'unknown', 1, '{}'),
        'no row',
        '[1]',
        '[1,"b",1,1,0,null]',
        '["1","b",1,1,0,"{}"]',
        aside(8, 'b', 1, '{}'),
      ];
      for (const row of rows) insert.run(row);
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    });
    expect(same).toContain('message-sent');
    const { at } = salvageRows(path, `${path}-wal`).bySession.get('b')!.get(2)!;
    expect(found(path).aside).toEqual([
      aside(9, 'b', 1, '{}'),
      aside(2, 'b', at + 1, same),
      aside(2, 'b', at, '{}'),
      aside(8, 'b', 1, '{}'),
    ]);
    expect(salvageRows(path, `${path}-wal`).aside.map(({ rowid, foundAt }) => [rowid, foundAt])).toEqual([
      [1, 7],
      [3, 7],
      [4, 7],
      [10, 7],
    ]);
  });

  it('[STO-repair] have what was set aside in order, also where the log has the later rows', () => {
    // Each row fills a page of its own, so the log has only the page of the row that was written again.
    const aside = (seq: number): string => JSON.stringify([seq, 'b', 1, 1, 0, 'x'.repeat(3_000)]);
    const path = written((db) => {
      const insert = db.prepare('INSERT INTO unreadable VALUES (?, ?)');
      for (const seq of [21, 22, 23]) insert.run(7, aside(seq));
      db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0');
      db.exec('UPDATE unreadable SET found_at = 8 WHERE rowid = 3');
    });
    const { aside: rows } = salvageRows(path, `${path}-wal`);
    expect(rows.map(({ rowid, foundAt }) => [rowid, foundAt])).toEqual([
      [1, 7],
      [2, 7],
      [3, 8],
    ]);
  });

  it('are none in a folder, an empty file and a file of other bytes', () => {
    const none = { events: {}, damaged: [], claimed: {}, heads: {}, aside: [] };
    const folder = newDatabasePath();
    mkdirSync(folder);
    expect(found(folder)).toEqual(none);
    expect(found(putDown(Buffer.alloc(0), Buffer.alloc(0)))).toEqual(none);
    expect(found(putDown(Buffer.alloc(9_000, 'no database '), Buffer.alloc(0)))).toEqual(none);
  });
});

describe('[H55] the broken end of a log', () => {
  /** A database and its log, to which one more commit was added. */
  function withLast(add: (append: (facts: readonly SessionFact[]) => void) => void) {
    const path = newDatabasePath();
    const store = openStore(path);
    must(store.acquireLease('s'));
    let seq = must(store.append('s', 0, turnFacts(2))).length;
    const before = logOf(path).length;
    add((facts) => (seq += must(store.append('s', seq, facts)).length));
    const [database, log] = [readFileSync(path), logOf(path)];
    store.close();
    const db = openSqlite(path);
    const named = db.prepare('SELECT name, rootpage FROM sqlite_schema').all() as {
      name: string;
      rootpage: number;
    }[];
    db.close();
    const rootOf = (table: string): number => named.find(({ name }) => name === table)!.rootpage;
    // Each of these tables is so small that it has only one page.
    const roots = { sessions: rootOf('sessions'), events: rootOf('events') };
    const hasRows = (bytes: Buffer): boolean => {
      const copy = putDown(database, bytes);
      return walTailHasRows(copy, `${copy}-wal`);
    };
    const eventsIn = (bytes: Buffer): readonly number[] => found(putDown(database, bytes)).events['s'] ?? [];
    return { log, before, hasRows, roots, eventsIn, seq };
  }
  const piece = (text: string): SessionFact => ({ type: 'reply-extended', turn: 0, text });

  it('has rows when it holds an event, or a session line, that no sound frame has', () => {
    const { log, before, hasRows } = withLast((append) => append([piece('the end')]));
    expect(log.length).toBe(before + frameBytes);
    expect(hasRows(flipped(log, log.length - 1, 1))).toBe(true);
    expect(hasRows(flipped(log, before + 8, 1))).toBe(true);
  });

  it('has rows on exactly the pages of events and sessions', () => {
    const renamed = withLast((append) => append([{ type: 'session-renamed', title: 'end' }]));
    const rows = new Map<number, boolean>();
    for (let at = renamed.before; at < renamed.log.length; at += frameBytes) {
      const cut = flipped(renamed.log.subarray(0, at + frameBytes), at + 16, 1);
      rows.set(cut.readUInt32BE(at), renamed.hasRows(cut));
    }
    expect(rows.size).toBeGreaterThan(2);
    const withRows = [...rows].filter(([, has]) => has).map(([page]) => page);
    expect(withRows.sort((a, b) => a - b)).toEqual([renamed.roots.sessions, renamed.roots.events]);
  });

  it('has none when its bytes are of an earlier frame, or when there is no broken frame', () => {
    const { log, before, hasRows } = withLast((append) => append([piece('the end')]));
    const torn = Buffer.from(log);
    log.copy(torn, before + frameHeader, before - frameBytes + frameHeader, before);
    expect(hasRows(torn)).toBe(false);
    expect(hasRows(log)).toBe(false);
    expect(hasRows(Buffer.alloc(10))).toBe(false);
  });

  it('has rows also when the event continues on other pages of the same commit', () => {
    const { log, before, hasRows } = withLast((append) => append([piece('e'.repeat(9_000))]));
    expect(log.length).toBeGreaterThan(before + frameBytes);
    const hurt = Buffer.from(log);
    for (let at = before; at < log.length; at += frameBytes) hurt[at + 16] = hurt[at + 16]! ^ 1;
    expect(hasRows(hurt)).toBe(true);
  });

  it('gives its whole rows although its checksum is wrong', () => {
    const { log, before, eventsIn, seq } = withLast((append) => append([piece('the end')]));
    const all = Array.from({ length: seq }, (_, index) => index + 1);
    expect(eventsIn(log)).toEqual(all);
    expect(eventsIn(flipped(log, before + 16, 1))).toEqual(all);
    expect(eventsIn(log.subarray(0, before))).toEqual(all.slice(0, -1));
  });

  it('gives no row when its commit is missing, unless a frame of it is damaged', () => {
    const { log, before, eventsIn, seq } = withLast((append) => {
      append(Array.from({ length: 40 }, (_, index) => piece(`${index} ${'e'.repeat(300)}`)));
    });
    expect(log.length).toBeGreaterThan(before + 2 * frameBytes);
    expect(eventsIn(log)).toHaveLength(seq);
    const uncommitted = log.subarray(0, log.length - frameBytes);
    expect(eventsIn(uncommitted)).toEqual(eventsIn(log.subarray(0, before)));
    // Behind damage nobody knows where the commit was, so what was written completely counts.
    expect(eventsIn(flipped(uncommitted, before + 16, 1)).length).toBeGreaterThan(
      eventsIn(uncommitted).length,
    );
  });
});
