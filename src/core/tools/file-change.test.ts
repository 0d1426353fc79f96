import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileChange } from '#shared/file-change';
import type { JsonObject } from '#shared/json';
import { readProjectFile } from '../../main/adapters/system/read-project-file';
import { fileChangeOf } from './file-change';
import { editedText, type TextEdit } from './file-edits';

function project(files: Readonly<Record<string, string | Buffer>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'patina-change-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const change = (tool: string, args: JsonObject): Promise<FileChange | null> =>
    fileChangeOf({ bundled: 'filesystem', tool }, args, (path, max) => readProjectFile(folder, path, max));
  return { folder, change };
}

const linesOf = (change: FileChange | null): readonly string[] =>
  change?.kind === 'text'
    ? change.hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${kind} ${text}`))
    : [];

describe('write_file', () => {
  it('[APR-diff] shows the lines that an overwrite changes, with their numbers', async () => {
    const text = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`).join('\n');
    const { change } = project({ 'a.md': text });
    const found = await change('write_file', { path: './a.md', content: text.replace('line 20', 'other') });
    expect(found).toMatchObject({
      kind: 'text',
      path: 'a.md',
      exists: true,
      added: 1,
      removed: 1,
      omitted: 0,
    });
    expect(found).toMatchObject({ hunks: [{ oldStart: 17, newStart: 17 }] });
    expect(linesOf(found).slice(2, 6)).toEqual([
      'same line 19',
      'removed line 20',
      'added other',
      'same line 21',
    ]);
  });

  it('[APR-diff] distinguishes a new file, an unchanged one and one whose line endings change', async () => {
    const { change } = project({ 'same.md': 'a\nb\n', 'win.md': 'a\r\nb\r\n' });
    expect(await change('write_file', { path: 'new.md', content: 'x\ny\n' })).toMatchObject({
      exists: false,
      added: 2,
    });
    const same = await change('write_file', { path: 'same.md', content: 'a\nb\n' });
    expect(same).toMatchObject({ hunks: [], added: 0, removed: 0 });
    expect(same).not.toHaveProperty('lineEnds');
    const ends = await change('write_file', { path: 'win.md', content: 'a\nb\n' });
    expect(ends).toMatchObject({ hunks: [], lineEnds: { before: 'CRLF', after: 'LF' } });
  });

  it('[APR-diff] shows size instead of content for binary and for large files', async () => {
    const large = 'text line\n'.repeat(100_000);
    const { change } = project({ 'a.png': Buffer.from([1, 0, 2]), 'big.txt': large });
    expect(await change('write_file', { path: 'a.png', content: 'x' })).toMatchObject({
      kind: 'replaced',
      why: 'binary',
      bytes: 3,
      newBytes: 1,
      first: [],
    });
    const big = await change('write_file', { path: 'big.txt', content: 'x' });
    expect(big).toMatchObject({ kind: 'replaced', why: 'large', bytes: 1_000_000 });
    expect(big?.kind === 'replaced' && big.first).toHaveLength(20);
  });

  it('keeps a limited part of a long difference and counts the rest', async () => {
    const text = (word: string) => Array.from({ length: 5_000 }, (_, at) => `${word} ${at}`).join('\n');
    const { change } = project({ 'a.md': text('old') });
    const found = await change('write_file', { path: 'a.md', content: text('new') });
    expect(found).toMatchObject({ added: 5_000, removed: 5_000, omitted: 9_000 });
    expect(linesOf(found)).toHaveLength(1_000);
  });

  it('says why a change cannot be shown', async () => {
    const { change } = project({});
    expect(await change('write_file', { path: '../x', content: '' })).toMatchObject({ kind: 'unknown' });
    expect(await change('write_file', { path: '.', content: '' })).toMatchObject({ kind: 'unknown' });
  });
});

/** The bundled server's own code, which has no types. */
const serverModule = '@modelcontextprotocol/server-filesystem/dist/lib.js';
interface EditingServer {
  readonly applyFileEdits: (file: string, edits: readonly TextEdit[]) => Promise<string>;
}

