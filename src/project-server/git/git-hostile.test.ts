import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runProjectTool } from '../../testing/run-project-tool';
import { createTempRepository, type TempRepository } from '../../testing/temp-repository';
import { createTempTree, type TempTree } from '../../testing/temp-tree';
import type { AnyProjectTool } from '../tool';
import { gitBlame } from './git-blame';
import { gitDiff } from './git-diff';
import { findGit } from './git-repository';
import { gitLog } from './git-log';
import { gitStatus } from './git-status';
import { runGit } from './run-git';

let tree: TempTree;
afterEach(() => {
  vi.unstubAllEnvs();
  tree.remove();
});

function repositoryOf(files: Record<string, string>): TempRepository {
  const repository = createTempRepository(files);
  tree = repository;
  return repository;
}

const everyTool: [AnyProjectTool, Record<string, unknown>][] = [
  [gitStatus, {}],
  [gitDiff, {}],
  [gitLog, {}],
  [gitBlame, { path: 'a' }],
];

describe('git tools without a repository or git', () => {
  it.each(everyTool)('$name says that the folder is in no repository', async (tool, args) => {
    tree = createTempTree({ a: '' });
    expect(await runProjectTool(tool, tree.root, args)).toMatchObject({
      ok: false,
      error: {
        kind: 'TOOL',
        code: 'NOT_FOUND',
        message: 'The project folder is not in a git repository.',
      },
    });
  });

  it.each(everyTool)('$name says that git is not installed', async (tool, args) => {
    tree = createTempTree({ a: '' });
    vi.stubEnv('PATH', tree.root);
    expect(await runProjectTool(tool, tree.root, args)).toMatchObject({
      ok: false,
      error: { kind: 'TOOL', code: 'UNAVAILABLE' },
    });
  });

  it('never use a git inside the project folder, nor one of a relative search path', () => {
    tree = createTempTree({ 'bin/git': '#!/bin/sh\n' });
    chmodSync(path.join(tree.root, 'bin/git'), 0o755);
    const search = [path.join(tree.root, 'bin'), 'bin', '.', ''].join(path.delimiter);
    expect(findGit(tree.root, { PATH: search })).toBeNull();
    expect(findGit('/somewhere/else', { PATH: search })).toBe(path.join(tree.root, 'bin/git'));
  });
});

describe('names with a special meaning to git', () => {
  it.each([
    '--output=stolen',
    '-p',
    'HEAD..main',
    'HEAD...main',
    'HEAD:a',
    ':/first',
    '^HEAD',
    'HEAD main',
    'a\nb',
    'HEAD\0main',
    '@{-1}..',
    '/etc',
  ])('refuse the revision %j everywhere', async (revision) => {
    const repository = repositoryOf({ a: 'a\n' });
    repository.commit('first');
    const calls: [AnyProjectTool, Record<string, unknown>][] = [
      [gitDiff, { from: revision }],
      [gitDiff, { to: revision }],
      [gitLog, { from: revision }],
      [gitLog, { to: revision }],
      [gitBlame, { path: 'a', revision }],
    ];
    for (const [tool, args] of calls) {
      expect(await runProjectTool(tool, tree.root, args)).toMatchObject({
        ok: false,
        error: { kind: 'TOOL', code: 'INVALID_ARGUMENTS' },
      });
    }
    expect(readdirSync(tree.root).sort()).toEqual(['.git', 'a']);
  });

  it('report an unknown revision', async () => {
    const repository = repositoryOf({ a: '' });
    repository.commit('first');
    expect(await runProjectTool(gitLog, tree.root, { to: 'v9' })).toMatchObject({
      ok: false,
      error: { code: 'NOT_FOUND', message: 'There is no commit called "v9".' },
    });
  });

  it.each(['../outside', '/etc/passwd', 'a\0b', 'sub/../../outside'])(
    'refuse the path %j',
    async (hostile) => {
      const repository = repositoryOf({ a: '' });
      repository.commit('first');
      for (const tool of [gitStatus, gitDiff, gitLog, gitBlame]) {
        expect(await runProjectTool(tool, tree.root, { path: hostile })).toMatchObject({
          ok: false,
          error: { kind: 'TOOL', code: 'INVALID_ARGUMENTS' },
        });
      }
    },
  );

  it('read a path literally: not as an option, a pattern or a magic pathspec', async () => {
    const repository = repositoryOf({ a: '1\n', '--output=x': '1\n', ':(top)*': '1\n' });
    repository.commit('first');
    repository.write({ a: '2\n', '--output=x': '2\n', ':(top)*': '2\n' });
    for (const name of ['--output=x', ':(top)*']) {
      const found = await runProjectTool(gitDiff, tree.root, { path: name });
      expect(found).toMatchObject({ ok: true, value: { files: [{ path: name }] } });
    }
    expect(await runProjectTool(gitDiff, tree.root, { path: '*' })).toMatchObject({
      ok: true,
      value: { files: [] },
    });
  });
});

