import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { createSessionLog } from '../../../core/session/session-log';
import { flipped, frameBytes, frameHeader, putDown } from '../../../testing/corrupt-database';
import { createManualClock } from '../../../testing/manual-clock';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import { structureProblem } from './check-database';
import { completeCheckDue, registerProcess, noteSound, readDoubt } from './database-users';
import { openSqlite } from './sqlite';

/** A closed database of several MB; its session `s` spans many pages. */
function writeLarge(turns = 60): string {
  const path = newDatabasePath();
  const store = openStore(path);
  for (const id of ['first', 's']) {
    must(store.acquireLease(id));
    const [created, ...turn] = turnFacts(8, 'x'.repeat(4_000));
    let seq = must(store.append(id, 0, [created!])).length;
    for (let at = 0; at < turns; at += 1) {
      const facts = turn.map(
        (fact): SessionFact => ('turn' in fact ? { ...fact, turn: at } : fact) as SessionFact,
      );
      seq += must(store.append(id, seq, facts)).length;
    }
  }
  store.close();
  return path;
}

/** Damages the header of a page with the last session's events; only reading that page reveals it. */
function hurtPage(path: string): void {
  const bytes = readFileSync(path);
  const page = Array.from({ length: bytes.length / 4_096 }, (_, index) => index * 4_096)
    .filter((at) => bytes[at] === 0x0d && bytes.subarray(at, at + 4_096).includes('reply-extended'))
    .at(-3)!;
  writeFileSync(path, flipped(bytes, page, 0xff));
}

const readBytes = (): number => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))![1]);

it('[START-quick] a start reads a small part of the file, also after an unclean end', (context) => {
  if (!existsSync('/proc/self/io')) context.skip('bytes read are counted by Linux only');
  const path = writeLarge();
  const start = (): number => {
    const before = readBytes();
    const store = openStore(path, { pid: 2 });
    must(store.list());
    const read = readBytes() - before;
    store.close();
    return read / statSync(path).size;
  };
  expect(statSync(path).size).toBeGreaterThan(4_000_000);
  expect(start()).toBeLessThan(0.15);
  registerProcess(path, 77);
  expect(start()).toBeLessThan(0.15);
  const before = readBytes();
  expect(structureProblem(path)).toBeNull();
  expect((readBytes() - before) / statSync(path).size).toBeGreaterThan(0.9);
});

it('[START-quick] listing sessions and opening one from its snapshot read a small part of the file', (context) => {
  if (!existsSync('/proc/self/io')) context.skip('bytes read are counted by Linux only');
  const path = writeLarge(600);
  const logOf = (pid: number) =>
    createSessionLog({ store: openStore(path, { pid }), ids: { next: (kind) => `${kind}_x` } });
  const first = logOf(2);
  must(first.open('s'));
  first.close();
  const log = logOf(3);
  const before = readBytes();
  expect(log.marked(must(log.summaries({})))).toHaveLength(2);
  const listed = readBytes();
  must(log.peek('s'));
  const opened = readBytes();
  expect(statSync(path).size).toBeGreaterThan(40_000_000);
  expect((listed - before) / statSync(path).size).toBeLessThan(0.1);
  expect((opened - listed) / statSync(path).size).toBeLessThan(0.55);
  log.close();
});

