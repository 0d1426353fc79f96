import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  watch,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { buildEntry } from '../../../testing/build-entry';
import { loseEvents, must, newDatabasePath, openStore } from '../../../testing/stored-session';
import { createSessionLog } from '../../../core/session/session-log';
import { migrations } from './schema';
import { eraseDeleted, copiesFolder, copyDue, listCopies, makeCopy } from './session-copies';
import { openSqlite } from './sqlite';

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
    expect(must(log.repair('s'))).toMatchObject({ damaged: 0 });
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
    expect(must(log.repair('s'))).toMatchObject({ fromUnreadable: 7, damaged: 1 });
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
  it('is made once a day, complete, for its owner only, and the last three are kept', () => {
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
