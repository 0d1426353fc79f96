import fs from 'node:fs';
import { coverage, passedInPlaywright, passedInVitest, readRequirements } from './coverage-gate.mjs';
import { CHECK_STAGES, UNIT_REPORT } from './lib/check-stages.mjs';
import { findElectron } from './lib/electron.mjs';
import { fromRoot } from './lib/paths.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { runStages, verdict } from './lib/stages.mjs';
import { readTally, tallyPlaywright } from './lib/test-reports.mjs';
import { underDisplay } from './lib/under-display.mjs';

const E2E_REPORT = fromRoot('test-results/e2e.json');

/** Runs the real app in the real Electron, on its own virtual display. */
async function runE2e() {
  fs.rmSync(E2E_REPORT, { force: true });
  const playwright = fromRoot('node_modules/@playwright/test/cli.js');
  const args = [playwright, 'test', '--config', fromRoot('e2e/playwright.config.ts')];
  const env = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: findElectron()?.dist };
  const code = await runForeground(...underDisplay(process.execPath, args), env);
  return readTally(E2E_REPORT, tallyPlaywright, code);
}

/** Checks that a test that passed in this run proves every listed requirement. */
async function runCoverage() {
  const titles = [...passedInVitest(readReport(UNIT_REPORT)), ...passedInPlaywright(readReport(E2E_REPORT))];
  const { unproven, unknown } = coverage(readRequirements(fromRoot('e2e/requirements')), titles);
  for (const id of unproven) process.stdout.write(`no passed test cites ${id}\n`);
  for (const id of unknown) process.stdout.write(`${id} is cited and nowhere written down\n`);
  return verdict(unproven.length + unknown.length === 0);
}

/** @param {string} file */
const readReport = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

process.exitCode = await runStages([
  ...CHECK_STAGES,
  { name: 'e2e', run: runE2e },
  { name: 'requirements', run: runCoverage },
]);
