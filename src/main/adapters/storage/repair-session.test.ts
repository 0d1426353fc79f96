import { execFileSync, spawn } from 'node:child_process';
import fs, {
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  watch,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { emptySession } from '#shared/session-state';
import { buildEntry } from '../../../testing/build-entry';
import {
  loseEvents,
  must,
  newDatabasePath,
  openStore,
  replaceInEvent,
} from '../../../testing/stored-session';
import { createManualClock } from '../../../testing/manual-clock';
import { createSessionLog } from '../../../core/session/session-log';
import { migrations } from './schema';
import { eraseDeleted, copiesFolder, copyDue, listCopies, makeCopy } from './session-copies';
import { openSqlite } from './sqlite';
import { repairAsWriter, sessionDamage } from './repair-session';

const day = 86_400_000;
const noon = Date.parse('2026-05-04T12:00:00Z');
const model = { providerId: 'offline', model: 'offline' };
const seqIs = (seq: number): string => `id % ${2 ** 32} = ${seq}`;

const turn = (number: number): readonly SessionFact[] => [
  { type: 'message-sent', turn: number, text: `line ${number}`, runMode: 'ask', model },
  { type: 'reply-started', turn: number, model, providerName: 'Offline' },
  { type: 'reply-extended', turn: number, text: `answer ${number}` },
  { type: 'reply-ended', turn: number, outcome: 'done' },
];

function writeSession(path: string, id = 's', turns = 3, title = id): void {
  const store = openStore(path);
  must(store.acquireLease(id));
  must(store.append(id, 0, [{ type: 'session-created', title, project: null }]));
  for (let at = 0; at < turns; at += 1) must(store.append(id, 1 + at * 4, turn(at)));
  store.close();
}

function change(path: string, sql: string): void {
  const db = openSqlite(path);
  db.exec(sql);
  db.close();
}

const logOn = (path: string, pid = 1_000) =>
  createSessionLog({ store: openStore(path, { pid }), ids: { next: (kind) => `${kind}_x` } });

type FileCall = 'fsyncSync' | 'readdirSync' | 'renameSync';

/**
 * Runs `work` and calls an observer with the first argument of each call of its function of `node:fs`, before the
 * call: what another process does at that moment, or what must be true then.
 */
function observing<T>(
  observers: Readonly<Partial<Record<FileCall, (target: unknown) => void>>>,
  work: () => T,
): T {
  const replaced = Object.entries(observers).map(([call, observe]) => {
    const real = fs[call as FileCall] as (...args: readonly unknown[]) => unknown;
    const observed = (...args: readonly unknown[]): unknown => {
      observe(args[0]);
      return real(...args);
    };
    Object.assign(fs, { [call]: observed });
    return { [call]: real };
  });
  syncBuiltinESMExports();
  try {
    return work();
  } finally {
    Object.assign(fs, ...replaced);
    syncBuiltinESMExports();
  }
}

/** A session of three turns and its copy, damaged after the copy. */
function copiedThenHurt(sql: string): string {
  const path = newDatabasePath();
  writeSession(path);
  expect(makeCopy(path, noon)).toBeNull();
  change(path, sql);
  return path;
}

describe('[STO-repair] repairing a session', () => {
  it.each([
    ['a damaged event', `UPDATE events SET fact = replace(fact, 'line 1', 'Line 1') WHERE ${seqIs(6)}`],
    ['events removed from the middle', `DELETE FROM events WHERE id % ${2 ** 32} BETWEEN 5 AND 8`],
    ['a cut end', `DELETE FROM events WHERE id % ${2 ** 32} > 11`],
  ])('restores %s from a copy, and changes nothing the second time', (_name, sql) => {
    const path = copiedThenHurt(sql);
    const log = logOn(path);
    expect(must(log.replay('s')).equal).toBe(false);
    expect(must(log.repair('s')).fromCopies).toBeGreaterThan(0);
    expect(must(log.replay('s'))).toMatchObject({ equal: true, damaged: 0, events: 13 });
    expect(must(log.repair('s'))).toEqual({ sessionId: 's', fromUnreadable: 0, fromCopies: 0, damaged: 0 });
    expect(must(log.search('line'))).toHaveLength(3);
    expect(must(log.search('answer'))).toHaveLength(3);
    expect(
      must(log.peek('s'))
        .blocks.flat()
        .map(({ text }) => text),
    ).toEqual(['line 0', 'line 1', 'line 2']);
  });

  it('keeps what was written after the damage, and finds a replaced event by its hash', () => {
    const path = copiedThenHurt('');
    const found = openSqlite(path);
    const row = found
      .prepare(`SELECT CAST(fact AS BLOB) AS fact, at FROM events WHERE ${seqIs(6)}`)
      .get() as {
      fact: Uint8Array;
      at: number;
    };
    const fact = Buffer.from(row.fact).toString().replace('line 1', 'lime 1');
    found
      .prepare(`UPDATE events SET fact = ?, sum = ? WHERE ${seqIs(6)}`)
      .run(fact, crc32(`s\n6\n${row.at}\n1\n${fact}`));
    found.close();
    const log = logOn(path);
    must(log.open('s'));
    must(log.append('s', turn(3)));
    expect(must(log.replay('s'))).toMatchObject({ equal: false, damaged: 1 });
    expect(must(log.repair('s'))).toMatchObject({ fromCopies: 1, damaged: 0 });
    expect(must(log.replay('s'))).toMatchObject({ equal: true, events: 17 });
    expect(
      must(log.peek('s'))
        .blocks.flat()
        .map(({ text }) => text),
    ).toContain('line 1');
  });

  it('reports what no copy contains', () => {
    const path = newDatabasePath();
    writeSession(path);
    change(path, `DELETE FROM events WHERE ${seqIs(6)}`);
    expect(must(logOn(path).repair('s'))).toEqual({
      sessionId: 's',
      fromUnreadable: 0,
      fromCopies: 0,
      damaged: 1,
    });
  });

  it('restores no event of a copy that breaks a link, and the others all the same', () => {
    const path = copiedThenHurt('');
    const [copy] = listCopies(path);
    const copyPath = join(copiesFolder(path), copy!.name);
    const db = openSqlite(copyPath);
    const found = db.prepare(`SELECT CAST(fact AS TEXT) AS fact, at FROM events WHERE ${seqIs(6)}`).get();
    const { at, fact } = found as { at: number; fact: string };
    const other = fact.replace('line 1', 'lime 1');
    db.prepare(`UPDATE events SET fact = ?, sum = ? WHERE ${seqIs(6)}`).run(
      other,
      crc32(`s\n6\n${at}\n1\n${other}`),
    );
    db.close();
    loseEvents(path, [5, 6, 7, 11]);
    const log = logOn(path);
    expect(must(log.repair('s'))).toMatchObject({ fromCopies: 1, damaged: 3 });
    expect(must(log.check('s'))).toMatchObject({ gaps: [{ fromSeq: 5, toSeq: 7 }], broken: [] });
  });

  it('restores the last event, after which the session continued with no trace of its hash', () => {
    const path = copiedThenHurt(`UPDATE events SET sum = sum + 1 WHERE ${seqIs(13)}; DELETE FROM heads`);
    const log = logOn(path);
    must(log.open('s'));
    must(log.append('s', turn(3)));
    expect(must(log.check('s'))).toMatchObject({ gaps: [{ fromSeq: 13, toSeq: 13 }], broken: [] });
    expect(must(log.repair('s'))).toMatchObject({ fromCopies: 1, damaged: 0 });
    expect(must(log.replay('s'))).toMatchObject({ equal: true, events: 17 });
  });

  it('restores the last event only as it was written, also after the session continued', () => {
    const path = copiedThenHurt(`DELETE FROM events WHERE ${seqIs(13)}`);
    replaceInEvent(join(copiesFolder(path), listCopies(path)[0]!.name), 13, 'done', 'cancelled');
    const log = logOn(path);
    must(log.open('s'));
    must(log.append('s', turn(3)));
    expect(must(log.repair('s'))).toMatchObject({ fromCopies: 0, damaged: 1 });
    expect(must(log.check('s'))).toMatchObject({ gaps: [{ fromSeq: 13, toSeq: 13 }], broken: [] });
  });

  it('takes each event from the copy that has it', () => {
    const path = copiedThenHurt('');
    expect(makeCopy(path, noon + day)).toBeNull();
    const [newer, older] = listCopies(path).map(({ name }) => join(copiesFolder(path), name));
    loseEvents(newer!, [5]);
    loseEvents(older!, [9]);
    loseEvents(path, [5, 9]);
    const log = logOn(path);
    expect(must(log.restorable('s'))).toBe(2);
    expect(must(log.repair('s'))).toMatchObject({ fromCopies: 2, damaged: 0 });
    expect(must(log.replay('s'))).toMatchObject({ equal: true, events: 13 });
  });

  it('makes restored messages findable in a file that was salvaged without them', () => {
    const path = copiedThenHurt(`DELETE FROM events WHERE ${seqIs(6)}; PRAGMA wal_checkpoint(TRUNCATE)`);
    const bytes = readFileSync(path);
    bytes.fill(0xff, 0, 100);
    writeFileSync(path, bytes);
    rmSync(`${path}-wal`, { force: true });
    const log = logOn(path);
    expect(must(log.search('line'))).toHaveLength(2);
    expect(must(log.repair('s'))).toMatchObject({ fromCopies: 1, damaged: 0 });
    expect(must(log.search('line'))).toHaveLength(3);
    expect(must(log.search('answer'))).toHaveLength(3);
  });

  it('stores the fold of a session that is whole again, and of no other', () => {
    const path = copiedThenHurt('');
    loseEvents(join(copiesFolder(path), listCopies(path)[0]!.name), [9]);
    loseEvents(path, [6, 9]);
    const store = openStore(path);
    // A fold without the event that the repair restores.
    store.saveSnapshot({ ...emptySession('s'), seq: 13 });
    expect(must(store.repair('s'))).toMatchObject({ fromCopies: 1, damaged: 1 });
    expect(store.loadSnapshot('s')).toBeNull();
    store.close();
    const other = copiedThenHurt(`DELETE FROM events WHERE ${seqIs(6)}`);
    const whole = openStore(other);
    expect(must(whole.repair('s'))).toMatchObject({ fromCopies: 1, damaged: 0 });
    expect(whole.loadSnapshot('s')?.seq).toBe(13);
    whole.close();
  });

  it('is made as the writer, and not while another process writes the session', () => {
    const path = copiedThenHurt(`DELETE FROM events WHERE ${seqIs(6)}`);
    const deps = { self: { holder: 'the repair', pid: 2 }, processAlive: () => true };
    const { clock } = createManualClock(Date.now());
    const store = openStore(path, { pid: 1, clock, processAlive: () => true });
    must(store.acquireLease('s'));
    expect(() => repairAsWriter(path, 's', deps)).toThrow('written by the window (process 1)');
    store.releaseLease('s');
    expect(JSON.parse(repairAsWriter(path, 's', deps))).toEqual({
      sessionId: 's',
      fromUnreadable: 0,
      fromCopies: 1,
      damaged: 0,
    });
    expect(() => repairAsWriter(path, 'never', deps)).toThrow('There is no session "never".');
    must(store.acquireLease('s'));
    store.close();
  });

  it('is refused while another process writes the session', () => {
    const path = copiedThenHurt(`DELETE FROM events WHERE ${seqIs(6)}`);
    const other = openStore(path, { pid: 1, processAlive: () => true });
    must(other.acquireLease('s'));
    const here = openStore(path, { pid: 2, processAlive: () => true });
    expect(here.repair('s')).toMatchObject({ ok: false, error: { code: 'STATE' } });
  });

  /** A file of schema version 2 whose session was cut at damaged row 6 of 13 and then continued. */
  function cutByAnOlderPatina(path: string, goneOn: boolean): void {
    const db = openSqlite(path);
    db.exec(
      `${migrations.slice(0, 2).join('\n')}; PRAGMA user_version = 2; PRAGMA application_id = ${0x5054_0002}`,
    );
    db.exec("INSERT INTO sessions VALUES (1, 's', 5, 'Old', NULL, 0, 1, 1, 1)");
    const facts: SessionFact[] = [
      { type: 'session-created', title: 'Old', project: null },
      ...turn(0),
      ...turn(1),
      ...turn(2),
    ];
    const sum = (seq: number, text: string): number => crc32(`s\n${seq}\n1\n1\n${text}`);
    const put = db.prepare("INSERT INTO events VALUES (?, 's', 1, 1, ?, ?)");
    const aside = db.prepare('INSERT INTO unreadable VALUES (1, ?)');
    for (const [index, fact] of facts.entries()) {
      const [seq, text] = [index + 1, JSON.stringify(fact)];
      if (seq < 6) put.run(2 ** 32 + seq, sum(seq, text), text);
      else aside.run(JSON.stringify([seq, 's', 1, 1, sum(seq, text) + (seq === 6 ? 1 : 0), text]));
    }
    for (const [index, fact] of goneOn ? turn(1).entries() : []) {
      const text = JSON.stringify({
        ...fact,
        ...(fact.type === 'message-sent' && { text: 'written later' }),
      });
      put.run(2 ** 32 + 6 + index, sum(6 + index, text), text);
    }
    db.close();
  }

  it('restores rows that an older Patina set aside; the damaged one stays reported', () => {
    const path = newDatabasePath();
    cutByAnOlderPatina(path, false);
    const log = logOn(path);
    expect(must(log.quarantinedSessions())).toEqual(['s']);
    expect(must(log.restorable('s'))).toBe(7);
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 7, damaged: 1 });
    expect(must(openStore(path).list())).toMatchObject([{ title: 'Old', turnCount: 3 }]);
    expect(must(log.search('line'))).toHaveLength(2);
    expect(must(log.events('s')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13]);
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 0, damaged: 1 });
  });

  it('restores them before what was written after the cut, and that after them', () => {
    const path = newDatabasePath();
    cutByAnOlderPatina(path, true);
    const log = logOn(path);
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 7, damaged: 1 });
    const texts = must(log.peek('s'))
      .blocks.flat()
      .map(({ text }) => text);
    expect(texts).toEqual(['line 0', 'This message could not be read.', 'line 2', 'written later']);
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 0, fromCopies: 0, damaged: 1 });
    must(log.open('s'));
    must(log.append('s', turn(4)));
    expect(must(log.replay('s'))).toMatchObject({ damaged: 1 });
  });

  it('restores them before what this version wrote after the cut, which stays linked', () => {
    const path = newDatabasePath();
    cutByAnOlderPatina(path, false);
    const before = logOn(path);
    must(before.open('s'));
    must(before.append('s', turn(1)));
    before.close();
    const log = logOn(path, 2_000);
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 7, damaged: 1 });
    expect(must(log.check('s'))).toMatchObject({ gaps: [{ fromSeq: 6, toSeq: 6 }], broken: [] });
    const turns = must(log.peek('s')).blocks.flat();
    expect(turns.map(({ text }) => text)).toEqual([
      'line 0',
      'This message could not be read.',
      'line 2',
      'line 1',
    ]);
  });

  it('restores the rows of a later cut behind what was written before that cut', () => {
    const path = newDatabasePath();
    cutByAnOlderPatina(path, false);
    const db = openSqlite(path);
    const row = (seq: number, fact: SessionFact) => {
      const text = JSON.stringify(fact).replace(/line|answer/, 'later $&');
      return { seq, text, sum: crc32(`s\n${seq}\n1\n1\n${text}`) };
    };
    for (const [index, fact] of [...turn(1), ...turn(2)].entries()) {
      const { seq, text, sum } = row(6 + index, fact);
      db.prepare("INSERT INTO events VALUES (?, 's', 1, 1, ?, ?)").run(2 ** 32 + seq, sum, text);
    }
    for (const [index, fact] of turn(3).entries()) {
      const { seq, text, sum } = row(14 + index, fact);
      db.prepare('INSERT INTO unreadable VALUES (2, ?)').run(JSON.stringify([seq, 's', 1, 1, sum, text]));
    }
    db.close();
    const log = logOn(path);
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 11, damaged: 1 });
    expect(
      must(log.peek('s'))
        .blocks.flat()
        .map(({ text }) => text),
    ).toEqual([
      'line 0',
      'This message could not be read.',
      'line 2',
      'later line 1',
      'later line 2',
      'later line 3',
    ]);
  });

  it('restores them also after damage for which the whole file was salvaged', () => {
    const path = newDatabasePath();
    cutByAnOlderPatina(path, false);
    // Makes the file of this version, with all of it in the file itself.
    must(openStore(path).list());
    change(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
    const bytes = readFileSync(path);
    bytes.fill(0xff, 0, 100);
    writeFileSync(path, bytes);
    rmSync(`${path}-wal`, { force: true });
    const log = logOn(path, 2_000);
    expect(must(log.quarantinedSessions())).toEqual(['s']);
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 7, damaged: 1 });
    expect(must(log.events('s'))).toHaveLength(12);
  });

  it('restores the rows of several cuts with the same numbers, and loses none', () => {
    const path = newDatabasePath();
    cutByAnOlderPatina(path, true);
    const db = openSqlite(path);
    const sum = (seq: number, text: string): number => crc32(`s\n${seq}\n1\n1\n${text}`);
    for (const [index, fact] of turn(2).entries()) {
      const [seq, text] = [10 + index, JSON.stringify(fact).replace('answer 2', 'answer of the second cut')];
      const row = JSON.stringify([seq, 's', 1, 1, sum(seq, text) + (seq === 10 ? 1 : 0), text]);
      db.prepare('INSERT INTO unreadable VALUES (2, ?)').run(row);
      const last = JSON.stringify(fact).replace('line 2', 'written last');
      db.prepare("INSERT INTO events VALUES (?, 's', 1, 1, ?, ?)").run(2 ** 32 + seq, sum(seq, last), last);
    }
    db.close();
    const log = logOn(path);
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 10, damaged: 2 });
    const turns = must(log.peek('s')).blocks.flat();
    const lost = 'This message could not be read.';
    expect(turns.map(({ text, reply }) => [text, reply?.text])).toEqual([
      ['line 0', 'answer 0'],
      [lost, 'answer 1'],
      ['line 2', 'answer 2'],
      ['written later', 'answer 1'],
      [lost, 'answer of the second cut'],
      ['written last', 'answer 2'],
    ]);
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 0, damaged: 2 });
  });
});

