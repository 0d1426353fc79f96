import fs from 'node:fs';
import os from 'node:os';
import { findElectron } from './electron.mjs';
import { fromRoot } from './paths.mjs';
import { runBeside } from './run-foreground.mjs';
import { readTally, tallyPlaywright } from './test-reports.mjs';
import { underDisplay } from './under-display.mjs';

/**
 * How many runs share the tests. One test keeps about two cores busy: its app, its driver and its display; more
 * tests at once take as long and wait longer for what they expect. Only Linux gives each run a display of its own;
 * elsewhere windows would take each other's focus.
 */
const CORES_PER_PART = 2;
const PARTS =
  process.platform === 'linux'
    ? Math.min(Math.max(1, Math.floor(os.availableParallelism() / CORES_PER_PART)), 4)
    : 1;
const PART_NAMES = Array.from({ length: PARTS }, (_, n) => String(n + 1));

const reportOf = (/** @type {string} */ part) => fromRoot(`test-results/e2e-${part}.json`);

/** The reports of the last run. */
export const E2E_REPORTS = PART_NAMES.map(reportOf);

/**
 * Runs the real app in the real Electron; each part of the tests has a virtual display of its own.
 * @returns {Promise<import('./stages.mjs').Tally>}
 */
export async function runE2e() {
  const tallies = await Promise.all(PART_NAMES.map(runPart));
  return {
    passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
    failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
    failures: tallies.flatMap(({ failures = [] }) => failures),
  };
}

/** @param {string} part */
async function runPart(part) {
  fs.rmSync(reportOf(part), { force: true });
  const playwright = [fromRoot('node_modules/@playwright/test/cli.js'), 'test'];
  const config = ['--config', fromRoot('e2e/playwright.config.ts'), `--shard=${part}/${PARTS}`];
  const [file, args] = underDisplay(process.execPath, [...playwright, ...config]);
  const own = { PATINA_E2E_PART: part, ELECTRON_OVERRIDE_DIST_PATH: findElectron()?.dist };
  const code = await runBeside(file, args, { ...process.env, ...own });
  return readTally(reportOf(part), tallyPlaywright, code);
}
