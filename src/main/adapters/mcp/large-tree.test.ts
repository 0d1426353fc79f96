import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err } from '#shared/result';
import { buildEntry } from '../../../testing/build-entry';
import { createTempTree, type TempTree } from '../../../testing/temp-tree';
import type { Tools } from '../../../core/ports/tools';
import { createChildBundledServers } from './child-bundled-servers';
import { createChildLinePort } from './child-line-port';
import { createTools } from './create-tools';
import { parseRegistry } from './registry';

const FILES = 20_000;
const SEED = '{"mcpServers":{"project":{"bundled":"project","trusted":true}}}';

/**
 * Twenty thousand files in two hundred folders; every third is binary, many have the same content, some are
 * empty.
 */
function content(index: number): string | Uint8Array {
  if (index % 50 === 0) return '';
  if (index % 3 === 0) return Uint8Array.from([0, index % 11, 255, 10, 84, 79, 68, 79]);
  return `file ${index % 700}\n${'// TODO later\n'.repeat(index % 4)}x`.repeat(1 + (index % 5));
}

describe('[MCP-project] a folder of 20,000 files, binaries included, over real standard input and output', () => {
  let tree: TempTree;
  let tools: Tools;
  let plain: { path: string; bytes: Buffer }[];

  beforeAll(async () => {
    const name = (index: number): string =>
      `d${index % 20}/e${index % 200}/f${index}.${index % 3 === 0 ? 'bin' : 'ts'}`;
    tree = createTempTree(
      Object.fromEntries(Array.from({ length: FILES }, (_, index) => [name(index), content(index)])),
    );
    plain = readdirSync(tree.root, { recursive: true, encoding: 'utf8' })
      .filter((file) => statSync(path.join(tree.root, file)).isFile())
      .sort()
      .map((file) => ({ path: file, bytes: readFileSync(path.join(tree.root, file)) }));
    const server = await buildEntry('project-server/index.ts');
    tools = createTools({
      registry: () => parseRegistry(SEED, 'registry.json'),
      project: tree.root,
      startBundledServer: createChildBundledServers({ project: server, filesystem: server }),
      startChild: createChildLinePort,
      env: {},
      secret: () => err(appError('HOST', 'NOT_FOUND', 'no secrets here')),
    });
  }, 60_000);

  afterAll(async () => {
    await tools.release();
    tree.remove();
  });

  async function call<T>(tool: string, args: JsonObject): Promise<T> {
    const result = await tools.call(`mcp://project.${tool}`, args, new AbortController().signal);
    if (!result.ok) throw new Error(result.error.message);
    return result.value as T;
  }

  it('lists every file once, with its exact size', { timeout: 60_000 }, async () => {
    const listed = await call<{ files: { path: string; size: number }[]; total: number; truncated: boolean }>(
      'list_files',
      { limit: 50_000 },
    );
    expect(listed.total).toBe(FILES);
    expect(listed.truncated).toBe(false);
    expect(listed.files.map(({ path: file, size }) => `${file} ${size}`)).toEqual(
      plain.map((file) => `${file.path} ${file.bytes.length}`),
    );
  });

  it('hashes every file as a plain read does', { timeout: 60_000 }, async () => {
    const paths = plain.map((file) => file.path);
    const halves = [paths.slice(0, 10_000), paths.slice(10_000)];
    const hashed: string[] = [];
    for (const half of halves) {
      const { hashes, failed } = await call<{ hashes: { sha256: string }[]; failed: unknown[] }>(
        'hash_files',
        {
          paths: half,
        },
      );
      expect(failed).toEqual([]);
      hashed.push(...hashes.map((row) => row.sha256));
    }
    expect(hashed).toEqual(plain.map((file) => createHash('sha256').update(file.bytes).digest('hex')));
  });

  it('counts by folder as a plain count does, without binary files', { timeout: 60_000 }, async () => {
    const found = await call<{
      counts: { path: string; matches: number }[];
      matches: unknown[];
      totalMatches: number;
      binary: number;
    }>('search_text', { query: 'TODO', countBy: 'folder' });
    const expected = new Map<string, number>();
    const text = plain.filter((file) => !file.bytes.includes(0));
    for (const file of text) {
      const matches = file.bytes.toString('utf8').split('TODO').length - 1;
      const folder = path.posix.dirname(file.path);
      if (matches > 0) expected.set(folder, (expected.get(folder) ?? 0) + matches);
    }
    expect(found.counts.map((row) => [row.path, row.matches])).toEqual(
      [...expected].sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    expect(found.binary).toBe(plain.length - text.length);
    expect(found.matches).toEqual([]);
  });
});
