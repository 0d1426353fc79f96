import { defineConfig } from 'vitest/config';
import { PARTS, chosenPart } from './scripts/lib/mutation-parts.mjs';

// Tests that start another process are left out: the mutant would not be active in it.
export default defineConfig({
  test: {
    environment: 'node',
    include: PARTS[chosenPart()].tests,
    exclude: ['**/*kill*.test.ts', '**/disk-failure.test.ts', '**/damage*.test.ts'],
    testTimeout: 15_000,
  },
});
