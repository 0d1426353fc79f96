import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeChange, type FileChange } from '#shared/file-change';
import type { JsonObject } from '#shared/json';
import { readProjectFile } from '../../main/adapters/system/read-project-file';
import type { FileState, StoredFile } from '../ports/project-files';
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
    ['a\n\tb', [{ oldText: '  b', newText: '    c' }]],
    ['  a\n    b', [{ oldText: 'a\n b', newText: 'c\nd' }]],
    ['  a\n    b\n  a\n    b', [{ oldText: 'a\n b', newText: 'c\n   d\n e' }]],
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

describe('the change of a file that the host read', () => {
  const filesystem = (tool: string) => ({ bundled: tool === 'delete_file' ? 'project' : 'filesystem', tool });
  const file = (text: string | null, more: Partial<StoredFile> = {}): FileState => ({
    ...{ kind: 'file', path: 'real/a.md', bytes: 9, hash: text ?? 'binary', text, complete: true },
    ...more,
  });
  const missing: FileState = { kind: 'missing', path: 'real/new.md' };
  const folder: FileState = { kind: 'folder', path: 'real/dir' };
  const unreadable: FileState = { kind: 'unreadable', reason: 'it is outside the project' };

  /** What a call changes where every path, or the named ones, have these states. */
  const of = (tool: string, args: JsonObject, states: FileState | Readonly<Record<string, FileState>>) =>
    fileChangeOf(filesystem(tool), args, (path) =>
      Promise.resolve('kind' in states ? (states as FileState) : (states[path] ?? missing)),
    );
  const edit = (oldText: string, newText = 'x') => ({ path: 'a', edits: [{ oldText, newText }] });

  it.each<[string, JsonObject, FileState, string, string]>([
    [
      'write_file',
      { path: 'a', content: '' },
      unreadable,
      'a',
      'the file cannot be shown: it is outside the project',
    ],
    [
      'write_file',
      { path: 'a', content: '' },
      folder,
      'real/dir',
      'the path is a folder, so the write will fail',
    ],
    ['edit_file', edit('x'), missing, 'a', 'there is no such file, so the edit will fail'],
    ['edit_file', edit('x'), folder, 'a', 'there is no such file, so the edit will fail'],
    [
      ...(['edit_file', edit('x'), file('abc', { complete: false }), 'real/a.md'] as const),
      'the file is too large to show the result of the edit',
    ],
    [
      ...(['edit_file', edit('zz'), file('abc'), 'real/a.md'] as const),
      'the file does not contain the text to replace, so the edit will fail: zz',
    ],
    [
      ...(['edit_file', edit('z'.repeat(80)), file('abc'), 'real/a.md'] as const),
      `the file does not contain the text to replace, so the edit will fail: ${'z'.repeat(80)}`,
    ],
    [
      ...(['edit_file', edit('z'.repeat(81)), file('abc'), 'real/a.md'] as const),
      `the file does not contain the text to replace, so the edit will fail: ${'z'.repeat(80)}…`,
    ],
    ['delete_file', { path: 'a' }, unreadable, 'a', 'the file cannot be shown: it is outside the project'],
    ['delete_file', { path: 'a' }, folder, 'real/dir', 'the path is a folder, so the call will fail'],
    ['delete_file', { path: 'a' }, missing, 'real/new.md', 'there is no such file, so the call will fail'],
    [
      'create_directory',
      { path: 'a' },
      unreadable,
      'a',
      'the folder cannot be shown: it is outside the project',
    ],
    ['create_directory', { path: 'a' }, file('x'), 'a', 'the path is a file, so the call will fail'],
  ])('by %s of %j is unknown (%#), and the card says why', async (tool, args, state, path, reason) => {
    const change = await of(tool, args, state);
    expect(change).toEqual({ kind: 'unknown', path, reason, hash: change?.hash });
  });

  it.each<[string, JsonObject]>([
    ['write_file', { path: 1, content: 'x' }],
    ['write_file', { path: 'a', content: 1 }],
    ['write_file', { path: 'a', edits: [] }],
    ['edit_file', { path: 'a', content: 'x' }],
    ['edit_file', { path: 'a', edits: 'x' }],
    ['edit_file', { path: 'a', edits: [], dryRun: true }],
    ['move_file', { source: 'a' }],
    ['move_file', { destination: 'a' }],
    ['move_file', { path: 'a', content: 'x' }],
    ['move_file', { path: 'a', edits: [] }],
    ['create_directory', { source: 'a', destination: 'b' }],
    ['delete_file', { path: 1 }],
  ])('by %s with %j is not known', async (tool, args) => {
    expect(await of(tool, args, file('abc'))).toBeNull();
  });

  it('is not known of a tool without a definition, or without a way to read', async () => {
    const read = () => Promise.resolve(missing);
    expect(await fileChangeOf(undefined, { path: 'a', content: '' }, read)).toBeNull();
    expect(await fileChangeOf(filesystem('write_file'), { path: 'a', content: '' }, undefined)).toBeNull();
  });

  it('has each valid edit applied, and a dry run that is not one', async () => {
    const edits = [{ oldText: 'a', newText: 'b' }, null, { oldText: 'b' }, { newText: 'c' }, 'x'];
    expect(await of('edit_file', { path: 'a', edits, dryRun: false }, file('a\n'))).toMatchObject({
      ...{ kind: 'text', path: 'real/a.md', exists: true, added: 1, removed: 1 },
      hunks: [
        {
          lines: [
            { kind: 'removed', text: 'a' },
            { kind: 'added', text: 'b' },
          ],
        },
      ],
    });
    expect(await of('write_file', { path: 'a', content: 'x', dryRun: true }, missing)).toMatchObject({
      kind: 'text',
    });
  });

  it('of a file that is not text is its size', async () => {
    const edited = await of('edit_file', edit('x'), file(null));
    expect(edited).toMatchObject({ kind: 'replaced', why: 'binary', bytes: 9, first: [] });
    expect(edited).not.toHaveProperty('newBytes');
  });

  it('of a large file is its size and its first lines, cut at 200 characters', async () => {
    const text = `${'x'.repeat(201)}\nshort\n`;
    expect(
      await of('write_file', { path: 'a', content: 'né' }, file(text, { complete: false })),
    ).toMatchObject({
      ...{ kind: 'replaced', why: 'large', bytes: 9, newBytes: 3, first: ['x'.repeat(200), 'short'] },
    });
    const content = 'x'.repeat(512 * 1024 + 1);
    expect(await of('write_file', { path: 'a', content }, file('abc'))).toMatchObject({
      ...{ kind: 'replaced', newBytes: content.length },
    });
  });

  it('by a move names both places, and says whether it is a folder or the place is taken', async () => {
    const args = { source: 'a', destination: 'b' };
    const there: FileState = { kind: 'missing', path: 'real/b' };
    const move = (a: FileState, b: FileState) => of('move_file', args, { a, b });
    expect(await move(file('x'), there)).toMatchObject({
      ...{ kind: 'moved', path: 'real/a.md', to: 'real/b', folder: false, taken: false },
    });
    expect(await move(folder, file('x'))).toMatchObject({
      path: 'real/dir',
      to: 'real/a.md',
      folder: true,
      taken: true,
    });
    expect(await move(missing, there)).toMatchObject({
      ...{ kind: 'unknown', path: 'real/new.md', reason: 'there is no such file, so the move will fail' },
    });
    expect(await move(file('x'), there)).not.toHaveProperty('noFolder');
    expect(await move(file('x'), { ...there, noFolder: true })).toMatchObject({ noFolder: true });
    const reason = 'the move cannot be shown: it is outside the project';
    expect(await move(unreadable, there)).toMatchObject({ kind: 'unknown', path: 'a', reason });
    expect(await move(file('x'), unreadable)).toMatchObject({ kind: 'unknown', path: 'real/a.md', reason });
  });

  it('of a new file is its lines', async () => {
    const change = await of('write_file', { path: 'a', content: 'x\ny\n' }, missing);
    expect(change).toMatchObject({ path: 'real/new.md', exists: false, added: 2, removed: 0 });
    expect(change).not.toHaveProperty('noFolder');
    expect(linesOf(change)).toEqual(['added x', 'added y']);
    // The folder may be created between the card and the call.
    const early = await of('write_file', { path: 'a', content: 'x\ny\n' }, { ...missing, noFolder: true });
    expect(early).toEqual({ ...change, noFolder: true });
    expect(describeChange(early!)).toMatch(/^new file, 2 lines; its folder does not exist yet/);
  });

  it('by a new folder says whether the folder exists', async () => {
    const make = (state: FileState) => of('create_directory', { path: 'a' }, state);
    expect(await make(folder)).toMatchObject({ kind: 'folder', path: 'real/dir', exists: true });
    expect(await make(missing)).toMatchObject({ kind: 'folder', path: 'real/new.md', exists: false });
  });

  it('has a hash that covers every state it was made from, and not the time of reading', async () => {
    const write = async (state: FileState) =>
      (await of('write_file', { path: 'a', content: 'x' }, state))?.hash;
    const states = [missing, folder, unreadable, file('a'), file('b'), file('a', { path: 'other' })];
    const other: FileState[] = [
      { ...missing, path: 'x' },
      { ...folder, path: 'x' },
      { ...unreadable, reason: 'x' },
    ];
    const hashes = await Promise.all([...states, ...other].map(write));
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(await write(file('a', { bytes: 1, text: 'a', complete: false }))).toBe(hashes[3]);
    const move = async (b: FileState) =>
      (await of('move_file', { source: 'a', destination: 'b' }, { a: file('a'), b }))?.hash;
    expect(await move(missing)).not.toBe(await move(folder));
  });

  it.each<[string, string, { before: string; after: string } | undefined]>([
    ['a\r\nb\r\n', 'a\nb\n', { before: 'CRLF', after: 'LF' }],
    ['a\nb\r\n', 'a\nb\n', { before: 'mixed', after: 'LF' }],
    ['a\n', 'a\r\nb\n', { before: 'LF', after: 'mixed' }],
    ['a', 'a\n', undefined],
    ['a\n', 'a', undefined],
    ['a', 'a\r\n', undefined],
    ['a', 'b', undefined],
    ['a\r\n', 'b\r\n', undefined],
  ])('of the line ends of %j to %j is %j', async (before, after, lineEnds) => {
    const change = await of('write_file', { path: 'a', content: after }, file(before));
    expect(change?.kind === 'text' ? change.lineEnds : null).toEqual(lineEnds);
  });

  it('of a last line without a line end has a note', async () => {
    const change = await of('write_file', { path: 'a', content: 'a\nc' }, file('a\nb\n'));
    expect(linesOf(change)).toEqual(['same a', 'removed b', 'added c', 'note  No newline at end of file']);
    expect(change).toMatchObject({ added: 1, removed: 1, omitted: 0 });
  });

  it('of too many lines is one replaced block between equal lines', async () => {
    const lines = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word} ${at}`);
    const text = (middle: readonly string[]) => ['first', 'second', ...middle, 'last', ''].join('\n');
    const content = text(lines('new', 201));
    const change = await of('write_file', { path: 'a', content }, file(text(lines('old', 200))));
    expect(change).toMatchObject({ hunks: [{ oldStart: 3, newStart: 3 }], added: 201, removed: 200 });
    const shown = linesOf(change);
    expect([shown[0], shown[199], shown[200], shown.at(-1)]).toEqual([
      ...['removed old 0', 'removed old 199', 'added new 0', 'added new 200'],
    ]);
    // Only added or only removed lines in the middle.
    const many = lines('more', 400);
    const added = await of('write_file', { path: 'a', content: text(many) }, file(text([])));
    expect(added).toMatchObject({ added: 400, removed: 0, hunks: [{ oldStart: 3 }] });
    const removed = await of('write_file', { path: 'a', content: text([]) }, file(text(many)));
    expect(removed).toMatchObject({ added: 0, removed: 400, hunks: [{ newStart: 3 }] });
    const repeated = (count: number) => 'same\n'.repeat(count);
    expect(await of('write_file', { path: 'a', content: repeated(800) }, file(repeated(400)))).toMatchObject({
      ...{ added: 400, removed: 0, hunks: [{ oldStart: 401, newStart: 401 }] },
    });
  });

  it('keeps at most 100,000 characters of a difference, and no empty part', async () => {
    const text = (first: string, last: string) => [first, ...'abcdefghijkl', last, ''].join('\n');
    const write = async (characters: number) => {
      const content = text('y'.repeat(characters), 'new');
      const change = await of('write_file', { path: 'a', content }, file(text('old', 'old')));
      return change?.kind === 'text' && [change.omitted, change.hunks.map(({ lines }) => lines.length)];
    };
    expect(await write(99_900)).toEqual([0, [5, 5]]);
    // The two lines of the beginning fit exactly; the last ones and the equal ones between them do not.
    expect(await write(99_997)).toEqual([2, [2]]);
    expect(await write(99_998)).toEqual([3, [1]]);
  });

  it('by a deletion shows as much of the file as was read, and says if there is more', async () => {
    const removed = (state: FileState) => of('delete_file', { path: 'a' }, state);
    expect(await removed(file('one\n'))).toMatchObject({
      kind: 'deleted',
      bytes: 9,
      binary: false,
      more: false,
    });
    expect(await removed(file('one\n', { complete: false }))).toMatchObject({ more: true });
    expect(await removed(file(null, { complete: false }))).toMatchObject({
      binary: true,
      more: false,
      hunks: [],
    });
    expect(await removed(file(''))).toMatchObject({ binary: false, more: false, hunks: [] });
  });
});
