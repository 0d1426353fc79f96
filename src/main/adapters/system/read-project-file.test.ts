import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readProjectFile } from './read-project-file';

const limit = 1_000;

function project() {
  const folder = mkdtempSync(join(tmpdir(), 'patina-files-'));
  const read = (path: string, maxBytes = limit) => readProjectFile(folder, path, maxBytes);
  return { folder, read };
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

it('reads a text with its byte order mark and line endings, and the hash of the whole content', async () => {
  const { folder, read } = project();
  const content = '\uFEFFone\r\ntwo ä';
  writeFileSync(join(folder, 'a.txt'), content);
  const expected = {
    kind: 'file',
    path: 'a.txt',
    bytes: 14,
    hash: sha256(content),
    text: content,
    complete: true,
  };
  expect(await read('a.txt')).toEqual(expected);
  expect(await read(join(folder, './x/../a.txt'))).toEqual(expected);
});

it('cuts a long text between two characters and still hashes all of it', async () => {
  const { folder, read } = project();
  const content = 'ä'.repeat(1_000);
  writeFileSync(join(folder, 'long.txt'), content);
  const found = await read('long.txt', 11);
  expect(found).toMatchObject({ text: 'äääää', complete: false, bytes: 2_000, hash: sha256(content) });
});

it('distinguishes text from other content', async () => {
  const { folder, read } = project();
  writeFileSync(join(folder, 'image.bin'), Buffer.from([0x89, 0x50, 0, 1]));
  writeFileSync(join(folder, 'latin.txt'), Buffer.from([0x66, 0xfc, 0x72]));
  writeFileSync(join(folder, 'empty'), '');
  expect(await read('image.bin')).toMatchObject({ text: null, bytes: 4 });
  expect(await read('latin.txt')).toMatchObject({ text: null });
  expect(await read('empty')).toMatchObject({ text: '', bytes: 0, complete: true });
});

it('reports where a missing file would be created, and folders', async () => {
  const { folder, read } = project();
  mkdirSync(join(folder, 'docs'));
  symlinkSync('docs', join(folder, 'link'));
  expect(await read('link/a.md')).toEqual({ kind: 'missing', path: 'docs/a.md' });
  expect(await read('link/new/a.md')).toEqual({ kind: 'missing', path: 'docs/new/a.md', noFolder: true });
  expect(await read('docs')).toEqual({ kind: 'folder', path: 'docs' });
  expect(await read('.')).toEqual({ kind: 'folder', path: '.' });
});

it('finds a file under the other Unicode form of its name, as the server does', async () => {
  const { folder, read } = project();
  writeFileSync(join(folder, 'cafe\u0301.md'), 'x');
  expect(await read('caf\u00e9.md')).toMatchObject({ kind: 'file', path: 'cafe\u0301.md' });
});

it('never leaves the project: not by a path, a link or the home folder', async () => {
  const { folder, read } = project();
  const other = mkdtempSync(join(tmpdir(), 'patina-other-'));
  writeFileSync(join(other, 'secret'), 'secret');
  symlinkSync(other, join(folder, 'out'));
  symlinkSync(join(other, 'secret'), join(folder, 'file'));
  const named = [
    '../secret',
    join(other, 'secret'),
    'out/secret',
    'out',
    'file',
    'out/new',
    '~/x',
    'C:\\x',
    'a\0b',
  ];
  for (const path of named) expect(await read(path), path).toMatchObject({ kind: 'unreadable' });
});

it('answers without delay for a path that is neither file nor folder', async () => {
  const { folder, read } = project();
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('nowhere', join(folder, 'dangling'));
  writeFileSync(join(folder, 'a'), '');
  expect(await read('pipe')).toMatchObject({ kind: 'unreadable' });
  expect(await read('dangling')).toMatchObject({ kind: 'unreadable' });
  expect(await read('a/b')).toMatchObject({ kind: 'unreadable', reason: 'part of its path is a file' });
});

it('reads only the beginning of a huge file, and notices its change', async () => {
  const { folder, read } = project();
  const file = join(folder, 'huge');
  writeFileSync(file, 'start');
  truncateSync(file, 300 * 1024 * 1024);
  const before = await read('huge', 5);
  expect(before).toMatchObject({ kind: 'file', text: 'start', complete: false, bytes: 300 * 1024 * 1024 });
  truncateSync(file, 300 * 1024 * 1024 + 1);
  expect(await read('huge', 5)).not.toMatchObject({ hash: before.kind === 'file' && before.hash });
});
