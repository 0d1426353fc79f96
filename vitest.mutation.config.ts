import { defineConfig } from 'vitest/config';

// The tests that run inside one process: a mutant must be active in the process that the test looks at.
export default defineConfig({
  test: {
    environment: 'node',
    include: [
      'src/main/{agent,session,tools,workflows}/**/*.test.ts',
      'src/main/adapters/storage/**/*.test.ts',
      'src/shared/**/*.test.ts',
      'src/main/*workflow*.test.ts',
    ],
    exclude: ['**/*kill*.test.ts', '**/damage*.test.ts'],
    testTimeout: 15_000,
  },
});
