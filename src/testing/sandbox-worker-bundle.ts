import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const fromRoot = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** What the test files of this process have built, by entry. */
const builds = new Map<string, Promise<string>>();

/**
 * Builds the worker from source, like the product, into its own folder; returns the file. `entry` is another
 * entry point, relative to the project, for a deliberately faulty worker. Builds each entry once per process.
 */
export function buildSandboxWorker(entry = 'src/sandbox-worker/index.ts'): Promise<string> {
  const build = builds.get(entry) ?? bundleWorker(entry);
  builds.set(entry, build);
  return build;
}

async function bundleWorker(entry: string): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'patina-worker-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  await build({
    configFile: fromRoot('vite.worker.config.ts'),
    logLevel: 'error',
    build: { outDir, ssr: fromRoot(entry) },
  });
  await writeFile(join(outDir, 'package.json'), '{"type":"module"}');
  return join(outDir, 'sandbox-worker.js');
}
