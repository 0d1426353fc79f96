import { findElectron } from './lib/electron.mjs';
import { fromRoot } from './lib/paths.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { say } from './lib/say.mjs';
import { countedAsOne, runStages, verdict } from './lib/stages.mjs';
import { underDisplay } from './lib/under-display.mjs';

/**
 * Runs the full counts of the tests that `npm test` only samples, one part at a time: kills, damaged files,
 * full disks, workers, hostile scripts and servers, the disturbed app, the long stream. `npm run soak --
 * kills` runs the parts whose names contain one of the arguments.
 * @type {Record<string, string[]>}
 */
const TESTS = {
  kills: ['src/main/adapters/storage/kill.test.ts'],
  'kills in a run': ['src/core/agent/run-kill.test.ts', 'src/main/flows/undo-kill.test.ts'],
  damage: ['src/main/adapters/storage/damage-log.test.ts', 'src/main/adapters/storage/damage.test.ts'],
  'full disks': ['src/main/adapters/storage/disk-failure.test.ts'],
  workers: ['src/main/adapters/sandbox/worker-cycles.test.ts'],
  'hostile scripts': ['src/main/adapters/sandbox/hostile-set.test.ts'],
  'hostile servers': [
    'src/main/adapters/mcp/hostile-set.test.ts',
    'src/main/adapters/mcp/hostile-server.test.ts',
  ],
};

/**
 * Parts that disturb the real app: a spec file, and how often to repeat its tests when they do not repeat
 * themselves.
 * @type {Record<string, string[]>}
 */
const SPECS = {
  'app kills': ['app-kills.spec.ts'],
  'renderer, GPU and server kills': ['agent-killed.spec.ts', '--repeat-each', '20'],
  'starts, stops and clocks': ['disturbed.spec.ts'],
};

/** `PATINA_FULL_COUNTS=every` tests every byte of a file instead of those near its edges and every 97th. */
const env = { ...process.env, PATINA_FULL_COUNTS: process.env.PATINA_FULL_COUNTS || '1' };

/** @param {string} program @param {string[]} args */
const passes = async (program, args) =>
  verdict((await runForeground(process.execPath, [fromRoot(program), ...args], env, fromRoot('.'))) === 0);

/** @param {string[]} args */
async function passesInApp(args) {
  const playwright = [fromRoot('node_modules/@playwright/test/cli.js'), 'test', '--config'];
  const config = fromRoot('e2e/playwright.config.ts');
  const display = underDisplay(process.execPath, [...playwright, config, ...args]);
  const dist = { ELECTRON_OVERRIDE_DIST_PATH: findElectron()?.dist };
  return verdict((await runForeground(...display, { ...env, ...dist }, fromRoot('.'))) === 0);
}

const stages = [
  ...Object.entries(TESTS).map(([name, files]) => ({
    name,
    run: () => passes('node_modules/vitest/vitest.mjs', ['run', ...files]),
  })),
  ...Object.entries(SPECS).map(([name, args]) => ({ name, run: () => passesInApp(args) })),
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
