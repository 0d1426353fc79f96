import fs from 'node:fs';
import { coverage, passedInPlaywright, passedInVitest, readRequirements } from './coverage-gate.mjs';
import { CHECK_STAGES, UNIT_REPORT } from './lib/check-stages.mjs';
import { E2E_REPORTS, runE2e } from './lib/e2e.mjs';
import { fromRoot } from './lib/paths.mjs';
import { runStages, verdict } from './lib/stages.mjs';

/** Checks that a test that passed in this run proves every listed requirement. */
async function runCoverage() {
  const e2e = E2E_REPORTS.flatMap((file) => passedInPlaywright(readReport(file)));
  const titles = [...passedInVitest(readReport(UNIT_REPORT)), ...e2e];
  const { unproven, unknown, repeated } = coverage(readRequirements(fromRoot('e2e/requirements')), titles);
  for (const id of unproven) process.stdout.write(`no passed test cites ${id}\n`);
  for (const id of unknown) process.stdout.write(`${id} is cited and nowhere written down\n`);
  for (const id of repeated) process.stdout.write(`${id} is written down twice\n`);
  return verdict(unproven.length + unknown.length + repeated.length === 0);
}

/** @param {string} file */
const readReport = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

process.exitCode = await runStages([
  ...CHECK_STAGES,
  { name: 'e2e', run: runE2e },
  { name: 'requirements', run: runCoverage },
]);
