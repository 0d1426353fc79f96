import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createTempTree } from '../../../testing/temp-tree';
import { parseRegistry, serverName } from './registry';
import { readRegistry } from './registry-file';

const SEED = fileURLToPath(new URL('../../../../seeds/mcp/registry.json', import.meta.url));

const parse = (value: unknown) => parseRegistry(JSON.stringify(value), 'r.json');

describe('the registry as text', () => {
  it('has our two servers as the seed, trusted', () => {
    const seed = parseRegistry(readFileSync(SEED, 'utf8'), SEED);
    expect(seed.ok && [...seed.value]).toEqual([
      ['project', { kind: 'bundled', bundled: 'project', trusted: true, disabled: false }],
      ['filesystem', { kind: 'bundled', bundled: 'filesystem', trusted: true, disabled: false }],
    ]);
  });

  it('accepts the files of other programs, with normalised names, without disabled servers', () => {
    const claude = parse({
      globalShortcut: 'x',
      mcpServers: {
        'GitHub Tools': { command: 'npx', args: ['-y', 'x'], env: { TOKEN: '${TOKEN}' }, autoApprove: [] },
        off: { command: 'x', disabled: true },
      },
    });
    expect(claude.ok && [...claude.value.keys()]).toEqual(['github-tools']);
    const code = parse({ inputs: [], servers: { web: { type: 'http', url: 'https://example.org/mcp' } } });
    expect(code.ok && code.value.get('web')).toMatchObject({ kind: 'http', trusted: false });
  });

  it('[MCP-limits] has bounds for the limits of a server, and progress never shortens a call', () => {
    const field = (limits: object) => {
      const read = parse({ mcpServers: { a: { command: 'x', ...limits } } });
      return read.ok ? 'good' : read.error.problems?.map(({ field: at }) => at).join();
    };
    expect(field({ timeoutMs: 1_000, maxTimeoutMs: 1_000, startTimeoutMs: 3_600_000 })).toBe('good');
    expect(field({ maxTimeoutMs: 300_000 })).toBe('good');
    expect(field({ timeoutMs: 999 })).toBe('mcpServers.a.timeoutMs');
    expect(field({ timeoutMs: '5 s' })).toBe('mcpServers.a.timeoutMs');
    expect(field({ timeoutMs: 86_400_001 })).toBe('mcpServers.a.timeoutMs');
    expect(field({ startTimeoutMs: 0 })).toBe('mcpServers.a.startTimeoutMs');
    expect(field({ timeoutMs: 2_000, maxTimeoutMs: 1_999 })).toBe('mcpServers.a.maxTimeoutMs');
    expect(field({ maxTimeoutMs: 299_999 })).toBe('mcpServers.a.maxTimeoutMs');
  });

  it('reports all problems at once, with their fields', () => {
    const result = parse({
      mcpServers: {
        a: { command: 7 },
        b: {},
        c: { url: 'file:///etc/passwd' },
        'x y': { command: 'x' },
        'X-Y': { command: 'x' },
      },
    });
    const problems = result.ok ? [] : (result.error.problems ?? []);
    expect(result).toMatchObject({ ok: false, error: { kind: 'CONFIG', code: 'INVALID' } });
    expect(problems.map((problem) => problem.field)).toEqual([
      'mcpServers.a.command',
      'mcpServers.b',
      'mcpServers.c.url',
      'mcpServers.X-Y',
    ]);
    expect(problems.every((problem) => problem.file === 'r.json' && problem.reason !== '')).toBe(true);
  });

  it.each([
    '',
    '{',
    '[]',
    'null',
    '{"mcpServers":[]}',
    '{"mcpServers":{"a":null}}',
    '{}',
    '{"mcpServers":{"a":"x"}}',
  ])('%j is CONFIG/INVALID', (text) => {
    expect(parseRegistry(text, 'r.json')).toMatchObject({
      ok: false,
      error: { kind: 'CONFIG', code: 'INVALID' },
    });
  });

  it.each([
    ['GitHub', 'github'],
    ['my.server (2)', 'my-server-2'],
    ['a_b-c', 'a_b-c'],
    ['日本', ''],
    ['--a--', 'a'],
  ])('the name %j becomes %j', (written, name) => {
    expect(serverName(written)).toBe(name);
  });

  it('reads a name of very many hyphens in linear time', () => {
    const long = `a${'-'.repeat(300_000)}b`;
    expect(serverName(`${long}-`)).toBe(long);
  });
});

describe('the registry file', () => {
  const servers = (result: ReturnType<typeof readRegistry>): string[] | string =>
    result.ok ? [...result.value.keys()] : `${result.error.kind}/${result.error.code}`;

  it("is the seed when missing, then the user's file, and MCP_REGISTRY before both", () => {
    const tree = createTempTree({ 'other.json': '{"mcpServers":{"other":{"command":"x"}}}' });
    const places = { home: tree.root, override: undefined, seed: SEED };
    expect(servers(readRegistry(places))).toEqual(['project', 'filesystem']);
    tree.write({ 'mcp/registry.json': '{"mcpServers":{"mine":{"command":"x"}}}' });
    expect(servers(readRegistry(places))).toEqual(['mine']);
    expect(servers(readRegistry({ ...places, override: path.join(tree.root, 'other.json') }))).toEqual([
      'other',
    ]);
    tree.remove();
  });

  it('has no fallback when it is broken or when MCP_REGISTRY names a missing file', () => {
    const tree = createTempTree({ 'mcp/registry.json': '{"mcpServers":' });
    const places = { home: tree.root, override: undefined, seed: SEED };
    expect(servers(readRegistry(places))).toBe('CONFIG/INVALID');
    expect(servers(readRegistry({ ...places, override: path.join(tree.root, 'none.json') }))).toBe(
      'CONFIG/MISSING',
    );
    mkdirSync(path.join(tree.root, 'folder'));
    expect(servers(readRegistry({ ...places, override: path.join(tree.root, 'folder') }))).toBe(
      'CONFIG/INVALID',
    );
    tree.remove();
  });
});
