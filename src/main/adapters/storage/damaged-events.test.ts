import { readFileSync } from 'node:fs';
import { crc32 as checksum } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import type { SessionFact } from '#shared/session-event';
import { putDown } from '../../../testing/corrupt-database';
import { createSessionLog } from '../../../core/session/session-log';
import { migrations } from './schema';
import { openSqlite } from './sqlite';
import { openDatabase } from './open-database';

const seqIs = (seq: number): string => `id % ${2 ** 32} = ${seq}`;
const model = { providerId: 'offline', model: 'offline' };

const turn = (number: number): readonly SessionFact[] => [
  { type: 'message-sent', turn: number, text: `line ${number}`, runMode: 'ask', model },
  { type: 'reply-started', turn: number, model, providerName: 'Offline' },
  { type: 'reply-extended', turn: number, text: `answer ${number}` },
  { type: 'reply-ended', turn: number, outcome: 'done' },
];

/** A session of six turns, 25 events. */
function writeSession(path: string): void {
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, [{ type: 'session-created', title: 'Talk', project: null }]));
  for (let at = 0; at < 6; at += 1) must(store.append('s', 1 + at * 4, turn(at)));
  store.close();
}

function change(path: string, sql: string): void {
  const db = openSqlite(path);
  db.exec(sql);
  db.close();
}

function damaged(sql: string) {
  const path = newDatabasePath();
  writeSession(path);
  change(path, sql);
  const store = openStore(path);
  const log = createSessionLog({ store, ids: { next: (kind) => `${kind}_x` } });
  return { path, store, log };
}

const rows = (path: string): readonly unknown[] => {
  const db = openSqlite(path);
  const all = db
    .prepare('SELECT id, at, v, sum, hex(fact) AS fact FROM events ORDER BY id')
    .all() as object[];
  db.close();
  return all.map((row) => ({ ...row }));
};