it('[START-quick] a start after a truncated end of the log reads a small part of the file', (context) => {
  if (!existsSync('/proc/self/io')) context.skip('bytes read are counted by Linux only');
  const path = writeLarge(100);
  const store = openStore(path);
  must(store.acquireLease('s'));
  const seq = must(store.read('s', 0)).lastSeq;
  const piece = (text: string): SessionFact => ({ type: 'reply-extended', turn: 99, text });
  must(store.append('s', seq, [piece('acknowledged')]));
  const log = readFileSync(`${path}-wal`);
  must(store.append('s', seq + 1, [piece('the end')]));
  const [database, longer] = [readFileSync(path), readFileSync(`${path}-wal`)];
  expect(database.length).toBeGreaterThan(6_000_000);
  const readShare = (end: Buffer) => {
    const hurt = putDown(database, end);
    const before = readBytes();
    const start = openStore(hurt, { pid: 2 });
    must(start.list());
    const share = (readBytes() - before) / database.length;
    return { share, salvaged: start.salvage() !== null, lastSeq: must(start.read('s', 0)).lastSeq };
  };
  // The header of the last frame is new; the bytes after it are old.
  const torn = Buffer.from(longer);
  torn.fill(0, log.length + frameHeader);
  log.copy(torn, log.length + frameHeader, log.length - frameBytes + frameHeader, log.length);
  const interrupted = readShare(torn);
  expect(interrupted).toMatchObject({ salvaged: false, lastSeq: seq + 1 });
  expect(interrupted.share).toBeLessThan(0.15);
  expect(readShare(flipped(longer, longer.length - 4, 0x81)).salvaged).toBe(true);
  store.close();
});

it('[START-unclean] a process that ended without closing makes a full check due, a closed one does not', () => {
  const path = newDatabasePath();
  const now = Date.now();
  const store = openStore(path, { pid: 5 });
  must(store.list());
  store.close();
  expect({ due: completeCheckDue(path, now), doubt: readDoubt(path) }).toEqual({ due: false, doubt: null });
  expect(completeCheckDue(path, now + 8 * 24 * 3_600_000)).toBe(true);
  registerProcess(path, 6);
  const next = openStore(path, { pid: 7 });
  must(next.list());
  expect(next.soundness.checkDue()).toBe(true);
  expect(readDoubt(path)).toBe('unclean-end');
  next.soundness.checked(null);
  expect(completeCheckDue(path, now)).toBe(false);
  next.close();
  noteSound(path, null);
});

it('[START-damage-later] damage found during work is skipped, and the next start saves what is readable', () => {
  const path = writeLarge();
  hurtPage(path);
  expect(structureProblem(path)).toContain('SQLITE');
  const store = openStore(path, { pid: 2 });
  expect(must(store.list())).toHaveLength(2);
  expect(store.salvage()).toBeNull();
  expect(must(store.read('first', 0)).events.length).toBeGreaterThan(100);
  const hurt = must(store.read('s', 0));
  expect(hurt.events.length).toBeGreaterThan(100);
  expect(hurt.gaps).not.toEqual([]);
  expect(readDoubt(path)).toBe('damage');
  store.close();
  const next = openStore(path, { pid: 3 });
  expect(must(next.list())).toHaveLength(2);
  expect(next.salvage()!.rowsLost).toBeGreaterThan(0);
  expect(must(next.read('s', 0)).events.length).toBeGreaterThan(100);
  expect(readDoubt(path)).toBeNull();
  next.close();
});

it('[START-damage-later] a start that reads every page and finds no damage ends the doubt', () => {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.list());
  store.soundness.checked('page 9 is never used');
  store.close();
  expect(readDoubt(path)).toBe('damage');
  const next = openStore(path, { pid: 2 });
  must(next.list());
  expect(next.salvage()).toBeNull();
  expect({ doubt: readDoubt(path), due: next.soundness.checkDue() }).toEqual({ doubt: null, due: false });
  next.close();
});

it('[START-damage-later] damage found by a full check is repaired by the next start, not under an open database', () => {
  const path = writeLarge(20);
  hurtPage(path);
  const store = openStore(path, { pid: 2 });
  must(store.list());
  store.soundness.checked('page 9 is never used');
  const second = openStore(path, { pid: 3, processAlive: (pid) => pid === 2 });
  expect(must(second.list())).toHaveLength(2);
  expect(second.salvage()).toBeNull();
  second.close();
  store.close();
  const next = openStore(path, { pid: 4 });
  must(next.list());
  expect(next.salvage()).not.toBeNull();
  next.close();
});