describe('[STO-copy] the daily copy', () => {
  it('[STO-private] is made once a day, complete, for its owner only, and the last three are kept', () => {
    const path = newDatabasePath();
    writeSession(path);
    for (let at = 0; at < 5; at += 1) {
      expect(copyDue(path, noon + at * day)).toBe(true);
      expect(makeCopy(path, noon + at * day)).toBeNull();
      expect(copyDue(path, noon + at * day)).toBe(false);
    }
    expect(copyDue(path, noon)).toBe(false);
    const copies = listCopies(path);
    expect(copies.map(({ day: made }) => made)).toEqual(['2026-05-08', '2026-05-07', '2026-05-06']);
    expect(copies.every(({ sessions }) => sessions === 1)).toBe(true);
    expect(readdirSync(copiesFolder(path))).toHaveLength(3);
    const file = join(copiesFolder(path), copies[0]!.name);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('is not made of a damaged file, so no good one is displaced', () => {
    const path = copiedThenHurt(`UPDATE events SET sum = sum + 1 WHERE ${seqIs(6)}`);
    expect(makeCopy(path, noon + day)).toBe('events are damaged in 1 session (“s”)');
    expect(listCopies(path).map(({ day: made }) => made)).toEqual(['2026-05-04']);
  });

  it('loses a session that is deleted permanently', () => {
    const path = newDatabasePath();
    writeSession(path, 'gone', 3, 'quetzal');
    writeSession(path, 's');
    expect(makeCopy(path, noon)).toBeNull();
    const log = logOn(path);
    must(log.remove('gone'));
    expect(eraseDeleted(path)).toBeNull();
    const [copy] = listCopies(path);
    expect(copy?.sessions).toBe(1);
    expect(readFileSync(join(copiesFolder(path), copy!.name)).includes('quetzal')).toBe(false);
    expect(readdirSync(copiesFolder(path))).toEqual([copy!.name]);
  });

  it('loses it also when it was made while a process wrote that session', () => {
    const path = newDatabasePath();
    writeSession(path, 'gone');
    const writer = openStore(path, { processAlive: () => true });
    must(writer.acquireLease('gone'));
    expect(makeCopy(path, Date.now())).toBeNull();
    must(writer.remove('gone'));
    writer.close();
    expect(eraseDeleted(path)).toBeNull();
    expect(listCopies(path)).toMatchObject([{ sessions: 0 }]);
  });

  it('is on the disk before it gets its name', () => {
    const path = newDatabasePath();
    writeSession(path);
    const synced: number[] = [];
    const syncedAtRename: boolean[] = [];
    const observers = {
      fsyncSync: (handle: unknown) => void synced.push(fstatSync(handle as number).ino),
      renameSync: (from: unknown) => void syncedAtRename.push(synced.includes(statSync(from as string).ino)),
    };
    expect(observing(observers, () => makeCopy(path, noon))).toBeNull();
    expect(syncedAtRename).toEqual([true]);
  });

  it('is thrown away when the disk stored other bytes, and the copy before it stays', () => {
    const path = newDatabasePath();
    writeSession(path);
    expect(makeCopy(path, noon)).toBeNull();
    const [before] = listCopies(path);
    const hurt = (): void => {
      const part = readdirSync(copiesFolder(path)).find((name) => name.endsWith('.part'))!;
      const file = join(copiesFolder(path), part);
      writeFileSync(file, readFileSync(file).fill(0xff, 4_096, 8_192));
    };
    expect(observing({ fsyncSync: hurt }, () => makeCopy(path, noon + day))).toContain(
      'the copy came out damaged (SQLITE',
    );
    expect(listCopies(path)).toEqual([before]);
    expect(readdirSync(copiesFolder(path))).toEqual([before!.name]);
  });

  it('[SES-erase] loses a session that was deleted while the copy was made', () => {
    const path = newDatabasePath();
    writeSession(path, 'gone', 3, 'quetzal');
    writeSession(path, 'kept');
    const remove = (): void => {
      const log = logOn(path);
      must(log.remove('gone'));
      log.close();
      // Nothing is left of it in the sessions file, so no later process looks for it in the copies.
      expect(eraseDeleted(path)).toBeNull();
    };
    expect(observing({ renameSync: remove }, () => makeCopy(path, noon))).toBeNull();
    const [copy] = listCopies(path);
    expect(must(logOn(path).copied(copy!.name)).map(({ id }) => id)).toEqual(['kept']);
    expect(readFileSync(join(copiesFolder(path), copy!.name)).includes('quetzal')).toBe(false);
    expect(readdirSync(copiesFolder(path))).toEqual([copy!.name]);
  });

  it('by a killed process does not count: its file has no copy’s name and is removed', async () => {
    const path = newDatabasePath();
    writeSession(path, 's', 60);
    const entry = await buildEntry('main/adapters/storage/check-process.ts', ['libsql']);
    mkdirSync(copiesFolder(path));
    for (const round of [1, 2, 3]) {
      const changes = watch(copiesFolder(path));
      const begun = new Promise((resolve) => changes.once('change', resolve));
      const child = spawn(process.execPath, [entry, path, 'copy'], {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      const over = new Promise((resolve) => child.once('close', resolve));
      await Promise.race([begun, over]);
      child.kill('SIGKILL');
      await over;
      changes.close();
      for (const { sessions } of listCopies(path)) expect(sessions, `round ${round}`).toBe(1);
    }
    execFileSync('touch', [join(copiesFolder(path), 'sessions-2020-01-01.db.1.part')]);
    makeCopy(path, Date.now() + 2 * day);
    expect(readdirSync(copiesFolder(path)).every((name) => /^sessions-[\d-]+\.db$/.test(name))).toBe(true);
    expect(existsSync(path)).toBe(true);
  }, 60_000);
});

describe('[STO-restore] restoring from a copy', () => {
  it('reports what the copy of a missing session lacks', () => {
    const path = newDatabasePath();
    writeSession(path, 'lost');
    expect(makeCopy(path, noon)).toBeNull();
    const [copy] = listCopies(path);
    loseEvents(join(copiesFolder(path), copy!.name), [6]);
    change(path, 'DELETE FROM events; DELETE FROM sessions; DELETE FROM heads');
    expect(must(logOn(path).repair('lost', copy!.name))).toMatchObject({ fromCopies: 12, damaged: 1 });
  });

  it('restores a missing session completely, and only adds to the others', () => {
    const path = newDatabasePath();
    writeSession(path, 'lost');
    writeSession(path, 's');
    expect(makeCopy(path, noon)).toBeNull();
    change(
      path,
      "DELETE FROM events WHERE session_id = 'lost'; DELETE FROM sessions WHERE id = 'lost'; DELETE FROM heads WHERE session_id = 'lost'",
    );
    const log = logOn(path);
    must(log.open('s'));
    must(log.append('s', turn(3)));
    const name = listCopies(path)[0]!.name;
    expect(must(log.copied(name))).toHaveLength(2);
    expect(must(log.repair('lost', name))).toEqual({
      sessionId: 'lost',
      fromUnreadable: 0,
      fromCopies: 13,
      damaged: 0,
    });
    expect(must(log.repair('s', name))).toMatchObject({ fromCopies: 0, damaged: 0 });
    expect(must(log.replay('lost'))).toMatchObject({ equal: true, events: 13 });
    expect(must(log.events('s'))).toHaveLength(17);
    expect(must(log.search('answer'))).not.toHaveLength(0);
    expect(log.repair('s', '../sessions.db')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  });
});

it('[STO-repair] previews what a repair would restore, and nothing when no copy contains it', () => {
  const path = copiedThenHurt(`DELETE FROM events WHERE id % ${2 ** 32} BETWEEN 5 AND 8`);
  const log = logOn(path);
  const before = must(log.check('s'));
  expect(must(log.restorable('s'))).toBe(4);
  expect(must(log.check('s'))).toEqual(before);
  rmSync(copiesFolder(path), { recursive: true });
  expect(must(log.restorable('s'))).toBe(0);
});

it('[STO-copy] a file in place of the folder of the copies is the reason why there is none', () => {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, [{ type: 'session-created', title: 'Kept', project: null }]));
  writeFileSync(copiesFolder(path), '');
  expect(copyDue(path, Date.now())).toBe(true);
  expect(makeCopy(path, Date.now())).toBe(`${copiesFolder(path)} is not a folder`);
  expect(must(store.copies())).toEqual([]);
  expect(must(store.restorable('s'))).toBe(0);
  store.close();
});

describe('[STO-copy] the daily copies', () => {
  it('are none without a sessions file, and a clock that was set back makes none due', () => {
    const path = newDatabasePath();
    expect(copyDue(path, noon)).toBe(false);
    expect(listCopies(path)).toEqual([]);
    writeSession(path);
    expect(makeCopy(path, noon)).toBeNull();
    expect([noon - day, noon + day / 2 - 1, noon + day / 2].map((at) => copyDue(path, at))).toEqual([
      false,
      false,
      true,
    ]);
    expect(makeCopy(path, noon - day)).toBeNull();
    expect(listCopies(path)).toHaveLength(1);
  });

  it('are listed with their size, also an unreadable one, and without other files', () => {
    const path = newDatabasePath();
    writeSession(path);
    expect(makeCopy(path, noon)).toBeNull();
    const folder = copiesFolder(path);
    writeFileSync(join(folder, 'sessions-2026-05-05.db'), 'no database');
    for (const name of ['sessions-2026-05-06.db.bak', 'my-sessions-2026-05-06.db', 'sessions-2026.db']) {
      writeFileSync(join(folder, name), '');
    }
    expect(listCopies(path)).toEqual([
      { name: 'sessions-2026-05-05.db', day: '2026-05-05', bytes: 11, sessions: null },
      {
        name: 'sessions-2026-05-04.db',
        day: '2026-05-04',
        bytes: statSync(join(folder, 'sessions-2026-05-04.db')).size,
        sessions: 1,
      },
    ]);
    const store = openStore(path);
    expect(store.copied('sessions-2026-05-03.db')).toMatchObject({
      error: {
        code: 'NOT_FOUND',
        message: 'There is no copy sessions-2026-05-03.db.',
        hint: 'List them with: patina session copies',
      },
    });
    expect(store.repair('s', 'sessions-2026-05-03.db')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(store.repair('never', 'sessions-2026-05-04.db')).toMatchObject({
      error: { message: 'There is no session "never" in sessions-2026-05-04.db.' },
    });
    expect(store.repair('never')).toMatchObject({ error: { message: 'There is no session "never".' } });
    store.close();
  });

  it('are not made of a damaged file, and the reason names the first damaged sessions', () => {
    const path = newDatabasePath();
    for (const [id, title] of [
      ['a', 'Alpha'],
      ['b', ''],
      ['c', 'Gamma'],
      ['d', 'Delta'],
      ['e', 'Epsilon'],
    ] as const) {
      writeSession(path, id, 1, title);
    }
    loseEvents(path, [3]);
    expect(makeCopy(path, noon)).toBe(
      'events are damaged in 5 sessions (“Epsilon”, “Delta”, “Gamma”, 2 more)',
    );
    change(path, "DELETE FROM sessions WHERE id > 'b'; DELETE FROM heads WHERE session_id > 'b'");
    change(path, "UPDATE events SET sum = 0 WHERE session_id = 'b'");
    expect(makeCopy(path, noon)).toBe('events are damaged in 2 sessions (“New session”, “Alpha”)');
    const bytes = readFileSync(path);
    bytes.fill(0, 100, 108);
    const hurt = newDatabasePath();
    writeFileSync(hurt, bytes);
    expect(makeCopy(hurt, noon)).toContain('the sessions file is damaged (SQLITE_CORRUPT');
    expect(existsSync(copiesFolder(hurt))).toBe(false);
  });

  it('[SES-erase] lose deleted sessions; one that cannot be changed is removed, and others stay', () => {
    const path = newDatabasePath();
    writeSession(path, 'gone', 3, 'quetzal');
    writeSession(path, 'kept');
    expect(makeCopy(path, noon)).toBeNull();
    expect(makeCopy(path, noon + day)).toBeNull();
    expect(makeCopy(path, noon + 2 * day)).toBeNull();
    const [newest, newer, older] = listCopies(path).map(({ name }) => join(copiesFolder(path), name));
    for (const file of [newest!, newer!]) {
      writeFileSync(file, readFileSync(file).fill(0xff, 100, 4_096));
    }
    for (const suffix of ['-wal', '-shm', '-journal']) writeFileSync(newest! + suffix, '');
    const log = logOn(path);
    must(log.remove('gone'));
    expect(eraseDeleted(path)).toBeNull();
    expect(listCopies(path).map(({ day: made, sessions }) => [made, sessions])).toEqual([['2026-05-04', 1]]);
    expect(readdirSync(copiesFolder(path))).toHaveLength(1);
    expect(readFileSync(older!).includes('quetzal')).toBe(false);
    expect(must(log.copied(listCopies(path)[0]!.name)).map(({ id }) => id)).toEqual(['kept']);
    log.close();
  });

  it('[SES-erase] one in which no session can be looked up is removed: it may contain the deleted one', () => {
    const path = newDatabasePath();
    writeSession(path, 'kept');
    expect(makeCopy(path, noon)).toBeNull();
    const file = join(copiesFolder(path), listCopies(path)[0]!.name);
    const db = openSqlite(file);
    const { root } = db
      .prepare("SELECT rootpage AS root FROM sqlite_schema WHERE name = 'sessions'")
      .get() as {
      root: number;
    };
    db.exec('PRAGMA journal_mode = DELETE');
    db.close();
    writeFileSync(file, readFileSync(file).fill(0xff, (root - 1) * 4_096, root * 4_096));
    writeSession(path, 'gone');
    const log = logOn(path);
    must(log.remove('gone'));
    expect(eraseDeleted(path)).toBeNull();
    expect(readdirSync(copiesFolder(path))).toEqual([]);
    log.close();
  });

  it('[SES-erase] one that another process adds meanwhile loses the session at the next attempt', () => {
    const path = newDatabasePath();
    writeSession(path, 'gone', 3, 'quetzal');
    expect(makeCopy(path, noon)).toBeNull();
    const [copy] = listCopies(path);
    const other = 'sessions-2026-05-05.db';
    const file = join(copiesFolder(path), other);
    copyFileSync(join(copiesFolder(path), copy!.name), `${path}.other`);
    const log = logOn(path);
    must(log.remove('gone'));
    let looks = 0;
    const addAtSecondLook = (): void => {
      looks += 1;
      if (looks === 2) copyFileSync(`${path}.other`, file);
    };
    expect(observing({ readdirSync: addAtSecondLook }, () => eraseDeleted(path))).toBe(
      `copies in ${copiesFolder(path)} still contain it: ${other}`,
    );
    expect(readFileSync(file).includes('quetzal')).toBe(true);
    expect(eraseDeleted(path)).toBeNull();
    expect(listCopies(path).map(({ name, sessions }) => [name, sessions])).toEqual([
      [other, 0],
      [copy!.name, 0],
    ]);
    expect(readFileSync(file).includes('quetzal')).toBe(false);
    log.close();
  });

  it('[SES-erase] made of a file with a session that is being erased does not contain it', () => {
    const path = newDatabasePath();
    writeSession(path, 'gone', 3, 'quetzal');
    writeSession(path, 'kept');
    const store = openStore(path);
    must(store.acquireLease('gone'));
    must(store.remove('gone'));
    store.close();
    expect(makeCopy(path, noon)).toBeNull();
    const [copy] = listCopies(path);
    expect(copy?.sessions).toBe(1);
    expect(readFileSync(join(copiesFolder(path), copy!.name)).includes('quetzal')).toBe(false);
    expect(readdirSync(copiesFolder(path))).toEqual([copy!.name]);
  });
});

describe('[STO-window] the damage of a session, as the process that looks for it reports it', () => {
  it('is every gap with the turn before it, and each broken link', () => {
    const path = newDatabasePath();
    writeSession(path, 'whole');
    writeSession(path);
    expect(sessionDamage(path, 's')).toBeNull();
    loseEvents(path, [1, 6, 7, 12]);
    expect(JSON.parse(sessionDamage(path, 's')!)).toEqual({
      sessionId: 's',
      restorable: 0,
      intact: 9,
      gaps: [
        { fromSeq: 1, toSeq: 1, turn: -1 },
        { fromSeq: 6, toSeq: 7, turn: 0 },
        { fromSeq: 12, toSeq: 12, turn: 2 },
      ],
      broken: [],
    });
    expect(sessionDamage(path, 'never')).toBeNull();
    const copied = copiedThenHurt(`DELETE FROM events WHERE ${seqIs(6)}`);
    expect(JSON.parse(sessionDamage(copied, 's')!)).toMatchObject({ intact: 12, restorable: 1 });
  });
});

describe('[STO-window] looking for damage', () => {
  it('reads no more than allowed', () => {
    const path = newDatabasePath();
    writeSession(path);
    loseEvents(path, [6]);
    const store = openStore(path);
    const gap = [{ fromSeq: 6, toSeq: 6, turn: 0 }];
    const cost = 13 * 100;
    expect(must(store.gapsUpTo('s', 13, 100_000))).toEqual(gap);
    expect(must(store.gapsUpTo('s', 5, 100_000))).toEqual([]);
    // Enough for the rows, not for what is in them.
    expect(must(store.gapsUpTo('s', 13, cost))).toBeNull();
    expect(must(store.gapsUpTo('s', 13, cost - 1))).toBeNull();
    expect(must(store.gapsUpTo('never', 13, 100_000))).toEqual([]);
    expect([...must(store.damaged(['never', 's', 's'], 100_000))]).toEqual([['s', 1]]);
    expect([...must(store.damaged(['s'], cost))]).toEqual([]);
    expect([...must(store.damaged(['s'], 0))]).toEqual([]);
    store.close();
  });

  it('costs the text of an undamaged session and a little for each event, and no more', () => {
    const path = newDatabasePath();
    writeSession(path);
    const db = openSqlite(path);
    const { chars } = db
      .prepare(`SELECT sum(length(sum || (id % ${2 ** 32}) || at || v || fact) + 5) AS chars FROM events`)
      .get() as { chars: number };
    db.close();
    const store = openStore(path);
    expect(must(store.gapsUpTo('s', 13, chars + 13 * 100))).toEqual([]);
    expect(must(store.gapsUpTo('s', 13, chars + 13 * 100 - 1))).toBeNull();
    store.close();
  });

  it('is an error for events that a newer Patina wrote', () => {
    const path = newDatabasePath();
    writeSession(path);
    const db = openSqlite(path);
    const { at, fact } = db.prepare(`SELECT at, fact FROM events WHERE ${seqIs(13)}`).get() as {
      at: number;
      fact: string;
    };
    db.prepare(`UPDATE events SET v = 99, sum = ? WHERE ${seqIs(13)}`).run(
      crc32(`s\n13\n${at}\n99\n${fact}`),
    );
    db.close();
    const store = openStore(path);
    const newer = {
      error: {
        code: 'STATE',
        message: 'This session was written by a newer Patina (events of version 99).',
        hint: 'Update Patina to open it.',
      },
    };
    expect(store.read('s', 0)).toMatchObject(newer);
    expect(store.tail('s', 5)).toMatchObject(newer);
    store.close();
  });
});
