import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { preparedAtBuild } from './scripts/lib/prepared-at-build.mjs';

const fromRoot = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** What the worker is made of and called, by vite's mode. */
const workerOf = (mode: string) =>
  mode === 'emscripten'
    ? { entry: 'src/sandbox-worker/emscripten-worker.ts', file: 'sandbox-worker-emscripten.js' }
    : { entry: 'src/sandbox-worker/index.ts', file: 'sandbox-worker.js' };

/** The sandbox worker: one self-contained file beside main, with the engine inside. `--mode emscripten` makes the other one. */
export default defineConfig(({ mode }) => ({
  publicDir: false,
  plugins: [preparedAtBuild()],
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: fromRoot(workerOf(mode).entry),
    outDir: fromRoot('out/main'),
    emptyOutDir: false,
    target: 'node20.18',
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    rolldownOptions: {
      external: [/^node:/, ...builtinModules, 'electron'],
      output: { format: 'es', entryFileNames: workerOf(mode).file, codeSplitting: false },
    },
  },
}));
