import { mkdir, mkdtemp, realpath, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err } from '#shared/result';
import { buildEntry } from '../../../testing/build-entry';
import type { Tools } from '../../../core/ports/tools';
import { createChildBundledServers } from './child-bundled-servers';
import { createChildLinePort } from './child-line-port';
import { createTools } from './create-tools';
import { parseRegistry } from './registry';

const SEED = JSON.stringify({
  mcpServers: {
    project: { bundled: 'project', trusted: true },
    filesystem: { bundled: 'filesystem', trusted: true },
  },
});
const signal = new AbortController().signal;

describe('the two bundled servers over real standard input and output', () => {
  let project: string;
  let tools: Tools;

  beforeAll(async () => {
    project = await realpath(await mkdtemp(path.join(tmpdir(), 'patina-tools-')));
    await mkdir(path.join(project, 'docs'));
    await writeFile(path.join(project, 'docs', 'a.txt'), 'one\ntwo TODO\n');
    await writeFile(path.join(project, 'b.bin'), Buffer.from([0, 1, 2, 255]));
    const files = {
      project: await buildEntry('project-server/index.ts'),
      filesystem: createRequire(import.meta.url).resolve(
        '@modelcontextprotocol/server-filesystem/dist/index.js',
      ),
    };
    tools = createTools({
      registry: () => parseRegistry(SEED, 'registry.json'),
      project,
      startBundledServer: createChildBundledServers(files),
      startChild: createChildLinePort,
      env: {},
      secret: () => err(appError('HOST', 'NOT_FOUND', 'no secrets here')),
    });
  });
  afterAll(() => tools.release());

  it('start only on first use, then list the tools of both, marked as reading or not', async () => {
    expect(tools.servers().map((server) => server.state)).toEqual(['idle', 'idle']);
    const listed = await tools.list();
    if (!listed.ok) throw new Error(listed.error.message);
    const readOnly = Object.fromEntries(listed.value.map((tool) => [tool.uri, tool.readOnly]));
    expect(readOnly).toMatchObject({
      'mcp://project.list_files': true,
      'mcp://project.hash_files': true,
      'mcp://project.search_text': true,
      'mcp://project.read_text': true,
      'mcp://filesystem.write_file': false,
      'mcp://filesystem.read_text_file': true,
    });
    expect(tools.servers().map((server) => server.state)).toEqual(['ready', 'ready']);
  });

  it('return structured results as objects', async () => {
    const files = await tools.call('mcp://project.list_files', {}, signal);
    expect(files).toMatchObject({
      ok: true,
      value: {
        files: [
          { path: 'b.bin', size: 4 },
          { path: 'docs/a.txt', size: 13 },
        ],
        total: 2,
        truncated: false,
      },
    });
    const written = await tools.call(
      'mcp://filesystem.write_file',
      { path: path.join(project, 'new.txt'), content: 'x' },
      signal,
    );
    expect(written).toMatchObject({ ok: true });
  });

  it('report a missing or invalid argument with a typed error', async () => {
    const code = async (uri: string, args: Record<string, string>): Promise<string> => {
      const result = await tools.call(uri, args, signal);
      return result.ok ? 'ok' : `${result.error.kind}/${result.error.code}`;
    };
    expect(await code('mcp://project.read_text', { path: 'none.txt' })).toBe('TOOL/NOT_FOUND');
    expect(await code('mcp://project.read_text', { path: '../x' })).toBe('TOOL/INVALID_ARGUMENTS');
    expect(await code('mcp://project.read_text', { path: 'b.bin' })).toBe('TOOL/INVALID_ARGUMENTS');
    expect(await code('mcp://project.read_text', { pat: 'b.bin' })).toBe('TOOL/INVALID_ARGUMENTS');
    expect(await code('mcp://project.no_such', {})).toBe('TOOL/NOT_FOUND');
    expect(await code('mcp://nobody.tool', {})).toBe('TOOL/NOT_FOUND');
    expect(await code('mcp://filesystem.read_text_file', { path: path.join(project, 'none') })).toBe(
      'TOOL/NOT_FOUND',
    );
  });

  it('end on release and restart on the next use', async () => {
    await tools.list();
    await tools.release();
    expect(tools.servers().map((server) => server.state)).toEqual(['idle', 'idle']);
    expect((await tools.call('mcp://project.read_text', { path: 'docs/a.txt' }, signal)).ok).toBe(true);
    expect(tools.servers().map((server) => server.state)).toEqual(['ready', 'idle']);
  });
});
