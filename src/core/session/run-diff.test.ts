import { describe, expect, it } from 'vitest';
import type { RunState, WriteState } from '#shared/session-state';
import type { PathState } from '#shared/undo';
import type { SavedContent, UndoFiles } from '../ports/undo-files';
import { runDiff } from './run-diff';
import { diffStates } from './undo-diff';

const missing = (path: string): PathState => ({ kind: 'missing', path });
const folder = (path: string): PathState => ({ kind: 'folder', path });
/** A file whose saved content is its hash, so that the tests say the text. */
const file = (path: string, text: string, bytes = text.length): PathState => ({
  kind: 'file',
  path,
  hash: text,
  bytes,
  mode: 0o644,
});

const savedContents = (others: Readonly<Record<string, SavedContent>> = {}): Pick<UndoFiles, 'read'> => ({
  read: (hash) => Promise.resolve(others[hash] ?? { kind: 'text', text: hash }),
});

type Change = readonly [tool: string, before: PathState[], after: PathState[], more?: Partial<WriteState>];

const runOf = (...changes: readonly Change[]): RunState => ({
  runId: 'r',
  goal: '',
  status: 'done',
  startedAt: 0,
  nodes: [],
  approvals: [],
  writes: changes.map(([tool, before, after, more], index): WriteState => ({
    callId: `c${index}`,
    nodeId: 'n',
    tool: `mcp://filesystem.${tool}`,
    arguments: {},
    hash: 'h',
    outcome: 'done',
    undo: { project: '/p', before },
    after,
    ...more,
  })),
});
const filesOf = async (...changes: readonly Change[]) =>
  (await runDiff(savedContents(), runOf(...changes))).files;

const create = (path: string, text: string, more: Partial<WriteState> = {}): Change => [
  'write_file',
  [missing(path)],
  [file(path, text)],
  more,
];
const edit = (path: string, from: string, to: string): Change => [
  'edit_file',
  [file(path, from)],
  [file(path, to)],
];
const remove = (path: string, text: string): Change => ['delete_file', [file(path, text)], [missing(path)]];
const move = (from: string, to: string, text: string): Change => [
  'move_file',
  [file(from, text), missing(to)],
  [missing(from), file(to, text)],
];
const moveFolder = (from: string, to: string): Change => [
  'move_file',
  [folder(from), missing(to)],
  [missing(from), folder(to)],
];

describe('what a run changed', () => {
  it('is listed by path, with added and removed lines', async () => {
    const files = await filesOf(create('b', 'one\ntwo\n'), edit('a', 'x\ny\n', 'x\nz\n'), remove('c', 'q\n'));
    expect(files.map(({ path, change, added, removed }) => [path, change, added, removed])).toEqual([
      ['a', 'changed', 1, 1],
      ['b', 'created', 2, 0],
      ['c', 'deleted', 0, 1],
    ]);
    expect(files[0]?.patch).toContain('--- a/a\n+++ b/a\n');
    expect(files[0]?.patch).toContain('-y\n+z\n');
    expect(files[1]?.patch).toContain('--- /dev/null\n');
  });

  it('is all writes to a file together', async () => {
    const files = await filesOf(
      create('a', 'one\n'),
      edit('a', 'one\n', 'two\n'),
      edit('a', 'two\n', 'three\n'),
    );
    expect(files).toMatchObject([{ path: 'a', change: 'created', added: 1, removed: 0 }]);
    expect(files[0]?.patch).toContain('+three');
    expect(files[0]?.patch).not.toContain('two');
  });

  it.each<[string, readonly Change[]]>([
    ['changed and changed back', [edit('a', 'x', 'y'), edit('a', 'y', 'x')]],
    ['created and deleted', [create('a', 'x'), remove('a', 'x')]],
    ['moved and moved back', [move('a', 'b', 'x'), move('b', 'a', 'x')]],
    ['created, moved and deleted', [create('a', 'x'), move('a', 'b', 'x'), remove('b', 'x')]],
    ['deleted and created with the same content', [remove('a', 'x'), create('a', 'x')]],
  ])('does not list a file that it %s', async (_name, changes) => {
    expect(await filesOf(...changes)).toEqual([]);
  });

  it('names where a moved file was, and its changes', async () => {
    const files = await filesOf(edit('a', 'x\n', 'y\n'), move('a', 'b', 'y\n'), move('b', 'c', 'y\n'));
    expect(files).toMatchObject([{ path: 'c', movedFrom: 'a', change: 'moved', added: 1, removed: 1 }]);
    expect(await filesOf(create('a', 'x'), move('a', 'b', 'x'))).toMatchObject([
      { path: 'b', change: 'created' },
    ]);
  });

  it('moves the files of a moved folder, and no other file whose name begins alike', async () => {
    const files = await filesOf(edit('d/f', 'x', 'y'), edit('d2/f', 'x', 'y'), moveFolder('d', 'e'));
    expect(files.map(({ path, movedFrom, change }) => [path, movedFrom, change])).toEqual([
      ['d2/f', undefined, 'changed'],
      ['e', 'd', 'moved'],
      ['e/f', 'd/f', 'moved'],
    ]);
  });

  it('names the first place of a file that it wrote after its folder moved twice', async () => {
    const files = await filesOf(moveFolder('a', 'b'), moveFolder('b', 'c'), edit('c/f', 'x', 'y'));
    expect(files.find(({ path }) => path === 'c/f')).toMatchObject({ movedFrom: 'a/f', change: 'moved' });
  });

  it('leaves a deleted file where it was when its folder moves', async () => {
    const files = await filesOf(remove('d/f', 'x\n'), moveFolder('d', 'e'));
    expect(files.map(({ path, movedFrom, change }) => [path, movedFrom, change])).toEqual([
      ['d/f', undefined, 'deleted'],
      ['e', 'd', 'moved'],
    ]);
  });

  it('lists folders that it made', async () => {
    const made: Change = ['create_directory', [missing('a'), missing('a/b')], [folder('a'), folder('a/b')]];
    expect((await filesOf(made)).map(({ path, change }) => [path, change])).toEqual([
      ['a', 'folder'],
      ['a/b', 'folder'],
    ]);
  });

  it('leaves out what was undone, and counts the writes that it cannot show', async () => {
    const undone = create('a', 'x', { undone: { status: 'done', result: 'deleted' } });
    const other: Change = ['write_file', [], [], { undo: { impossible: 'other-tool' } }];
    const failed: Change = ['write_file', [], [], { outcome: 'failed' }];
    const diff = await runDiff(savedContents(), runOf(undone, other, failed, create('b', 'x')));
    expect(diff).toMatchObject({ runId: 'r', others: 1, files: [{ path: 'b' }] });
  });
});

