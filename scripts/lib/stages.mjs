import { performance } from 'node:perf_hooks';
import { ROOT } from './paths.mjs';
import { runForeground } from './run-foreground.mjs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} [failures] name and first lines of each failure, repeated at the end of the run
 *
 * @typedef {object} Stage one check
 * @property {string} name
 * @property {() => Promise<Tally>} run
 */

/**
 * A stage that runs an npm script and counts as one: passed or failed.
 * @param {string} name
 * @param {string} script
 * @returns {Stage}
 */
export function scriptStage(name, script) {
  return {
    name,
    run: async () =>
      verdict((await runForeground('npm', ['run', '--silent', script], process.env, ROOT)) === 0),
  };
}

/** @param {boolean} sound @returns {Tally} success adds no test to the count; failure adds one failure */
export const verdict = (sound) => ({ passed: 0, failed: sound ? 0 : 1 });

/**
 * The same stage, counted as one: for runs without tests of their own.
 * @param {Stage} stage
 * @returns {Stage}
 */
export const countedAsOne = ({ name, run }) => ({
  name,
  run: async () => {
    const { failed } = await run();
    return failed === 0 ? { passed: 1, failed: 0 } : verdict(false);
  },
});

/**
 * Runs every stage, even after a failure, so that one run reports everything; then repeats the failures at
 * the end of the log and prints `N passed, N failed`.
 * @param {Stage[]} stages
 * @returns {Promise<number>} the exit code
 */
export async function runStages(stages) {
  /** @type {Tally} */
  const sum = { passed: 0, failed: 0 };
  /** @type {string[]} */
  const broken = [];
  for (const stage of stages) {
    process.stdout.write(`\n── ${stage.name}\n`);
    const start = performance.now();
    const { passed, failed, failures = [] } = await tallyOf(stage);
    sum.passed += passed;
    sum.failed += failed;
    if (failed > 0) broken.push([`failed: ${stage.name}`, ...failures].join('\n\n'));
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stdout.write(`   ${stage.name}: ${failed > 0 ? 'FAILED' : 'ok'} (${seconds} s)\n`);
  }
  for (const one of broken) process.stdout.write(`\n${one}\n`);
  process.stdout.write(`\n${sum.passed} passed, ${sum.failed} failed\n`);
  return sum.failed === 0 ? 0 : 1;
}

/**
 * A stage that throws is a failed stage and does not end the run.
 * @param {Stage} stage
 * @returns {Promise<Tally>}
 */
async function tallyOf(stage) {
  try {
    return await stage.run();
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return verdict(false);
  }
}
