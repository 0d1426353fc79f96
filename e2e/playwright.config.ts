import { defineConfig } from '@playwright/test';

/**
 * The part of the tests that this run executes, when several runs share the work: each has its own display and
 * report.
 */
const part = process.env['PATINA_E2E_PART'];
const suffix = part === undefined ? '' : `-${part}`;

// One worker: each test starts the real app, and the windows of one display share its focus and its clipboard.
export default defineConfig({
  testDir: './specs',
  globalSetup: '../scripts/lib/own-temp-folder.mjs',
  outputDir: `../test-results/e2e${suffix}`,
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  timeout: 180_000,
  // A soak runs beside other work for hours: a slow start is not a failure there.
  expect: { timeout: process.env['PATINA_FULL_COUNTS'] ? 180_000 : 30_000 },
  reporter: [['list'], ['json', { outputFile: `../test-results/e2e${suffix}.json` }]],
});
