import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { provideBuild } from './lib/app-build.mjs';
import { PARTS, isPart } from './lib/mutation-parts.mjs';
import { fromRoot } from './lib/paths.mjs';
import { runForeground } from './lib/run-foreground.mjs';
import { say } from './lib/say.mjs';

/**
 * Mutates the code one small piece at a time and counts the mutants that no test detects. `npm run mutation
 * -- tools` measures one part; without a name it measures all parts, which takes hours. `--one-in 10` measures
 * one in ten top-level statements.
 */
const COUNTED = ['Killed', 'Timeout', 'Survived', 'NoCoverage'];

/** @param {string} part @returns {{detected: number, valid: number}} from the report of the run */
function readScore(part) {
  const report = JSON.parse(fs.readFileSync(fromRoot(`test-results/mutation-${part}.json`), 'utf8'));
  /** @type {{status: string}[]} */
  const mutants = Object.values(report.files).flatMap((file) => file.mutants);
  const valid = mutants.filter(({ status }) => COUNTED.includes(status));
  const detected = valid.filter(({ status }) => status === 'Killed' || status === 'Timeout');
  return { detected: detected.length, valid: valid.length };
}

const { values, positionals: names } = parseArgs({
  options: { 'one-in': { type: 'string', default: '1' } },
  allowPositionals: true,
});
const oneIn = values['one-in'];
const unknown = names.find((name) => !isPart(name));
if (!/^[1-9]\d*$/.test(oneIn)) {
  say(`--one-in takes a whole number from 1, not ${oneIn}`);
  process.exitCode = 2;
} else if (unknown !== undefined) {
  say(`no part is called ${unknown}; there are: ${Object.keys(PARTS).join(', ')}`);
  process.exitCode = 2;
} else {
  await provideBuild();
  for (const part of names.length > 0 ? names : Object.keys(PARTS)) {
    const stryker = fromRoot('node_modules/@stryker-mutator/core/bin/stryker.js');
    const env = { ...process.env, PATINA_MUTATION_PART: part, PATINA_MUTATION_ONE_IN: oneIn };
    const code = await runForeground(process.execPath, [stryker, 'run'], env, fromRoot('.'));
    if (code !== 0) process.exitCode = 1;
    else {
      const { detected, valid } = readScore(part);
      say(`${part}: ${detected} of ${valid} mutants detected, ${((100 * detected) / valid).toFixed(1)} %`);
    }
  }
}
