import { defineConfig } from '@playwright/test';

// One worker: each test starts the real app, and two cores carry one at a time without distortion.
export default defineConfig({
  testDir: './specs',
  outputDir: '../test-results/e2e',
  workers: 1,
  fullyParallel: false,
  forbidOnly: true,
  retries: 0,
  timeout: 180_000,
  // A soak runs beside other work for hours: a slow start is no failure there.
  expect: { timeout: process.env['PATINA_FULL_COUNTS'] ? 180_000 : 15_000 },
  reporter: [['list'], ['json', { outputFile: '../test-results/e2e.json' }]],
});