describe('a repository that would run programs', () => {
  /** A command that leaves a file behind when git runs it. */
  function trap(repository: TempRepository): { command: string; sprung: () => boolean } {
    const outside = path.join(repository.root, '.git', 'sprung');
    const command = path.join(repository.root, '.git', 'trap.sh');
    writeFileSync(command, `#!/bin/sh\ntouch '${outside}'\ncat\n`);
    chmodSync(command, 0o755);
    return { command, sprung: () => existsSync(outside) };
  }

  it('starts no filter, monitor, hook, pager, diff program, text conversion or signature check', async () => {
    const repository = repositoryOf({ a: '1\n', '.gitattributes': '* filter=evil.x=y diff=evil\n' });
    repository.commit('first');
    const { command, sprung } = trap(repository);
    const settings = [
      ['filter.evil.x=y.clean', command],
      ['filter.evil.x=y.smudge', command],
      ['filter.evil.x=y.required', 'true'],
      ['core.fsmonitor', command],
      ['core.pager', command],
      ['pager.log', command],
      ['diff.external', command],
      ['diff.evil.command', command],
      ['diff.evil.textconv', command],
      ['log.showSignature', 'true'],
      ['gpg.program', command],
    ] as const;
    for (const [name, value] of settings) repository.git('config', name, value);
    mkdirSync(path.join(tree.root, '.git/hooks'), { recursive: true });
    symlinkSync(command, path.join(tree.root, '.git/hooks/post-index-change'));
    repository.write({ a: '2\n' });
    for (const [tool, args] of everyTool) {
      expect(await runProjectTool(tool, tree.root, args)).toMatchObject({ ok: true });
    }
    expect(await runProjectTool(gitDiff, tree.root, {})).toMatchObject({
      value: { files: [{ path: 'a', added: 1, removed: 1 }] },
    });
    expect(sprung()).toBe(false);
    // The trap works: git without our protection runs it.
    repository.git('diff');
    expect(sprung()).toBe(true);
  });

  it('ignores GIT_ variables of its own environment', async () => {
    const repository = repositoryOf({ a: '1\n' });
    repository.commit('first');
    const { command, sprung } = trap(repository);
    vi.stubEnv('GIT_DIR', '/nonexistent');
    vi.stubEnv('GIT_EXTERNAL_DIFF', command);
    vi.stubEnv('GIT_CONFIG_PARAMETERS', `'core.fsmonitor=${command}'`);
    vi.stubEnv('GIT_TRACE', path.join(repository.root, '.git', 'sprung'));
    repository.write({ a: '2\n' });
    for (const [tool, args] of everyTool) {
      expect(await runProjectTool(tool, tree.root, args)).toMatchObject({ ok: true });
    }
    expect(sprung()).toBe(false);
  });

  it('reads nothing outside the project folder, wherever the repository says its files are', async () => {
    const repository = repositoryOf({ 'project/a': '', 'elsewhere/secret': 'secret\n' });
    const project = path.join(tree.root, 'project');
    repository.git('init', '--quiet', project);
    repository.git('-C', project, 'config', 'core.worktree', path.join(tree.root, 'elsewhere'));
    expect(await runProjectTool(gitStatus, project, {})).toMatchObject({
      ok: false,
      error: { kind: 'TOOL' },
    });
  });

  it('is not changed, including its index', async () => {
    const repository = repositoryOf({ a: '1\n' });
    repository.commit('first');
    repository.write({ a: '1\n' });
    chmodSync(path.join(tree.root, '.git'), 0o555);
    for (const [tool, args] of everyTool) {
      expect(await runProjectTool(tool, tree.root, args)).toMatchObject({ ok: true });
    }
    chmodSync(path.join(tree.root, '.git'), 0o755);
    expect(existsSync(path.join(tree.root, '.git/index.lock'))).toBe(false);
  });
});

describe('limits', () => {
  it('stop git when it takes too long, or when the caller no longer waits for it', async () => {
    tree = createTempTree({ git: '#!/bin/sh\nexec sleep 60\n' });
    const program = path.join(tree.root, 'git');
    chmodSync(program, 0o755);
    const run = { program, args: [], folder: tree.root, environment: process.env, maxBytes: 100 };
    const slow = await runGit({ ...run, signal: new AbortController().signal, timeoutMs: 50 });
    expect(slow).toMatchObject({ ok: false, error: { kind: 'TOOL', code: 'TIMEOUT' } });
    const caller = new AbortController();
    const waiting = runGit({ ...run, signal: caller.signal });
    caller.abort();
    await expect(waiting).rejects.toThrow('aborted');
  });

  it('keep no more output than requested', async () => {
    tree = createTempTree({ git: '#!/bin/sh\nexec yes\n' });
    const program = path.join(tree.root, 'git');
    chmodSync(program, 0o755);
    const signal = new AbortController().signal;
    const run = { program, args: [], folder: tree.root, environment: process.env, maxBytes: 100, signal };
    const found = await runGit(run);
    expect(found).toMatchObject({ ok: true, value: { truncated: true } });
    expect(found.ok && found.value.stdout).toHaveLength(100);
  });
});
