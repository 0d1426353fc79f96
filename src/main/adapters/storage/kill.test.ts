import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildEntry } from '../../../testing/build-entry';
import { timesOf } from '../../../testing/full-counts';
import { must, newDatabasePath, openStore } from '../../../testing/stored-session';

const kills = timesOf(20, 200);
let child = '';

beforeAll(async () => {
  child = await buildEntry('testing/writing-child.ts', ['libsql']);
}, 60_000);

/** The same numbers every time: a failure can be looked at again. */
function createSeededNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Runs the child until it has acknowledged `after` times, kills it, and gives the last number it acknowledged. */
async function killAfter(kind: string, place: string, after: number): Promise<number> {
  const writer = spawn(process.execPath, [child, kind, place], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  await new Promise<void>((resolve) => {
    writer.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (said.split('\n').length > after) writer.kill('SIGKILL');
    });
    writer.on('close', () => resolve());
  });
  // What follows the last line break was cut off by the kill.
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
    // The value being written when the kill came may have made it.
    expect([acknowledged, acknowledged + 1]).toContain(saved.railWidth);
  }
}, 3_600_000);