describe('the lines of two states', () => {
  const old = file('a', 'x\n');

  it.each<[string, PathState, SavedContent | null, string]>([
    ['is no text', file('a', 'pic'), { kind: 'bytes', bytes: 3 }, 'binary'],
    ['is no longer kept', file('a', 'gone'), { kind: 'lost', why: 'swept' }, 'not-kept'],
    ['is damaged', file('a', 'bad'), { kind: 'lost', why: 'damaged' }, 'not-kept'],
    ['is longer than 2 MB', file('a', 'long', 2 * 1024 * 1024 + 1), null, 'too-long'],
  ])('are not shown when the content %s', async (_name, state, content, why) => {
    const files = savedContents(content && state.kind === 'file' ? { [state.hash]: content } : {});
    const without = { patch: '', added: 0, removed: 0, withoutLines: why };
    expect(await diffStates(files, old, state)).toEqual(without);
    expect(await diffStates(files, state, old)).toEqual(without);
  });

  it('are shown for a content of exactly 2 MB', async () => {
    const state = file('a', 'long\n', 2 * 1024 * 1024);
    expect(await diffStates(savedContents(), old, state)).toMatchObject({ added: 1, removed: 1 });
  });

  const lines = (word: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${word}${index}\n`).join('');

  it('are not searched for in a long file that was rewritten, which would take seconds', async () => {
    const rewritten = [file('a', lines('x', 1_200)), file('a', lines('y', 1_200))] as const;
    expect((await diffStates(savedContents(), ...rewritten)).withoutLines).toBe('too-long');
  });

  it('are shown for a long file with a short change, and for one that is new or deleted', async () => {
    const long = lines('x', 3_000);
    const changed = await diffStates(savedContents(), file('a', long), file('a', `${long}end\n`));
    expect(changed).toMatchObject({ added: 1, removed: 0 });
    const created = await diffStates(savedContents(), missing('a'), file('a', long));
    expect(created).toMatchObject({ added: 3_000, removed: 0 });
    const deleted = await diffStates(savedContents(), file('a', long), missing('a'));
    expect(deleted).toMatchObject({ added: 0, removed: 3_000 });
  });

  it('are counted even when they look like the header of a diff', async () => {
    const diff = await diffStates(savedContents(), file('a', '-- old\n'), file('a', '++ new\n'));
    expect(diff).toMatchObject({ added: 1, removed: 1 });
    expect(diff.patch).toContain('--- old\n+++ new\n');
  });
});
