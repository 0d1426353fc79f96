import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { storeSession } from '../e2e/fixtures/stored-sessions';
import { structureProblem } from '../src/main/adapters/storage/check-database';
import { must, openStore } from '../src/testing/stored-session';
import { median, report } from './lib/report';

const short = process.env['PATINA_BENCH_SHORT'] === '1';
const sessions = short ? 2 : 8;
const rounds = 9;

function homeOf(count: number): string {
  const home = mkdtempSync(join(tmpdir(), 'patina-bench-'));
  for (let at = 0; at < Math.max(1, count); at += 1) {
    const turns = count === 0 ? 1 : 2_000;
    storeSession(home, { id: `ses_${at}`, title: `Talk ${at}`, turns, pieces: 20 });
  }
  return home;
}

/** Milliseconds until a store was opened and has listed its sessions. */
function startTime(home: string): number {
  const started = performance.now();
  const store = openStore(join(home, 'sessions.db'));
  must(store.list());
  const took = performance.now() - started;
  store.close();
  return took;
}

const [large, empty] = [homeOf(sessions), homeOf(0)];
const times = { large: [] as number[], empty: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  times.empty.push(startTime(empty));
  times.large.push(startTime(large));
}
const file = join(large, 'sessions.db');
const megabytes = Math.round(statSync(file).size / 1_048_576);
report({
  name: `start of the store over ${megabytes} MB`,
  value: median(times.large),
  floor: median(times.empty),
  goal: 1.5,
  unit: 'ms',
});
const began = performance.now();
if (structureProblem(file) !== null) throw new Error('The file is not sound.');
report({
  name: 'what a start would take that reads every page',
  value: performance.now() - began + median(times.large),
  floor: median(times.empty),
  goal: 1_000,
  unit: 'ms',
});
for (const home of [large, empty]) rmSync(home, { recursive: true, force: true });
