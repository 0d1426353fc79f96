import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTempTree, type TempTree } from '../../../testing/temp-tree';
import { createFilesSource } from '../../../core/sources/create-sources';
import { listFilesUpTo, listProjectFiles } from './list-project-files';

let tree: TempTree;
beforeEach(() => (tree = createTempTree()));
afterEach(() => tree.remove());

const signal = new AbortController().signal;
const list = async () => {
  const files = await listProjectFiles(tree.root, signal);
  if (!files.ok) throw new Error(files.error.message);
  return files.value.paths;
};

describe('the files of a project folder', () => {
  it('[SRC-files] are regular files by their paths, without those that ignore files name', async () => {
    tree.write({
      '.gitignore': '*.log\n/build/\n!keep.log\n',
      '.git/info/exclude': 'private.txt\n',
      '.git/config': '',
      '.patina/capabilities.json': '',
      'a.ts': '',
      'a.log': '',
      'keep.log': '',
      'private.txt': '',
      'build/out.js': '',
      'src/build/kept.js': '',
      'src/.gitignore': 'generated\n!*.log\n',
      'src/generated/x.ts': '',
      'src/deep/y.log': '',
      'node_modules/x/index.js': '',
      '.env': '',
    });
    expect(await list()).toEqual([
      '.env',
      '.gitignore',
      'a.ts',
      'keep.log',
      'node_modules/x/index.js',
      'src/.gitignore',
      'src/build/kept.js',
      'src/deep/y.log',
    ]);
  });

  it('[SRC-files] are not matched against a line that could take hours', async () => {
    const slow = `${'a/**/'.repeat(9)}x`;
    const deep = `${'a/'.repeat(9)}x`;
    tree.write({ '.gitignore': `${slow}\nb/**/b/**/b\n`, [deep]: '', 'b/c/b/c/b': '' });
    expect(await list()).toEqual(['.gitignore', deep]);
  });

  it('[SRC-files] exclude links, which are not followed, and unprintable names', async () => {
    const outside = createTempTree({ 'secret.txt': '' });
    tree.write({ 'a.ts': '', 'new\nline.ts': '', 'umlaut-ä 🥊.md': '' });
    symlinkSync(outside.root, path.join(tree.root, 'out'));
    symlinkSync(path.join(outside.root, 'secret.txt'), path.join(tree.root, 'link.txt'));
    mkdirSync(path.join(tree.root, 'loop'));
    symlinkSync('..', path.join(tree.root, 'loop/up'));
    expect(await list()).toEqual(['a.ts', 'umlaut-ä 🥊.md']);
    outside.remove();
  });

  it('[SRC-files] of a missing folder are an error, and a walk can be cancelled', async () => {
    expect(await listProjectFiles(path.join(tree.root, 'gone'), signal)).toMatchObject({
      ok: false,
      error: { kind: 'TOOL', code: 'NOT_FOUND' },
    });
    expect(await listProjectFiles(tree.root, AbortSignal.abort())).toMatchObject({
      ok: false,
      error: { kind: 'HOST', code: 'CANCELLED' },
    });
  });

  it('[SRC-files] as items are found by path and name; without a project there are none', async () => {
    tree.write({ 'a.ts': '', 'src/b.ts': '' });
    const source = createFilesSource(listProjectFiles);
    expect(source.definition).toMatchObject({ id: 'project_files', vocabulary: 'open' });
    expect(await source.load({ sessionId: null, project: tree.root }, signal)).toEqual({
      ok: true,
      value: [
        { header: { id: 'a.ts', displayName: 'a.ts' }, aliases: [], keywords: [], userTitled: true },
        {
          header: { id: 'src/b.ts', displayName: 'src/b.ts' },
          aliases: ['b.ts'],
          keywords: [],
          userTitled: true,
        },
      ],
    });
    expect(await source.load({ sessionId: null, project: null }, signal)).toEqual({ ok: true, value: [] });
  });

  it('[SRC-files-cut] that exceed the limit are reported, and those nearest the root come first', async () => {
    tree.write({ 'a.ts': '', 'b.ts': '', 'deep/c.ts': '' });
    const files = await listFilesUpTo(2)(tree.root, signal);
    expect(files).toEqual({ ok: true, value: { paths: ['a.ts', 'b.ts'], complete: false } });
    expect(await listFilesUpTo(3)(tree.root, signal)).toMatchObject({ value: { complete: true } });
    const scope = { sessionId: null, project: tree.root };
    const source = createFilesSource(listFilesUpTo(2));
    expect(source.missing?.(scope)).toBeUndefined();
    await source.load(scope, signal);
    expect(source.missing?.(scope)).toContain('more files than the 2 listed here');
  });
});