describe('[SES-preview] the tail of a session', () => {
  const seqs = ({ store }: ReturnType<typeof damaged>, count: number) =>
    must(store.tail('s', count)).map(({ seq }) => seq);

  it('has its newest events in order, no more than asked for', () => {
    const session = damaged('SELECT 1');
    expect(seqs(session, 3)).toEqual([23, 24, 25]);
    expect(seqs(session, 100)).toHaveLength(25);
    expect(must(session.store.tail('s', 2))).toEqual(must(session.store.read('s', 23)).events);
    expect(session.store.tail('unknown', 2)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('begins behind the last damaged event', () => {
    const session = damaged(`UPDATE events SET sum = 0 WHERE ${seqIs(20)}`);
    expect(seqs(session, 10)).toEqual([21, 22, 23, 24, 25]);
  });
});

describe('[STO-skip] [H55] a damaged event', () => {
  it('is skipped and reported, and the events after it are read', () => {
    const { store, log } = damaged(
      `UPDATE events SET fact = replace(fact, 'line 2', 'Line 2') WHERE ${seqIs(10)}`,
    );
    const { events, gaps, lastSeq } = must(store.read('s', 0));
    expect(events.map(({ seq }) => seq)).toEqual(
      [...Array(25).keys()].map((at) => at + 1).filter((seq) => seq !== 10),
    );
    expect({ gaps, lastSeq }).toEqual({ gaps: [{ fromSeq: 10, toSeq: 10 }], lastSeq: 25 });
    expect(must(store.check('s'))).toMatchObject({ intact: 24, gaps, broken: [] });
    expect(must(log.replay('s'))).toMatchObject({ events: 24, equal: false, damaged: 1 });
    expect(must(log.peek('s')).blocks.flat()[5]?.reply?.text).toBe('answer 5');
    expect(store.salvage()).toBeNull();
  });

  it('[STO-keep] stays in place, with every other row, when the session continues', () => {
    const { path, log } = damaged(`UPDATE events SET sum = sum + 1 WHERE ${seqIs(10)} OR ${seqIs(25)}`);
    const before = rows(path);
    must(log.open('s'));
    must(log.append('s', turn(6)));
    expect(must(log.events('s')).at(-1)?.seq).toBe(29);
    log.close();
    expect(rows(path).slice(0, before.length)).toEqual(before);
    expect(must(openStore(path).check('s')).gaps).toEqual([
      { fromSeq: 10, toSeq: 10 },
      { fromSeq: 25, toSeq: 25 },
    ]);
  });

  it('does not reach the word index: a turn with a damaged part of its reply can still be ended', () => {
    const path = newDatabasePath();
    const store = openStore(path);
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(3, 'walrus').slice(0, -1)));
    change(path, `UPDATE events SET fact = 'no json' WHERE ${seqIs(5)}`);
    must(store.append('s', 6, [{ type: 'reply-ended', turn: 0, outcome: 'done' }]));
    expect(must(store.search('walrus', 5))).toHaveLength(1);
  });
});

describe('[STO-list-mark] the list of sessions', () => {
  it.each([
    ['a changed event', `UPDATE events SET sum = sum + 1 WHERE ${seqIs(10)}`, 1],
    ['events that are gone', `DELETE FROM events WHERE id % ${2 ** 32} > 22`, 3],
  ])('counts %s', (_name, sql, count) => {
    const { log } = damaged(sql);
    expect(log.marked(must(log.summaries({})))).toMatchObject([{ id: 's', damaged: count }]);
  });

  it('has no mark for an undamaged session, and reads a limited number of events', () => {
    const whole = damaged('').log;
    expect(whole.marked(must(whole.summaries({})))[0]).not.toHaveProperty('damaged');
    const { store } = damaged(`UPDATE events SET sum = sum + 1 WHERE ${seqIs(10)}`);
    expect(must(store.damaged(['s'], 2_400)).size).toBe(0);
    expect(must(store.damaged(['s'], 50_000)).get('s')).toBe(1);
  });

  it('reads no more events where all of them are damaged', () => {
    const path = newDatabasePath();
    const store = openStore(path);
    for (const id of ['a', 'b', 'c']) {
      must(store.acquireLease(id));
      must(store.append(id, 0, turnFacts(4, 'walrus')));
    }
    change(path, 'UPDATE events SET sum = sum + 1');
    expect([...must(store.damaged(['a', 'b', 'c'], 200_000)).keys()]).toEqual(['a', 'b', 'c']);
    expect([...must(store.damaged(['a', 'b', 'c'], 15_000)).keys()]).toEqual(['a']);
  });
});

describe('[STO-window] a session opened from a snapshot newer than the damage', () => {
  it('shows the content of the snapshot, with a mark at the line before each damaged event', () => {
    const { path, store, log } = damaged('');
    must(log.open('s'));
    store.saveSnapshot(must(log.peek('s')));
    log.close();
    const afterSnapshot = (sql: string) => {
      change(path, sql);
      const next = createSessionLog({ store: openStore(path), ids: { next: (kind) => `${kind}_x` } });
      const { state } = must(next.open('s'));
      next.close();
      return { gaps: state.gaps, reply: state.blocks.flat()[2]?.reply };
    };
    expect(afterSnapshot('')).toMatchObject({ gaps: undefined, reply: { text: 'answer 2' } });
    // Events 10 to 13 belong to line 2; event 1 comes before every line.
    expect(
      afterSnapshot(`UPDATE events SET sum = sum + 1 WHERE ${seqIs(12)} OR ${seqIs(10)} OR ${seqIs(1)}`),
    ).toMatchObject({
      gaps: [
        { fromSeq: 1, toSeq: 1, turn: -1 },
        { fromSeq: 10, toSeq: 10, turn: 1 },
        { fromSeq: 12, toSeq: 12, turn: 2 },
      ],
      reply: { text: 'answer 2', status: 'done' },
    });
  });
});

describe('[STO-chain] replay', () => {
  it.each([
    ['an event removed from the middle', `DELETE FROM events WHERE ${seqIs(10)}`, 1],
    ['the end cut off', `DELETE FROM events WHERE id % ${2 ** 32} > 22`, 3],
    [
      'the end cut off with its session line',
      `DELETE FROM events WHERE ${seqIs(25)}; UPDATE sessions SET last_seq = 24`,
      1,
    ],
  ])('is not equal with %s, and the session continues after it', (_name, sql, lost) => {
    const { log } = damaged(sql);
    expect(must(log.replay('s'))).toMatchObject({ equal: false, damaged: lost, events: 25 - lost });
    must(log.open('s'));
    must(log.append('s', turn(6)));
    expect(must(log.events('s')).at(-1)?.seq).toBe(29);
    expect(must(log.replay('s'))).toMatchObject({ equal: false, damaged: lost });
    expect(log.state('s')?.turnCount).toBe(7);
  });

  it('is not equal when an event was replaced by one with a valid checksum', () => {
    const { path, log, store } = damaged('');
    const db = openSqlite(path);
    const found = db
      .prepare(`SELECT CAST(fact AS BLOB) AS fact, at, v FROM events WHERE ${seqIs(10)}`)
      .get() as {
      fact: Uint8Array;
      at: number;
      v: number;
    };
    const fact = Buffer.from(found.fact).toString().replace('line 2', 'lime 2');
    const sum = checksum(`s\n10\n${found.at}\n${found.v}\n${fact}`);
    db.prepare(`UPDATE events SET fact = ?, sum = ? WHERE ${seqIs(10)}`).run(fact, sum);
    db.close();
    expect(must(store.read('s', 0)).gaps).toEqual([]);
    expect(must(log.replay('s'))).toMatchObject({ equal: false, damaged: 1 });
    expect(must(store.check('s')).broken).toEqual([11]);
  });

  it('is equal for an undamaged session, over several processes', () => {
    const { path, log } = damaged('');
    must(log.open('s'));
    must(log.append('s', turn(6)));
    log.close();
    const again = createSessionLog({
      store: openStore(path, { pid: 7 }),
      ids: { next: (kind) => `${kind}_y` },
    });
    must(again.open('s'));
    must(again.append('s', turn(7).slice(0, 3)));
    must(again.append('s', turn(7).slice(3)));
    expect(must(again.replay('s'))).toMatchObject({ equal: true, damaged: 0, events: 33 });
  });
});

describe('[STO-migrate] a file without chained events', () => {
  /** Writes what schema version 2 wrote: no `prev`, no heads. */
  function writeOld(path: string): void {
    const db = openSqlite(path);
    db.exec(
      `${migrations.slice(0, 2).join('\n')}; PRAGMA user_version = 2; PRAGMA application_id = ${0x5054_0002}`,
    );
    db.exec("INSERT INTO sessions VALUES (1, 's', 9, 'Old', NULL, 0, 1, 1, 2)");
    const facts = [{ type: 'session-created', title: 'Old', project: null }, ...turn(0), ...turn(1)];
    const insert = db.prepare("INSERT INTO events VALUES (?, 's', 1, 1, ?, ?)");
    for (const [index, fact] of facts.entries()) {
      const text = JSON.stringify(fact);
      insert.run(2 ** 32 + index + 1, checksum(`s\n${index + 1}\n1\n1\n${text}`), text);
    }
    db.close();
  }

  it('reads and replays as before; its rows stay unchanged and its next event is chained to them', () => {
    const path = newDatabasePath();
    writeOld(path);
    const before = rows(path);
    const store = openStore(path);
    const log = createSessionLog({ store, ids: { next: (kind) => `${kind}_x` } });
    expect(must(log.replay('s'))).toMatchObject({ equal: true, events: 9, damaged: 0 });
    must(log.open('s'));
    must(log.append('s', turn(2)));
    expect(must(log.replay('s'))).toMatchObject({ equal: true, events: 13, damaged: 0 });
    expect(store.salvage()).toBeNull();
    log.close();
    expect(rows(path).slice(0, 9)).toEqual(before);
    // An old row that changes later, with its checksum, no longer matches the link of the new ones.
    change(
      path,
      `UPDATE events SET at = 2, sum = ${checksum(`s\n3\n2\n1\n${JSON.stringify(turn(0)[1])}`)} WHERE ${seqIs(3)}`,
    );
    expect(must(openStore(path).check('s')).broken).toEqual([10]);
  });

  it('reports a truncated end by its session row', () => {
    const path = newDatabasePath();
    writeOld(path);
    change(path, `DELETE FROM events WHERE id % ${2 ** 32} > 7`);
    const log = createSessionLog({ store: openStore(path), ids: { next: (kind) => `${kind}_x` } });
    expect(must(log.replay('s'))).toMatchObject({ equal: false, damaged: 2 });
    must(log.open('s'));
    must(log.append('s', turn(2)));
    expect(must(log.events('s')).at(-1)?.seq).toBe(13);
  });
});

describe('[STO-full] a writing connection', () => {
  it('syncs at every commit', () => {
    const open = [
      openSqlite(newDatabasePath()),
      openDatabase({ path: newDatabasePath(), now: 0, pid: 1, processAlive: () => false }).db,
    ];
    for (const db of open) {
      expect(db.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
      expect(db.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    }
  });
});

/** Ways to damage one page of a file; `at` is the offset of the page. */
const pageDamage: Readonly<Record<string, (bytes: Buffer, at: number) => void>> = {
  'of zeros': (bytes, at) => bytes.fill(0, at, at + 4_096),
  'with another beginning': (bytes, at) => bytes.fill(0x41, at, at + 64),
  'changed in its middle': (bytes, at) => bytes.fill(0xa5, at + 2_000, at + 2_600),
};

describe.each(Object.entries(pageDamage))('[STO-one-page] one damaged page %s', (_name, hurt) => {
  it('hides only its own events, and reading, checking and listing count the same', () => {
    const path = newDatabasePath();
    const store = openStore(path);
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(28, 'x'.repeat(700))));
    store.close();
    const bytes = readFileSync(path);
    const leaves = Array.from({ length: bytes.length / 4_096 }, (_, index) => index * 4_096)
      .filter((at) => bytes[at] === 0x0d && bytes.subarray(at, at + 4_096).includes('reply-extended'))
      .slice(1);
    expect(leaves.length).toBeGreaterThan(4);
    for (const at of leaves) {
      const damagedBytes = Buffer.from(bytes);
      hurt(damagedBytes, at);
      const next = openStore(putDown(damagedBytes, Buffer.alloc(0)), { pid: 2 });
      const log = createSessionLog({ store: next, ids: { next: (kind) => `${kind}_x` } });
      const read = must(next.read('s', 0));
      const lost = 32 - read.events.length;
      expect(lost).toBeGreaterThan(0);
      expect(lost).toBeLessThan(7);
      expect(must(next.check('s'))).toMatchObject({ intact: read.events.length, gaps: read.gaps });
      expect(log.marked(must(log.summaries({})))).toMatchObject([{ damaged: lost }]);
      log.close();
    }
  });
});
