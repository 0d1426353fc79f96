import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { preparedAtBuild } from './scripts/lib/prepared-at-build.mjs';

const fromRoot = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** The sandbox worker: one self-contained file beside main, with the engine inside. */
export default defineConfig({
  publicDir: false,
  plugins: [preparedAtBuild()],
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: fromRoot('src/sandbox-worker/index.ts'),
    outDir: fromRoot('out/main'),
    emptyOutDir: false,
    target: 'node20.18',
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    rolldownOptions: {
      external: [/^node:/, ...builtinModules, 'electron'],
      output: { format: 'es', entryFileNames: 'sandbox-worker.js', codeSplitting: false },
    },
  },
});