describe('edit_file', () => {
  const cases: readonly (readonly [string, readonly TextEdit[]])[] = [
    ['a\nb\nc\n', [{ oldText: 'b', newText: '$& $1' }]],
    ['a\r\nb\r\n', [{ oldText: 'a\nb', newText: 'c\r\nd' }]],
    [
      'if (x) {\n    one();\n    two();\n}\n',
      [{ oldText: 'one();\n  two();', newText: 'three();\n    four();\nfive();' }],
    ],
    [
      '  a\n  b\n',
      [
        { oldText: 'a\nb', newText: 'c\n  d' },
        { oldText: 'd', newText: 'e' },
      ],
    ],
    ['\ta\n\t\tb\n', [{ oldText: 'a\n  b', newText: 'x\n    y\n z' }]],
    ['abc', [{ oldText: '', newText: 'x' }]],
    ['a\n\n\nb', [{ oldText: ' \n', newText: 'x' }]],
  ];
  it.each(cases)('[APR-edit] computes what the server computes: %j', async (content, edits) => {
    const { folder } = project({ 'a.txt': content });
    const server = (await import(serverModule)) as EditingServer;
    await server.applyFileEdits(join(folder, 'a.txt'), edits);
    expect(editedText(content, edits)).toEqual({
      ok: true,
      value: readFileSync(join(folder, 'a.txt'), 'utf8'),
    });
  });

  it('[APR-edit] says that an edit cannot be made', async () => {
    const { change } = project({ 'a.md': 'one\n' });
    const edits = [{ oldText: 'two', newText: 'x' }];
    const missing = await change('edit_file', { path: 'a.md', edits });
    expect(missing).toMatchObject({ kind: 'unknown', reason: expect.stringContaining('two') as string });
    expect(await change('edit_file', { path: 'b.md', edits })).toMatchObject({ kind: 'unknown' });
  });
});

it('shows a move and a new folder', async () => {
  const { change } = project({ 'a.md': 'one\n', 'b.md': '' });
  const move = (destination: string) => change('move_file', { source: 'a.md', destination });
  expect(await move('c.md')).toMatchObject({
    kind: 'moved',
    path: 'a.md',
    to: 'c.md',
    taken: false,
    folder: false,
  });
  expect(await move('b.md')).toMatchObject({ taken: true });
  expect(await change('create_directory', { path: 'x/y' })).toMatchObject({
    kind: 'folder',
    path: 'x/y',
    exists: false,
  });
  expect(await change('create_directory', { path: 'a.md' })).toMatchObject({ kind: 'unknown' });
});

it('reads nothing for other tools', async () => {
  const read = () => Promise.reject(new Error('read'));
  const args = { path: 'a', content: 'b' };
  expect(await fileChangeOf({ tool: 'write_file' }, args, read)).toBeNull();
  expect(await fileChangeOf({ bundled: 'filesystem', tool: 'list_directory' }, args, read)).toBeNull();
});

describe('delete_file', () => {
  it('[DEL-card] shows the content that is deleted, or that it is not text', async () => {
    const { folder } = project({
      'a.md': 'one\ntwo\n',
      'b.bin': Buffer.from([0, 1]),
      long: 'line\n'.repeat(2_000),
    });
    const change = (path: string) =>
      fileChangeOf({ bundled: 'project', tool: 'delete_file' }, { path }, (named, max) =>
        readProjectFile(folder, named, max),
      );
    expect(await change('a.md')).toMatchObject({
      ...{ kind: 'deleted', path: 'a.md', bytes: 8, binary: false, more: false },
      hunks: [
        {
          lines: [
            { kind: 'removed', text: 'one' },
            { kind: 'removed', text: 'two' },
          ],
        },
      ],
    });
    expect(await change('b.bin')).toMatchObject({ kind: 'deleted', binary: true, hunks: [] });
    expect(await change('long')).toMatchObject({ kind: 'deleted', more: true });
    expect(await change('.')).toMatchObject({ kind: 'unknown' });
    expect(await change('none')).toMatchObject({ kind: 'unknown' });
    const other = await change('a.md');
    writeFileSync(join(folder, 'a.md'), 'changed');
    expect((await change('a.md'))?.hash).not.toBe(other?.hash);
  });
});
