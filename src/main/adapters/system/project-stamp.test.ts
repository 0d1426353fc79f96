import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createProjectStamp } from './project-stamp';

function project() {
  const folder = mkdtempSync(join(tmpdir(), 'patina-stamp-'));
  writeFileSync(join(folder, 'a.txt'), 'a');
  return { folder, stamp: createProjectStamp(folder) };
}

it('cannot tell how what lies outside, behind a link or in no file at all looks', async () => {
  const { folder, stamp } = project();
  symlinkSync('a.txt', join(folder, 'link.txt'));
  const paths = ['../x', '/etc/passwd', 'link.txt', 'a\0b', 7];
  expect(await Promise.all(paths.map((path) => stamp('read_text', { path })))).toEqual(paths.map(() => null));
  expect(await stamp('git_status', {})).toBeNull();
  expect(await stamp('hash_files', { paths: ['a.txt', '../x'] })).toBeNull();
});

it('tells a file that came, changed or went, and is the same while nothing does', async () => {
  const { folder, stamp } = project();
  const now = () => stamp('list_files', { path: '.' });
  const seen = [await now()];
  expect(await now()).toBe(seen[0]);
  writeFileSync(join(folder, 'b.txt'), 'b');
  seen.push(await now());
  mkdirSync(join(folder, 'empty'));
  seen.push(await now());
  rmSync(join(folder, 'a.txt'));
  seen.push(await now());
  expect(new Set(seen).size).toBe(4);
});

it('leaves out what no tool shows: installed packages the project ignores, unless they are asked for, and Patina’s own folder', async () => {
  const { folder, stamp } = project();
  writeFileSync(join(folder, '.gitignore'), 'node_modules/\n');
  const plain = () => stamp('search_text', {});
  const everything = () => stamp('search_text', { includeIgnored: true });
  const before = [await plain(), await everything()];
  mkdirSync(join(folder, 'node_modules'));
  mkdirSync(join(folder, '.patina'));
  writeFileSync(join(folder, '.patina/x'), 'x');
  writeFileSync(join(folder, 'node_modules/x.js'), 'x');
  expect(await plain()).toBe(before[0]);
  expect(await everything()).not.toBe(before[1]);
});
