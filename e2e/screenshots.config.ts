import { defineConfig } from '@playwright/test';

/** `npm run screenshots`: the states of the window as pictures; not part of the tests. */
export default defineConfig({
  testDir: './states',
  testMatch: 'screenshots.ts',
  outputDir: '../test-results/states',
  workers: 1,
  fullyParallel: false,
  retries: 0,
  timeout: 5 * 60_000,
  expect: { timeout: 15_000 },
  reporter: 'list',
});
