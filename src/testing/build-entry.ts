import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));

/** What the test files of this process have built, by entry and external packages. */
const builds = new Map<string, Promise<string>>();

/**
 * Builds one entry of `src` into a self-contained file outside the project, so that a test can run the same
 * code in a separate process. Returns the file's path; `entry` is relative to `src`. `external` packages
 * (native ones, which cannot be bundled) resolve from the project. Builds each entry once per process.
 */
export function buildEntry(entry: string, external: readonly string[] = []): Promise<string> {
  const key = [entry, ...external].join('\n');
  const build = builds.get(key) ?? bundleEntry(entry, external);
  builds.set(key, build);
  return build;
}

async function bundleEntry(entry: string, external: readonly string[]): Promise<string> {
  const outDir = mkdtempSync(path.join(tmpdir(), 'patina-built-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: [...external] },
    build: {
      ssr: path.join(SOURCES, entry),
      target: 'node20.18',
      outDir,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: { output: { format: 'es', entryFileNames: 'entry.mjs' } },
    },
  });
  // Without a type, Node parses every file twice at each start.
  writeFileSync(path.join(outDir, 'package.json'), '{"type":"module"}');
  if (external.length > 0)
    symlinkSync(path.join(SOURCES, '../node_modules'), path.join(outDir, 'node_modules'));
  return path.join(outDir, 'entry.mjs');
}
