import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** A test that hangs ends here; a slow machine must not: the slowest test takes a third of this on two busy cores. */
const timeouts = { testTimeout: 180_000, hookTimeout: 180_000 };

// Two projects: everything that runs on Node, and the window's code on a simulated DOM.
export default defineConfig({
  test: {
    globalSetup: 'scripts/lib/own-temp-folder.mjs',
    // The library leaves one core free, which halves the speed of a machine with two.
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          name: 'node',
          environment: 'node',
          include: ['src/**/*.test.ts', 'scripts/**/*.test.mjs', 'bench/**/*.test.ts'],
          exclude: ['src/renderer/**'],
          // The files of a worker share their modules, which halves the time; tests keep no state in a module.
          isolate: false,
          // Shared modules add up, and Node allows a process a quarter of the memory of a small machine.
          execArgv: ['--max-old-space-size=4096'],
          ...timeouts,
        },
      },
      {
        test: {
          name: 'renderer',
          environment: 'happy-dom',
          include: ['src/renderer/**/*.test.ts', 'src/renderer/**/*.test.tsx'],
          setupFiles: ['src/renderer/test-setup.ts'],
          ...timeouts,
        },
      },
    ],
  },
});
