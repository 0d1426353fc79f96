import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { artifactFolderOf } from '../artifacts/artifact-folder';
import { readRegistry } from '../mcp/registry-file';
import { sandboxPathProblem } from '../sandbox/no-sandbox';
import { readSeeds } from '../seeds/read-seeds';
import { bundleFiles } from '../system/bundle-files';
import { pathVariable } from '../system/home-folder';
import { readJsonFile } from './json-file';
import { createPolicyFiles } from './policy-files';

const { base: seeds, problems } = readSeeds(path.resolve(import.meta.dirname, '../../../../seeds'));
if (!seeds) throw new Error(JSON.stringify(problems));

let project = '';
beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), 'patina-policy-'));
  mkdirSync(path.join(project, '.patina'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const files = (env: Record<string, string> = {}) => createPolicyFiles({ seeds, env });
const put = (name: string, text: string | Uint8Array) => writeFileSync(path.join(project, name), text);

describe('policy files', () => {
  it('are the seeds when missing', () => {
    expect(files().capabilities(project)).toEqual({ ok: true, value: seeds.capabilities });
    expect(files().budgets(project)).toEqual({ ok: true, value: seeds.budgets });
  });

  it('replace the seeds: the manifest as a whole, budgets field by field', () => {
    put('.patina/capabilities.json', '{"allow":["mcp://drive.read"]}');
    put('.patina/budgets.json', '{"node":{"cpu_ms":42}}');
    expect(files().capabilities(project)).toMatchObject({ value: { allow: ['mcp://drive.read'], deny: [] } });
    expect(files().budgets(project)).toEqual({
      ok: true,
      value: { ...seeds.budgets, node: { ...seeds.budgets.node, cpu_ms: 42 } },
    });
  });

  it('[BUD-node-limit] refuse more steps for a run than a plan can have, with the reason', () => {
    put('.patina/budgets.json', '{"run":{"nodes":100}}');
    const reason = 'a plan has at most 64 steps, so a run cannot have more.';
    const problem = { file: path.join(project, '.patina/budgets.json'), field: 'run.nodes', reason };
    expect(files().budgets(project)).toMatchObject({ error: { code: 'INVALID', problems: [problem] } });
    put('.patina/budgets.json', '{"run":{"nodes":64}}');
    expect(files().budgets(project)).toMatchObject({ value: { run: { nodes: 64 } } });
  });

  it('[BUD-window] change one limit and leave the others as they are on disk', () => {
    const file = path.join(project, '.patina/budgets.json');
    put('.patina/budgets.json', '{"node":{"cpu_ms":42},"run":{"tokens":7}}');
    const own = { node: { cpu_ms: 42 }, run: { tokens: 9 } };
    expect(files().setBudget(project, { part: 'run', field: 'tokens', value: 9 })).toEqual({
      ok: true,
      value: { file, own, defaults: seeds.budgets },
    });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(own);
    files().setBudget(project, { part: 'node', field: 'cpu_ms', value: null });
    expect(files().budgets(project)).toMatchObject({
      value: { run: { tokens: 9 }, node: seeds.budgets.node },
    });
  });

  it('[BUD-window] refuse a limit that is not valid, and a file that is not, and write nothing', () => {
    const file = path.join(project, '.patina/budgets.json');
    expect(files().setBudget(project, { part: 'node', field: 'mem_mb', value: 10_000 })).toMatchObject({
      error: { code: 'INVALID', problems: [{ file, field: 'node.mem_mb', rule: 'too_big' }] },
    });
    expect(existsSync(file)).toBe(false);
    put('.patina/budgets.json', '{"run":');
    expect(files().setBudget(project, { part: 'run', field: 'tokens', value: 9 })).toMatchObject({
      error: { code: 'INVALID' },
    });
    expect(readFileSync(file, 'utf8')).toBe('{"run":');
  });

  it.each([
    ['capabilities', '', '', 'json'],
    ['capabilities', '{"allow":["mcp://a.b"]', '', 'json'],
    ['capabilities', '[]', '', 'invalid_type'],
    ['capabilities', 'null', '', 'invalid_type'],
    ['capabilities', '{}', 'allow', 'invalid_type'],
    ['capabilities', '{"allow":["anything"]}', 'allow.0', 'invalid_format'],
    ['capabilities', '{"allow":[],"deny":["mcp://drive"]}', 'deny.0', 'invalid_format'],
    ['capabilities', '{"allow":[],"alow":[]}', '', 'unrecognized_keys'],
    ['capabilities', '{"allow":[],"rateLimits":{"mcp://a.b":0}}', 'rateLimits.mcp://a.b', 'too_small'],
    ['budgets', '{"node":{"cpu_ms":-1}}', 'node.cpu_ms', 'too_small'],
    ['budgets', '{"node":{"cpu":1}}', 'node', 'unrecognized_keys'],
    ['budgets', '{"run":{"wall_ms":"long"}}', 'run.wall_ms', 'invalid_type'],
  ] as const)('that are invalid stop the run: %s %s', (name, text, field, rule) => {
    put(`.patina/${name}.json`, text);
    const file = path.join(project, '.patina', `${name}.json`);
    expect(files()[name](project)).toMatchObject({
      ok: false,
      error: { kind: 'CONFIG', code: 'INVALID', problems: [{ file, field, rule }] },
    });
  });

  it('that cannot be read never mean "allow"', () => {
    mkdirSync(path.join(project, '.patina', 'capabilities.json'));
    put('.patina/budgets.json', new Uint8Array([0xff, 0xfe, 0x00]));
    expect(files().capabilities(project)).toMatchObject({ error: { problems: [{ rule: 'file' }] } });
    expect(files().budgets(project)).toMatchObject({ error: { problems: [{ rule: 'readable' }] } });
  });

  it('[CFG-variables] named by the environment must exist', () => {
    put('mine.json', '{"allow":[]}');
    expect(files({ CAPABILITIES: './mine.json' }).capabilities(project)).toMatchObject({
      value: { allow: [] },
    });
    expect(files({ BUDGETS: '/nowhere/b.json' }).budgets(project)).toMatchObject({
      error: { code: 'MISSING' },
    });
  });

  it('[CFG-home] and registry with a leading ~/ are in the home folder; a ~ elsewhere is part of a name', () => {
    const home = mkdtempSync(path.join(homedir(), '.patina-named-'));
    try {
      writeFileSync(path.join(home, 'c.json'), '{"allow":["mcp://own.*"]}');
      const named = `~/${path.basename(home)}/c.json`;
      expect(files({ CAPABILITIES: named }).capabilities(project)).toMatchObject({
        value: { allow: ['mcp://own.*'] },
      });
      const all = ['PATINA_HOME', 'MCP_REGISTRY', 'CAPABILITIES', 'BUDGETS', 'SANDBOX_PATH', 'ARTIFACT_DIR'];
      for (const name of all) expect(pathVariable({ [name]: named }, name)).toBe(path.join(home, 'c.json'));
      expect(artifactFolderOf(project, { ARTIFACT_DIR: '~/art' })).toBe(path.join(homedir(), 'art'));
      expect(bundleFiles(path.resolve('out/main')).sandboxWorker({ SANDBOX_PATH: '~/w.js' })).toBe(
        path.join(homedir(), 'w.js'),
      );
      expect(pathVariable({ X: '~' }, 'X')).toBe(homedir());
      expect([
        pathVariable({ X: './~/a' }, 'X'),
        pathVariable({ X: '~a' }, 'X'),
        pathVariable({ X: '' }, 'X'),
      ]).toEqual(['./~/a', '~a', undefined]);
    } finally {
      rmSync(home, { recursive: true });
    }
  });

  it('[CFG-variables] include a registry and a worker bundle, which must exist, and a folder for artifacts', async () => {
    const places = { home: project, override: '/nowhere/r.json', seed: path.join(project, 'seed.json') };
    expect(readRegistry(places)).toMatchObject({ error: { kind: 'CONFIG', code: 'MISSING' } });
    put('own.json', '{"mcpServers":{"own":{"command":"x"}}}');
    const own = readRegistry({ ...places, override: path.join(project, 'own.json') });
    expect(own.ok && [...own.value.keys()]).toEqual(['own']);
    expect(sandboxPathProblem(path.join(project, 'own.json'))).toBeNull();
    const { envelope } = (await sandboxPathProblem('/nowhere/w.js')?.execute(
      {} as never,
      {} as never,
      new AbortController().signal,
    )) ?? { envelope: null };
    expect(envelope).toMatchObject({
      ok: false,
      error: {
        kind: 'CONFIG',
        code: 'MISSING',
        message: 'SANDBOX_PATH names /nowhere/w.js, which does not exist.',
      },
    });
    expect(artifactFolderOf(project, { ARTIFACT_DIR: 'kept' })).toBe(path.join(project, 'kept'));
    expect(artifactFolderOf(project, {})).toBe(path.join(project, '.patina', 'artifacts'));
  });

  it('are read again each time', () => {
    const policy = files();
    expect(policy.capabilities(project).ok).toBe(true);
    put('.patina/capabilities.json', '{');
    expect(policy.capabilities(project).ok).toBe(false);
  });
});

it('a file that is not valid is described without its control characters', () => {
  const contents = {
    'broken.json': '{"id": \u001B[31mred\u001B]0;title\u0007 }',
    'twice.json': '{"\\u001b[31mid": 1, "\\u001b[31mid": 2}',
    'strange.json': '{"\\u202Eid": 1}',
  };
  const said = Object.entries(contents).map(([name, text]) => {
    const file = path.join(project, name);
    writeFileSync(file, text);
    const read = readJsonFile(file, z.strictObject({}));
    return read.ok ? '' : read.error.map(({ field, reason }) => `${field} ${reason}`).join(' ');
  });
  for (const text of said) expect(text).not.toMatch(/[\p{Cc}\p{Cf}]|^$/u);
  expect(said[0]).toContain('\\u001b[31m');
  expect(said[1]).toContain('appears twice');
});
