import { defineConfig } from 'vitest/config';

// Two projects: everything that runs on Node, and the window's code on a simulated DOM.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          include: ['src/**/*.test.ts', 'scripts/**/*.test.mjs', 'bench/**/*.test.ts'],
          exclude: ['src/renderer/**'],
          testTimeout: 15_000,
        },
      },
      {
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['src/renderer/**/*.test.ts', 'src/renderer/**/*.test.tsx'],
          testTimeout: 15_000,
        },
      },
    ],
  },
});
