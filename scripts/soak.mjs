import { fromRoot } from './lib/paths.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { say } from './lib/say.mjs';
import { countedAsOne, runStages, verdict } from './lib/stages.mjs';

/**
 * The full counts of what `npm test` only samples, one part at a time: kills, damaged files, full disks, workers, hostile scripts and servers, the long
 * stream. `npm run soak -- kills` runs the parts whose names contain one of the words given.
 * @type {Record<string, string[]>}
 */
const TESTS = {
  kills: ['src/main/adapters/storage/kill.test.ts'],
  'kills in a run': ['src/main/agent/run-kill.test.ts'],
  damage: ['src/main/adapters/storage/damage-log.test.ts', 'src/main/adapters/storage/damage.test.ts'],
  'full disks': ['src/main/adapters/storage/disk-failure.test.ts'],
  workers: ['src/main/adapters/sandbox/worker-cycles.test.ts'],
  'hostile scripts': ['src/main/adapters/sandbox/hostile-set.test.ts'],
  'hostile servers': [
    'src/main/adapters/mcp/hostile-set.test.ts',
    'src/main/adapters/mcp/hostile-server.test.ts',
  ],
};

/** `PATINA_FULL_COUNTS=every` takes every byte of a file instead of those near its edges and every 97th. */
const env = { ...process.env, PATINA_FULL_COUNTS: process.env.PATINA_FULL_COUNTS || '1' };

/** @param {string} program @param {string[]} args */
const passes = async (program, args) =>
  verdict((await runForeground(process.execPath, [fromRoot(program), ...args], env, fromRoot('.'))) === 0);

const stages = [
  ...Object.entries(TESTS).map(([name, files]) => ({
    name,
    run: () => passes('node_modules/vitest/vitest.mjs', ['run', ...files]),
  })),
  { name: 'long stream', run: () => passes('scripts/bench.mjs', ['stream']) },
];
const wanted = process.argv.slice(2);
const chosen = stages.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)));

if (chosen.length === 0) {
  say(`no part is called ${wanted.join(' or ')}; there are: ${stages.map(({ name }) => name).join(', ')}`);
  process.exitCode = 2;
} else {
  process.exitCode = await runStages(chosen.map(countedAsOne));
}
