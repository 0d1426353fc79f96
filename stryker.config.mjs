export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  mutate: ['src/main/tools/gate.ts'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  reporters: ['clear-text'],
  tempDirName: '.cache/stryker',
  ignorePatterns: ['out', 'dist', '.cache', 'test-results', 'demo-output'],
};