it('[STO-private] the database and all files beside it are private to the owner, also older ones', () => {
  const before = process.umask(0o022);
  try {
    const path = newDatabasePath();
    const modes = (): Record<string, string> =>
      Object.fromEntries(
        readdirSync(dirname(path)).map((name) => [
          name,
          (statSync(join(dirname(path), name)).mode & 0o777).toString(8),
        ]),
      );
    const store = openStore(path);
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(2)));
    const expected = { 'sessions.db': '600', 'sessions.db-wal': '600', 'sessions.db-shm': '600' };
    expect(modes()).toEqual({ ...expected, 'sessions.db.users': '700' });
    for (const name of Object.keys(expected)) chmodSync(join(dirname(path), name), 0o644);
    chmodSync(`${path}.users`, 0o755);
    const other = openStore(path, { pid: 2, processAlive: () => true });
    must(other.list());
    expect(modes()).toEqual({ ...expected, 'sessions.db.users': '700' });
    other.close();
    store.close();
  } finally {
    process.umask(before);
  }
});

it('[STO-private] a damaged file of an earlier version is private once it is set aside', (context) => {
  if (process.platform === 'win32') context.skip('Windows has no permission bits');
  const path = newDatabasePath();
  writeFileSync(path, 'no database');
  chmodSync(path, 0o644);
  const store = openStore(path);
  expect(must(store.list())).toEqual([]);
  expect(statSync(store.salvage()!.quarantined).mode & 0o777).toBe(0o600);
  store.close();
});

it('[START-empty-file] an emptied sessions file is reported and kept, and a new empty one is not', () => {
  const path = newDatabasePath();
  writeFileSync(path, '');
  const first = openStore(path);
  expect(must(first.list())).toEqual([]);
  expect(first.salvage()).toBeNull();
  must(first.acquireLease('s'));
  must(first.append('s', 0, turnFacts(2)));
  first.soundness.checked(null);
  first.close();
  writeFileSync(path, '');
  const next = openStore(path, { pid: 2 });
  expect(must(next.list())).toEqual([]);
  expect(next.salvage()).toMatchObject({ eventsSaved: 0 });
  expect(existsSync(next.salvage()!.quarantined)).toBe(true);
  next.close();
});

/** A closed file with session `s` of 6 events after `sql`, and with a header that makes a salvage necessary. */
function withoutHeader(sql = 'SELECT 1'): string {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, turnFacts(2, 'walrus')));
  store.close();
  const db = openSqlite(path);
  db.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
  db.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, 0, 100);
  return putDown(bytes, Buffer.alloc(0));
}

it.each<readonly [string, string, rowsLost: number, lastSeq: number]>([
  ['nothing else', 'SELECT 1', 0, 6],
  ['its last event', 'DELETE FROM events WHERE id % 4294967296 = 6', 1, 6],
  ['its last event and its head', 'DELETE FROM events WHERE id % 4294967296 = 6; DELETE FROM heads', 1, 6],
  [
    'its last event and its session line',
    'DELETE FROM events WHERE id % 4294967296 = 6; DELETE FROM sessions',
    1,
    6,
  ],
  ['an event between others', 'DELETE FROM events WHERE id % 4294967296 = 3', 1, 6],
  [
    'an event whose checksum is wrong',
    'UPDATE events SET sum = 0 WHERE id % 4294967296 = 6; DELETE FROM heads; DELETE FROM sessions',
    1,
    5,
  ],
  [
    'its number, which is impossibly large',
    'UPDATE sessions SET last_seq = 9000000; DELETE FROM heads',
    0,
    6,
  ],
])(
  '[H55] a salvaged session that lost %s reports what is missing and can continue',
  (_name, sql, lost, last) => {
    const store = openStore(withoutHeader(sql));
    expect(must(store.list()).map(({ id, title, turnCount }) => ({ id, title, turnCount }))).toEqual([
      { id: 's', title: 'A session', turnCount: 1 },
    ]);
    expect(store.salvage()).toMatchObject({ rowsLost: lost, eventsSaved: 6 - lost });
    expect(must(store.read('s', 0))).toMatchObject({ lastSeq: last });
    expect(must(store.search('walrus', 5))).toHaveLength(sql.includes('= 6') ? 0 : 1);
    must(store.acquireLease('s'));
    must(store.append('s', last, [{ type: 'session-renamed', title: 'after' }]));
    expect(must(store.check('s')).broken).toEqual([]);
    store.close();
  },
);

