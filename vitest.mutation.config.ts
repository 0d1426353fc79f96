import { defineConfig } from 'vitest/config';
import { PARTS, chosenPart } from './scripts/lib/mutation-parts.mjs';

// Tests whose subject runs in another process are left out, because no mutant is active there; so are the
// damage tests, which take minutes, and those of schemas with unbounded work, which fill a time limit.
export default defineConfig({
  test: {
    environment: 'node',
    include: PARTS[chosenPart()].tests,
    exclude: [
      '**/*kill*.test.ts',
      '**/disk-failure.test.ts',
      '**/damage{,-log}.test.ts',
      '**/schema-work.test.ts',
    ],
    // One needs its own process for the umask, one fills memory faster than instrumented code can, and one kills
    // other processes.
    testNamePattern: /^(?!.*(?:\[STO-private\]|\[BUD-named\]|by a killed process))/,
    testTimeout: 15_000,
  },
});
