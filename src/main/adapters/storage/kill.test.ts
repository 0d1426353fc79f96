import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildEntry } from '../../../testing/build-entry';
import { timesOf } from '../../../testing/full-counts';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import { makeCopy } from './session-copies';
import { openSqlite } from './sqlite';

const kills = timesOf(20, 200);
let child = '';

beforeAll(async () => {
  child = await buildEntry('testing/writing-child.ts', ['libsql']);
}, 60_000);

/** Deterministic random numbers, so that a failure can be reproduced. */
function createSeededNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/**
 * Kills after a number of event loop turns, a few microseconds each: without them every kill would hit the
 * same place.
 */
function killIn(writer: ChildProcess, turns: number): void {
  if (turns <= 0) writer.kill('SIGKILL');
  else setImmediate(() => killIn(writer, turns - 1));
}

/**
 * Runs the child until it has acknowledged `after` times, kills it, and returns the last number it
 * acknowledged.
 */
async function killAfter(kind: string, place: string, after: number, turns = 0): Promise<number> {
  const writer = spawn(process.execPath, [child, kind, place], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  await new Promise<void>((resolve) => {
    writer.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.split('\n').length > after) killIn(writer, turns);
    });
    writer.on('close', () => resolve());
  });
  // The kill cut off any output after the last line break.
  const numbers = said.slice(0, said.lastIndexOf('\n')).split('\n').map(Number);
  expect(numbers.length).toBeGreaterThanOrEqual(after);
  return numbers.at(-1)!;
}

it(`[H54] ${kills} kills while appending lose no acknowledged event`, async () => {
  const path = newDatabasePath();
  const next = createSeededNumbers(54);
  for (let round = 0; round < kills; round += 1) {
    const acknowledged = await killAfter('sessions', path, 1 + Math.floor(next() * 40));
    const store = openStore(path, { pid: 1 });
    const events = must(store.read('s', 0)).events;
    expect(store.salvage()).toBeNull();
    expect(events.length).toBeGreaterThanOrEqual(acknowledged);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
    expect(must(store.list())[0]?.title).toBe(events.findLast((event) => 'title' in event)?.title);
    store.close();
  }
}, 3_600_000);

it(`[H53] ${kills} kills while saving settings leave a file that parses and holds the last value`, async () => {
  const home = mkdtempSync(join(tmpdir(), 'patina-kill-'));
  const next = createSeededNumbers(53);
  for (let round = 0; round < kills; round += 1) {
    const acknowledged = await killAfter('settings', home, 1 + Math.floor(next() * 20));
    const saved = JSON.parse(readFileSync(join(home, 'ui_settings.json'), 'utf8')) as { railWidth: number };
    // The value being written at the time of the kill may have been saved.
    expect([acknowledged, acknowledged + 1]).toContain(saved.railWidth);
  }
}, 3_600_000);

const sessionIds = ['a', 'b', 'c', 'd'];

/** Sessions with each kind of damage, and a copy from before the damage. */
function writeDamagedSessions(): string {
  const path = newDatabasePath();
  const store = openStore(path);
  for (const id of sessionIds) {
    must(store.acquireLease(id));
    must(store.append(id, 0, turnFacts(1_500, `${id} piece`)));
  }
  store.close();
  expect(makeCopy(path, Date.parse('2026-05-04'))).toBeNull();
  const db = openSqlite(path);
  db.exec(`UPDATE events SET sum = sum + 1 WHERE id % ${2 ** 32} % 7 = 0`);
  db.exec(`DELETE FROM events WHERE id % ${2 ** 32} % 11 = 0 OR id % ${2 ** 32} > 1450`);
  db.close();
  return path;
}

/** Each session as text: its events, its summary row, its head, and its words. */
function sessionTexts(path: string): ReadonlyMap<string, string> {
  const db = openSqlite(path);
  const all = (sql: string, id: string): unknown => db.prepare(sql).all(id);
  const texts = sessionIds.map((id): [string, string] => [
    id,
    JSON.stringify([
      all('SELECT id, at, v, sum, hex(fact) FROM events WHERE session_id = ? ORDER BY id', id),
      all('SELECT * FROM sessions WHERE id = ?', id),
      all('SELECT * FROM heads WHERE session_id = ?', id),
      all(
        `SELECT id, text FROM messages WHERE id / ${2 ** 32} = (SELECT key FROM sessions WHERE id = ?) ORDER BY id`,
        id,
      ),
    ]),
  ]);
  db.close();
  return new Map(texts);
}

const copyOf = (path: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'patina-repair-'));
  cpSync(dirname(path), folder, { recursive: true });
  return join(folder, 'sessions.db');
};

const repairKills = timesOf(12, 200);

it(`[STO-repair] ${repairKills} kills while repairing leave each session as it was or repaired`, async () => {
  const path = writeDamagedSessions();
  const before = sessionTexts(path);
  const undisturbed = copyOf(path);
  const store = openStore(undisturbed);
  for (const id of sessionIds) expect(must(store.repair(id)).damaged).toBe(0);
  store.close();
  const repaired = sessionTexts(undisturbed);
  const next = createSeededNumbers(57);
  let midway = 0;
  for (let round = 0; round < repairKills; round += 1) {
    const hurt = copyOf(path);
    const acknowledged = await killAfter(
      'repair',
      hurt,
      1 + Math.floor(next() * 4),
      Math.floor(next() * 20_000),
    );
    const after = sessionTexts(hurt);
    const done = sessionIds.filter((id) => after.get(id) === repaired.get(id));
    for (const id of sessionIds) expect([before.get(id), repaired.get(id)]).toContain(after.get(id));
    expect(done.length).toBeGreaterThanOrEqual(acknowledged);
    if (done.length < sessionIds.length) midway += 1;
    const again = openStore(hurt, { pid: 1 });
    expect(again.salvage()).toBeNull();
    for (const id of sessionIds) expect(must(again.repair(id)).damaged).toBe(0);
    again.close();
    expect(sessionTexts(hurt)).toEqual(repaired);
  }
  // If every kill came too late, the test would prove nothing.
  expect(midway).toBeGreaterThan(0);
}, 3_600_000);
