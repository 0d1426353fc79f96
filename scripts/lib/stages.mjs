import { performance } from 'node:perf_hooks';
import { ROOT } from './paths.mjs';
import { runCommand } from './run-command.mjs';

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} [failures] name and first lines of each failure, repeated at the end of the run
 * @property {string} [output] what the stage did not print itself
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
    run: async () => {
      const { code, output } = await runCommand('npm', ['run', '--silent', script], {
        cwd: ROOT,
        keep: Infinity,
      });
      return { ...verdict(code === 0), output };
    },
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
    const { failed, output = '' } = await run();
    return failed === 0 ? { passed: 1, failed: 0, output } : { ...verdict(false), output };
  },
});

/** @typedef {{name: string, tally: Tally, seconds: string}} Ended */

/** @param {Stage} stage @returns {Promise<Ended>} */
async function timed(stage) {
  const start = performance.now();
  const tally = await tallyOf(stage);
  return { name: stage.name, tally, seconds: ((performance.now() - start) / 1000).toFixed(1) };
}

const announce = (/** @type {string} */ name) => void process.stdout.write(`\n── ${name}\n`);

/** @param {Ended} ended */
function report({ name, tally: { failed, output = '' }, seconds }) {
  process.stdout.write(`${output}   ${name}: ${failed > 0 ? 'FAILED' : 'ok'} (${seconds} s)\n`);
}

/**
 * Runs stages that need little memory and one core each, two at a time, and reports each as it ends.
 * @param {readonly Stage[]} stages the longest first
 * @returns {Promise<Ended[]>}
 */
async function runTwoAtATime(stages) {
  const waiting = [...stages];
  /** @type {Ended[]} */
  const ended = [];
  const work = async () => {
    for (let stage = waiting.shift(); stage; stage = waiting.shift()) {
      const one = await timed(stage);
      announce(one.name);
      report(one);
      ended.push(one);
    }
  };
  await Promise.all([work(), work()]);
  return ended;
}

/** @param {Stage} stage */
async function runAlone(stage) {
  announce(stage.name);
  const ended = await timed(stage);
  report(ended);
  return [ended];
}

/**
 * Runs every stage, even after a failure, so that one run reports everything; then repeats the failures at
 * the end of the log and prints `N passed, N failed`.
 * @param {readonly (Stage | readonly Stage[])[]} stages those of a list run two at a time
 * @returns {Promise<number>} the exit code
 */
export async function runStages(stages) {
  /** @type {Ended[]} */
  const all = [];
  for (const one of stages) all.push(...(await ('run' in one ? runAlone(one) : runTwoAtATime(one))));
  const broken = all.filter(({ tally }) => tally.failed > 0);
  for (const { name, tally } of broken)
    process.stdout.write(`\n${[`failed: ${name}`, ...(tally.failures ?? [])].join('\n\n')}\n`);
  const sum = (/** @type {'passed' | 'failed'} */ key) =>
    all.reduce((total, { tally }) => total + tally[key], 0);
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`);
  return sum('failed') === 0 ? 0 : 1;
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
