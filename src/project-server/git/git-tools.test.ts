import { afterEach, describe, expect, it } from 'vitest';
import { runProjectTool } from '../../testing/run-project-tool';
import { createTempRepository, type TempRepository } from '../../testing/temp-repository';
import { gitBlame } from './git-blame';
import { gitDiff } from './git-diff';
import { gitLog } from './git-log';
import { gitStatus } from './git-status';

let repository: TempRepository;
afterEach(() => repository.remove());

const sort = <T extends { path: string }>(files: readonly T[]): T[] =>
  files.toSorted((a, b) => (a.path < b.path ? -1 : 1));

async function valueOf<T>(result: ReturnType<typeof runProjectTool>): Promise<T> {
  const settled = await result;
  if (!settled.ok) throw new Error(settled.error.message);
  return settled.value as T;
}

const status = (args = {}) =>
  valueOf<{ files: { path: string }[]; clean: boolean }>(runProjectTool(gitStatus, repository.root, args));
const diff = (args = {}) =>
  valueOf<{ files: { path: string }[]; patch: string; truncated: boolean }>(
    runProjectTool(gitDiff, repository.root, args),
  );
const log = (args = {}) =>
  valueOf<{ commits: { subject: string; body: string; refs: string[] }[]; truncated: boolean }>(
    runProjectTool(gitLog, repository.root, args),
  );
const blame = (args: Record<string, unknown>) =>
  valueOf<{ spans: { hash: string | null }[]; truncated: boolean }>(
    runProjectTool(gitBlame, repository.root, args),
  );

describe('git_status', () => {
  it('distinguishes staged, unstaged, untracked and renamed files, including hostile names', async () => {
    repository = createTempRepository({
      'kept.txt': 'a\n',
      'old name.txt': 'one\ntwo\nthree\n',
      'gone.txt': 'x\n',
    });
    const head = repository.commit('first');
    repository.git('mv', 'old name.txt', 'new name.txt');
    repository.git('rm', '--quiet', 'gone.txt');
    repository.write({ 'kept.txt': 'b\n', '-rf "\n;\t$(touch x).txt': '', 'sub/ü.txt': '' });
    const found = await status();
    expect(found).toMatchObject({ branch: 'main', head, upstream: null, clean: false, truncated: false });
    expect(sort(found.files)).toEqual(
      sort([
        { path: 'gone.txt', staged: 'deleted', unstaged: null, untracked: false },
        { path: 'kept.txt', staged: null, unstaged: 'modified', untracked: false },
        { path: 'new name.txt', from: 'old name.txt', staged: 'renamed', unstaged: null, untracked: false },
        { path: '-rf "\n;\t$(touch x).txt', staged: null, unstaged: null, untracked: true },
        { path: 'sub/ü.txt', staged: null, unstaged: null, untracked: true },
      ]),
    );
  });

  it('is clean before and after a first commit, and names the branch in both', async () => {
    repository = createTempRepository();
    expect(await status()).toMatchObject({ branch: 'main', head: null, clean: true });
    repository.write({ a: '' });
    repository.commit('first');
    expect(await status()).toMatchObject({ branch: 'main', clean: true, files: [] });
  });

  it('stays in the project folder when it is a part of the repository, with paths relative to it', async () => {
    repository = createTempRepository({ 'app/a.txt': '', 'secret.txt': '' });
    const inner = await valueOf(runProjectTool(gitStatus, `${repository.root}/app`, {}));
    expect(inner).toMatchObject({ files: [{ path: 'a.txt', untracked: true }] });
  });

  it('returns as many files as requested, and says that there are more', async () => {
    repository = createTempRepository({ a: '', b: '', c: '' });
    expect(await status({ limit: 2 })).toMatchObject({ files: [{}, {}], truncated: true });
  });
});

