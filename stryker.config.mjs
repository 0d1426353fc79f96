import { PARTS, chosenPart, sampledRanges } from './scripts/lib/mutation-parts.mjs';

const part = chosenPart();
const oneIn = Number(process.env.PATINA_MUTATION_ONE_IN || '1');

/** One part of the code at a time (`npm run mutation -- PART`); a mutant counts as killed only by the part's own tests. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  mutate: oneIn > 1 ? sampledRanges(part, oneIn) : [...PARTS[part].mutate, '!**/*.test.ts'],
  coverageAnalysis: 'perTest',
  // A mutant of code that runs at import would need every test again.
  ignoreStatic: true,
  // The tests of one mutant share two cores with another mutant's: a slow test is no endless loop.
  timeoutMS: 20_000,
  // A measurement may run beside other work, at a low priority.
  dryRunTimeoutMinutes: 40,
  concurrency: 2,
  incremental: oneIn === 1,
  incrementalFile: `.cache/stryker/${part}.json`,
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: `test-results/mutation-${part}.json` },
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  tempDirName: '.cache/stryker/work',
  // The build is copied, not changed: tests that start a real worker need it.
  ignorePatterns: ['dist', '.cache', 'test-results', 'demo-output'],
};
