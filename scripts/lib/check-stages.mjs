import fs from 'node:fs';
import { provideBuild } from './app-build.mjs';
import { fromRoot } from './paths.mjs';
import { runForeground } from './run-foreground.mjs';
import { scriptStage } from './stages.mjs';
import { readTally, tallyVitest } from './test-reports.mjs';

/** Where vitest writes its report. */
export const UNIT_REPORT = fromRoot('test-results/unit.json');

/** @returns {Promise<import('./stages.mjs').Tally>} */
async function runUnit() {
  fs.rmSync(UNIT_REPORT, { force: true });
  const vitest = fromRoot('node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${UNIT_REPORT}`];
  const code = await runForeground(process.execPath, args);
  return readTally(UNIT_REPORT, tallyVitest, code);
}

async function runBuild() {
  await provideBuild();
  return { passed: 0, failed: 0 };
}

/**
 * The stages of `npm run check`, in order; those of a list run two at a time.
 * @type {(import('./stages.mjs').Stage | import('./stages.mjs').Stage[])[]}
 */
export const CHECK_STAGES = [
  [
    scriptStage('lint', 'check:lint'),
    scriptStage('format', 'check:format'),
    scriptStage('types', 'check:types'),
    scriptStage('imports', 'check:imports'),
    scriptStage('dead code', 'check:dead-code'),
  ],
  { name: 'build', run: runBuild },
  { name: 'unit', run: runUnit },
];
