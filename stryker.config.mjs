import { PARTS, chosenPart } from './scripts/lib/mutation-parts.mjs';

const part = chosenPart();

/** One part of the code at a time (`npm run mutation -- PART`); a mutant counts as killed only by the part's own tests. */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  mutate: [...PARTS[part].mutate, '!**/*.test.ts'],
  coverageAnalysis: 'perTest',
  // A mutant of code that runs at import would need every test again.
  ignoreStatic: true,
  concurrency: 2,
  incremental: true,
  incrementalFile: `.cache/stryker/${part}.json`,
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: `test-results/mutation-${part}.json` },
  clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
  tempDirName: '.cache/stryker/work',
  ignorePatterns: ['out', 'dist', '.cache', 'test-results', 'demo-output'],
};