describe('git_diff', () => {
  it('returns everything not committed yet: counts, a patch, and null for binary files', async () => {
    repository = createTempRepository({ 'a.txt': 'one\ntwo\n', b: Buffer.from([0, 1, 2]), 'c.txt': 'c\n' });
    repository.commit('first');
    repository.write({ 'a.txt': 'one\n2\nthree\n', b: Buffer.from([0, 9]) });
    repository.git('mv', 'c.txt', 'd.txt');
    const found = await diff();
    expect(sort(found.files)).toEqual([
      { path: 'a.txt', change: 'modified', added: 2, removed: 1 },
      { path: 'b', change: 'modified', added: null, removed: null },
      { path: 'd.txt', from: 'c.txt', change: 'renamed', added: 0, removed: 0 },
    ]);
    expect(found.patch).toContain('-two\n+2\n+three\n');
    expect(await diff({ staged: true })).toMatchObject({ files: [{ path: 'd.txt' }] });
    expect(await diff({ path: 'a.txt' })).toMatchObject({ files: [{ path: 'a.txt' }] });
  });

  it('compares two commits, and the first state with nothing', async () => {
    repository = createTempRepository({ 'a.txt': '1\n' });
    repository.git('add', '--all');
    expect(await diff()).toMatchObject({ files: [{ path: 'a.txt', change: 'added', added: 1 }] });
    repository.commit('first');
    repository.git('tag', 'v1');
    repository.write({ 'a.txt': '2\n' });
    repository.commit('second');
    expect(await diff({ from: 'v1', to: 'main' })).toMatchObject({ files: [{ added: 1, removed: 1 }] });
    expect((await diff({ from: 'HEAD', to: 'HEAD~1' })).patch).toContain('-2\n+1\n');
  });

  it('cuts the patch after a whole line and says so', async () => {
    repository = createTempRepository({ a: '' });
    repository.commit('first');
    repository.write({ a: 'line\n'.repeat(100_000) });
    const found = await diff({ maxBytes: 1_000 });
    expect(found.truncated).toBe(true);
    expect(found.patch.length).toBeLessThanOrEqual(1_000);
    expect(found.patch.endsWith('+line\n')).toBe(true);
    expect(await diff({ maxBytes: 0 })).toMatchObject({ patch: '', files: [{ added: 100_000 }] });
  });
});

describe('git_log', () => {
  it('returns commits newest first, with their metadata, and only those since a revision', async () => {
    repository = createTempRepository({ a: '1' });
    const first = repository.commit('first');
    repository.git('tag', 'v1.0');
    repository.write({ a: '2' });
    repository.commit('feat: second\n\nWhy: because.\x1f', 'Eve "; rm -rf <eve@example.org>');
    const found = await log();
    expect(found.commits[0]).toMatchObject({
      parents: [first],
      author: 'Eve "; rm -rf',
      email: 'eve@example.org',
      date: '2025-03-04T05:06:07+02:00',
      subject: 'feat: second',
      body: 'Why: because.\x1f',
    });
    expect(found.commits[1]).toMatchObject({ subject: 'first', refs: ['tag: v1.0'], parents: [] });
    expect((await log({ from: 'v1.0' })).commits.map(({ subject }) => subject)).toEqual(['feat: second']);
    expect(await log({ limit: 1 })).toMatchObject({ commits: [{}], truncated: true });
    expect((await log({ skip: 1 })).commits).toHaveLength(1);
  });

  it('restricts commits to a path, also a deleted one', async () => {
    repository = createTempRepository({ a: '1', b: '1' });
    repository.commit('both');
    repository.git('rm', '--quiet', 'b');
    repository.commit('drop b');
    repository.write({ a: '2' });
    repository.commit('change a');
    const subjects = (await log({ path: 'b' })).commits.map(({ subject }) => subject);
    expect(subjects).toEqual(['drop b', 'both']);
  });
});

describe('git_blame', () => {
  it('names the author of each line, and nobody for a line not committed yet', async () => {
    repository = createTempRepository({ 'a b.txt': 'one\ntwo\nthree\n' });
    const first = repository.commit('first');
    repository.write({ 'a b.txt': 'one\nTWO\nthree\n' });
    const second = repository.commit('second', 'Bob <bob@example.org>');
    repository.write({ 'a b.txt': 'one\nTWO\nthree\nfour\n' });
    const ada = { author: 'Ada Lovelace', email: 'ada@example.org', subject: 'first' };
    expect((await blame({ path: 'a b.txt' })).spans).toMatchObject([
      { from: 1, to: 1, hash: first, date: '2025-03-04T03:06:07.000Z', ...ada },
      { from: 2, to: 2, hash: second, author: 'Bob', subject: 'second' },
      { from: 3, to: 3, hash: first, ...ada },
      { from: 4, to: 4, hash: null },
    ]);
    expect((await blame({ path: 'a b.txt', from: 2, to: 2 })).spans).toMatchObject([{ author: 'Bob' }]);
    expect((await blame({ path: 'a b.txt', revision: first })).spans).toMatchObject([{ from: 1, to: 3 }]);
  });

  it('returns at most 2,000 lines and says that there are more', async () => {
    repository = createTempRepository({ a: 'x\n'.repeat(2_001) });
    repository.commit('first');
    expect(await blame({ path: 'a' })).toMatchObject({ spans: [{ from: 1, to: 2_000 }], truncated: true });
    expect(await blame({ path: 'a', from: 2 })).toMatchObject({
      spans: [{ from: 2, to: 2_001 }],
      truncated: false,
    });
  });
});