it('[H55] a salvage counts the damaged events of each session once', () => {
  const path = newDatabasePath();
  const store = openStore(path);
  for (const [id, pieces] of [
    ['first', 2],
    ['s', 4],
    ['third', 2],
  ] as const) {
    must(store.acquireLease(id));
    must(store.append(id, 0, turnFacts(pieces)));
  }
  store.close();
  const db = openSqlite(path);
  db.exec("UPDATE events SET sum = 0 WHERE session_id = 's' AND id % 4294967296 = 8; DELETE FROM heads");
  db.exec("UPDATE sessions SET last_seq = 7 WHERE id = 's'; PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const next = openStore(putDown(readFileSync(path).fill(0xff, 0, 100), Buffer.alloc(0)));
  must(next.list());
  expect(next.salvage()).toMatchObject({ eventsSaved: 19, rowsLost: 1 });
  next.close();
});

it('[H55] a salvaged run belongs to the session in which it started, not to a later copy of it', () => {
  const run: SessionFact = { type: 'run-started', turn: 0, runId: 'run_1', goal: 'Sort' };
  const facts = [...turnFacts(8, 'x'.repeat(2_000)), run];
  const path = newDatabasePath();
  const first = openStore(path);
  must(first.acquireLease('original'));
  must(first.append('original', 0, facts));
  first.close();
  // The last pages of the log have only the copy, and salvage reads them first.
  const store = openStore(path, { clock: createManualClock(1_800_000_000_000).clock });
  must(store.acquireLease('copy'));
  must(store.append('copy', 0, facts));
  const log = readFileSync(`${path}-wal`);
  const hurt = putDown(readFileSync(path), flipped(log, frameHeader + 100, 1));
  store.close();
  const next = openStore(hurt, { pid: 2 });
  expect(must(next.list()).map(({ id }) => id)).toEqual(['copy', 'original']);
  expect(next.salvage()).toMatchObject({ rowsLost: 0 });
  expect(must(next.sessionOfRun('run_1'))).toBe('original');
  next.close();
});

it('[H55] is salvaged by one process at a time, and after the one that died', () => {
  const path = withoutHeader();
  const lock = `${path}.salvage-lock`;
  writeFileSync(lock, '77');
  const waiting = openStore(path, { pid: 2, processAlive: (pid) => pid === 77 });
  expect(waiting.list()).toMatchObject({
    error: {
      message: expect.stringContaining('another process is saving the damaged file') as string,
      retryable: true,
    },
  });
  expect(waiting.salvage()).toBeNull();
  waiting.close();
  const next = openStore(path, { pid: 3 });
  expect(must(next.list())).toHaveLength(1);
  expect(next.salvage()).toMatchObject({ eventsSaved: 6 });
  expect(existsSync(lock)).toBe(false);
  next.close();
});

it('[H55] keeps what an unfinished salvage left only when there is no database', () => {
  const path = withoutHeader();
  for (const suffix of ['.salvaging', '.salvaged'])
    writeFileSync(path + suffix, 'of a process that was killed');
  const store = openStore(path);
  expect(must(store.list())).toHaveLength(1);
  store.close();
  const left = readdirSync(dirname(path)).filter((name) => name.includes('.salvag'));
  expect(left).toEqual([]);
});

it('[H55] sets the log aside together with its damaged database', () => {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, turnFacts(2)));
  const hurt = flipped(readFileSync(`${path}-wal`), frameHeader + 100, 1);
  const copy = putDown(readFileSync(path), hurt);
  store.close();
  const next = openStore(copy, { pid: 2 });
  must(next.list());
  const { quarantined } = next.salvage()!;
  expect(readFileSync(`${quarantined}-wal`).equals(hurt)).toBe(true);
  next.close();
});
