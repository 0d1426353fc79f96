import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { buildEntry } from '../../testing/build-entry';
import { timesOf } from '../../testing/full-counts';
import { buildSandboxWorker } from '../../testing/sandbox-worker-bundle';

const kills = timesOf(4, 50);
const folder = mkdtempSync(join(tmpdir(), 'patina-run-kill-'));
let child = '';
let worker = '';

beforeAll(async () => {
  child = await buildEntry('testing/run-child.ts', ['libsql']);
  worker = await buildSandboxWorker();
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const add = (...numbers: readonly number[]): string =>
  `for (const n of ${JSON.stringify(numbers)}) await tools.ledger.add({ n }); return { summary: 'added' };`;
const plan = planOf([
  scriptNode('look', 'return { summary: "looked", state: await tools.ledger.read({}) };'),
  scriptNode('first', add(1, 2, 3), { deps: ['look'] }),
  scriptNode(
    'pair',
    "await Promise.all([4, 5, 6].map((n) => tools.ledger.add({ n }))); return { summary: 'added' };",
    { deps: ['first'] },
  ),
  scriptNode('last', add(7), { deps: ['pair'] }),
]);

/** A seeded generator, so that a failure can be reproduced. */
function createSeededNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A home, a project and an empty ledger that only the run's server writes to. */
function newPlace(round: number) {
  const place = join(folder, String(round));
  const [home, project, ledger] = [join(place, 'home'), join(place, 'project'), join(place, 'ledger.txt')];
  mkdirSync(join(project, '.patina'), { recursive: true });
  writeFileSync(join(project, '.patina/capabilities.json'), JSON.stringify({ allow: ['mcp://ledger.*'] }));
  const server = resolve('src/testing/mcp-peers/ledger-server.mjs');
  const row = { command: process.execPath, args: [server, ledger], trusted: true };
  writeFileSync(join(place, 'registry.json'), JSON.stringify({ mcpServers: { ledger: row } }));
  writeFileSync(join(place, 'plan.json'), JSON.stringify(plan));
  writeFileSync(ledger, '');
  const args = [child, home, project, ledger, join(place, 'plan.json')];
  const env = { ...process.env, MCP_REGISTRY: join(place, 'registry.json'), SANDBOX_PATH: worker };
  const written = () => readFileSync(ledger, 'utf8').split('\n').slice(0, -1).map(Number);
  return { args, env: { ...env, PATINA_DISCOVERY: 'off' }, written };
}

/** Waits for some event loop turns of this process, during which the other process advances. */
function hop(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(() => hop(turns - 1, then));
}

/**
 * The output of a process until it ended, or until it was killed a number of event loop turns after its
 * `after`-th event.
 */
async function live(
  { args, env }: ReturnType<typeof newPlace>,
  kill?: { readonly after: number; readonly hops: number },
): Promise<readonly string[]> {
  const process_ = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  let aimed = false;
  await new Promise<void>((settle) => {
    process_.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
      if (!kill || aimed || said.split('\nevent ').length <= kill.after) return;
      aimed = true;
      hop(kill.hops, () => process_.kill('SIGKILL'));
    });
    process_.on('close', () => settle());
  });
  // Text after the last line break was cut off by the kill.
  return said
    .slice(0, said.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
}

const numberIn = (lines: readonly string[], start: string): number | undefined => {
  const line = lines.findLast((one) => one.startsWith(start));
  return line === undefined ? undefined : Number(line.split(' ')[1]);
};

it(`[AGX-kill] ${kills} kills in a run lose no event and repeat no write, and the run comes to its end`, async () => {
  const next = createSeededNumbers(1_858);
  const seen = { unknown: 0, killed: 0 };
  for (let round = 0; round < kills; round += 1) {
    const place = newPlace(round);
    const told = `round ${round}`;
    let acknowledged = 0;
    let lines: readonly string[] = [];
    for (const again of [true, round % 3 === 0, false]) {
      lines = await live(place, again ? { after: 2 + next(50), hops: next(1_500) } : undefined);
      expect(numberIn(lines, 'found '), told).toBeGreaterThanOrEqual(acknowledged);
      expect(
        lines.find((line) => line.startsWith('found ')),
        told,
      ).toMatch(/ true$/);
      acknowledged = Math.max(acknowledged, numberIn(lines, 'event ') ?? 0);
      const written = place.written();
      expect(new Set(written).size, `${told}: ${written.join(' ')}`).toBe(written.length);
      seen.unknown += lines.filter((line) => line.startsWith('unknown ')).length;
      if (lines.at(-1)?.startsWith('over ') !== true) seen.killed += 1;
    }
    expect(lines.at(-1), told).toBe('over done');
    const written = place.written();
    expect([...written.slice(0, 3), ...written.slice(3, 6).sort(), ...written.slice(6)], told).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ]);
  }
  expect(seen.killed, JSON.stringify(seen)).toBeGreaterThan(kills / 2);
}, 3_600_000);
