import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { runProjectTool } from '../testing/run-project-tool';
import { createTempTree, type TempTree } from '../testing/temp-tree';
import { deleteFile } from './delete-file';

let tree: TempTree;
afterEach(() => tree.remove());

it('[DEL-tool] deletes one file of any content, and refuses folders, links and paths outside the project', async () => {
  tree = createTempTree({
    'a/text.txt': Buffer.from('text'),
    'a/bin': Buffer.from([0, 255]),
    kept: Buffer.from('kept'),
  });
  const at = (name: string) => path.join(tree.root, name);
  mkdirSync(at('folder'));
  symlinkSync(at('kept'), at('link'));
  symlinkSync(tree.root, at('a/up'));
  const call = (name: string) => runProjectTool(deleteFile, tree.root, { path: name });
  expect(await call('a/text.txt')).toEqual({ ok: true, value: { size: 4 } });
  expect(await call('./a/bin')).toMatchObject({ ok: true, value: { size: 2 } });
  expect([existsSync(at('a/text.txt')), existsSync(at('a/bin'))]).toEqual([false, false]);
  const code = async (name: string) => {
    const result = await call(name);
    return result.ok ? 'deleted' : result.error.code;
  };
  expect(await code('folder')).toBe('INVALID_ARGUMENTS');
  expect(await code('link')).toBe('INVALID_ARGUMENTS');
  expect(await code('../outside')).toBe('INVALID_ARGUMENTS');
  expect(await code('a/text.txt')).toBe('NOT_FOUND');
  expect([existsSync(at('kept')), lstatSync(at('link')).isSymbolicLink()]).toEqual([true, true]);
});
