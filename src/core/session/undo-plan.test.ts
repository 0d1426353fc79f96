import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/json';
import type { RunState, WriteState } from '#shared/session-state';
import type { PathState } from '#shared/undo';
import {
  checkStep,
  createPathView,
  isInFolderOf,
  movedContents,
  resultOf,
  shareFile,
  undoSteps,
  type UndoStep,
} from './undo-plan';

const missing = (path: string): PathState => ({ kind: 'missing', path });
const folder = (path: string, contents?: string): PathState => ({
  kind: 'folder',
  path,
  ...(contents !== undefined && { contents }),
});
const file = (path: string, hash = 'old', mode = 0o644): PathState => ({
  kind: 'file',
  path,
  hash,
  bytes: 3,
  mode,
});

const write = (tool: string, args: Json, more: Partial<WriteState> = {}): WriteState => ({
  callId: 'c1',
  nodeId: 'n',
  tool: `mcp://filesystem.${tool}`,
  arguments: args,
  hash: 'h',
  outcome: 'done',
  ...more,
});
const before = (...states: PathState[]) => ({ undo: { project: '/p', before: states } });
const runOf = (...writes: WriteState[]): RunState => ({
  runId: 'r',
  goal: '',
  status: 'done',
  startedAt: 0,
  nodes: [],
  approvals: [],
  writes,
});
const step = (tool: UndoStep['tool'], from: PathState[], to: PathState[]): UndoStep => ({
  write: write(tool, {}),
  target: '',
  tool,
  project: '/p',
  from,
  to,
});

describe('what can be undone of a run', () => {
  it('is each write that was made, newest first, from the state it left to the one before', () => {
    const one = write('write_file', { path: 'a' }, { ...before(missing('a')), after: [file('a', 'new')] });
    const two = write(
      'edit_file',
      { path: 'b' },
      { callId: 'c2', ...before(file('b')), after: [file('b', 'x')] },
    );
    const { steps, remaining } = undoSteps(runOf(one, two));
    expect(remaining).toEqual([]);
    expect(steps).toEqual([
      { write: two, target: 'b', tool: 'edit_file', project: '/p', from: [file('b', 'x')], to: [file('b')] },
      {
        write: one,
        target: 'a',
        tool: 'write_file',
        project: '/p',
        from: [file('a', 'new')],
        to: [missing('a')],
      },
    ]);
  });

  it.each<[string, Json, PathState[], PathState[]]>([
    ['move_file', { source: 'a', destination: 'b' }, [file('a'), missing('b')], [missing('a'), file('b')]],
    ['delete_file', { path: 'a' }, [file('a')], [missing('a')]],
    ['create_directory', { path: 'a/b' }, [missing('a'), missing('a/b')], [folder('a'), folder('a/b')]],
  ])('includes a %s whose result was not observed: its arguments say it', (tool, args, states, left) => {
    expect(undoSteps(runOf(write(tool, args, before(...states)))).steps).toMatchObject([{ from: left }]);
  });

  it('includes a write_file whose result was not observed, by the content that the call gave', () => {
    const made = write('write_file', { path: 'a', content: 'hé' }, before(file('a', 'old', 0o755)));
    // The SHA-256 of the UTF-8 bytes of that content.
    const hash = '7dfbe0eab96510b11c9a2671d83019cd52953211294db5f917ffa0b7cc84f534';
    expect(undoSteps(runOf(made)).steps).toMatchObject([
      { from: [{ kind: 'file', path: 'a', hash, bytes: 3, mode: 0o755 }] },
    ]);
  });

  it.each<[string, Partial<WriteState>, string, boolean]>([
    ['of another tool', { undo: { impossible: 'other-tool' } }, 'Only the file writes of the bundled', false],
    [
      'outside the project',
      { undo: { impossible: 'outside' } },
      'It is not a file or folder of the project',
      true,
    ],
    ['to a huge file', { undo: { impossible: 'too-large' } }, 'The file was larger than 64 MB', true],
    [
      'that was not saved',
      { undo: { impossible: 'not-saved' } },
      'Its previous content could not be saved',
      true,
    ],
    ['of an earlier version', {}, 'It was made before Patina saved', false],
  ])('excludes one %s, and says why', (_name, more, reason, inFile) => {
    const { steps, remaining } = undoSteps(runOf(write('write_file', { path: 'a' }, more)));
    expect(steps).toEqual([]);
    expect(remaining).toMatchObject([{ target: 'a', file: inFile }]);
    expect(remaining[0]?.reason).toContain(reason);
  });

  it('excludes an edit whose result was not observed', () => {
    const { steps, remaining } = undoSteps(runOf(write('edit_file', { path: 'a' }, before(file('a')))));
    expect(steps).toEqual([]);
    expect(remaining).toMatchObject([
      { file: true, reason: expect.stringContaining('not observed') as string },
    ]);
  });

  it('excludes a tool whose name only ends alike', () => {
    const alike = write(
      'x',
      {},
      { tool: 'mcp://other.rewrite_file', ...before(file('a')), after: [file('a')] },
    );
    expect(undoSteps(runOf(alike)).steps).toEqual([]);
  });

  it('leaves out writes that were not made, and those that are undone already', () => {
    const states = { ...before(missing('a')), after: [file('a')] };
    const writes = [
      write('write_file', {}, { ...states, outcome: 'failed' }),
      write('write_file', {}, { ...states, outcome: 'unknown' }),
      write('write_file', {}, { ...states, undone: { status: 'done', result: 'deleted' } }),
    ];
    expect(undoSteps(runOf(...writes))).toEqual({ steps: [], remaining: [] });
  });

  it('includes a write whose undo was interrupted', () => {
    const states = { ...before(missing('a')), after: [file('a')] };
    const begun = write('write_file', {}, { ...states, undone: { status: 'intended' } });
    expect(undoSteps(runOf(begun)).steps).toHaveLength(1);
  });

  it('is one write alone when the user names it, with the reason when it was not made', () => {
    const states = { ...before(missing('a')), after: [file('a')] };
    const run = runOf(
      write('write_file', {}, states),
      write('write_file', {}, { ...states, callId: 'c2', outcome: 'failed' }),
    );
    expect(undoSteps(run, 'c1').steps).toHaveLength(1);
    expect(undoSteps(run, 'c2')).toMatchObject({
      steps: [],
      remaining: [{ reason: 'This write was not made, or its outcome is unknown.' }],
    });
    expect(undoSteps(run, 'c3')).toEqual({ steps: [], remaining: [] });
  });
});

/** A view of files on disk by path. */
const viewOf = (
  disk: Readonly<Record<string, PathState>>,
  folders: Readonly<Record<string, string[]>> = {},
) =>
  createPathView(
    (path) => Promise.resolve(disk[path] ?? missing(path)),
    (path) => Promise.resolve(folders[path] ?? null),
  );

describe('the view of paths after planned steps', () => {
  const moveBack = step('move_file', [missing('a'), folder('b')], [folder('a'), missing('b')]);

  it('is the disk without a step', async () => {
    const view = viewOf({ x: file('x') });
    expect(await view.at('x')).toEqual(file('x'));
    expect(await view.at('y')).toEqual(missing('y'));
  });

  it('is the state that a step goes back to', async () => {
    const view = viewOf({ x: file('x', 'new') });
    view.apply(step('write_file', [file('x', 'new')], [file('x', 'old')]));
    expect(await view.at('x')).toEqual(file('x', 'old'));
  });

  it('looks below a folder that moves back at where its files are now', async () => {
    const view = viewOf({ 'b/f': file('b/f'), 'b/c/g': file('b/c/g'), 'bb/f': file('bb/f', 'other') });
    view.apply(moveBack);
    expect([view.onDisk('a/f'), view.onDisk('a'), view.onDisk('ab/f')]).toEqual(['b/f', 'a', 'ab/f']);
    expect(await view.at('a/f')).toEqual(file('a/f'));
    expect(await view.at('a/c/g')).toEqual(file('a/c/g'));
    expect(await view.at('bb/f')).toEqual(file('bb/f', 'other'));
  });

  it('follows several moves to the first place', async () => {
    const view = viewOf({ 'c/f': file('c/f') });
    view.apply(step('move_file', [missing('b'), folder('c')], [folder('b'), missing('c')]));
    view.apply(moveBack);
    expect(view.onDisk('a/f')).toBe('c/f');
    expect(await view.at('a/f')).toEqual(file('a/f'));
  });

  it('moves what other steps planned in the folder', async () => {
    const view = viewOf({});
    view.apply(step('write_file', [file('b/f', 'new')], [file('b/f', 'old')]));
    view.apply(moveBack);
    expect(await view.at('a/f')).toMatchObject({ kind: 'file', hash: 'old' });
  });

  it('does not know a path that a link leads elsewhere', async () => {
    expect(await viewOf({ x: file('elsewhere') }).at('x')).toBeNull();
    const unreadable = createPathView(() => Promise.resolve(null));
    expect(await unreadable.at('x')).toBeNull();
  });

  it('lists what a folder will hold, without what the steps delete', async () => {
    const view = viewOf({}, { d: ['one', 'two', 'in', 'in/three', 'inner'] });
    expect(await view.contentsOf('d')).toEqual(['one', 'two', 'in', 'in/three', 'inner']);
    view.apply(step('write_file', [file('d/one')], [missing('d/one')]));
    view.apply(step('create_directory', [folder('d/in')], [missing('d/in')]));
    expect(await view.contentsOf('d')).toEqual(['two', 'inner']);
  });

  it('does not know what a folder holds that a step makes or that cannot be listed', async () => {
    const view = viewOf({}, { d: [] });
    expect(await view.contentsOf('other')).toBeNull();
    view.apply(step('create_directory', [missing('d')], [folder('d')]));
    expect(await view.contentsOf('d')).toBeNull();
  });
});

describe('a step is checked before it is undone', () => {
  const edit = step('edit_file', [file('a', 'new')], [file('a', 'old')]);

  it.each<[string, PathState, boolean]>([
    ['it is as the run left it', file('a', 'new'), true],
    ['only its mode changed', file('a', 'new', 0o600), true],
    ['it is undone already', file('a', 'old'), true],
    ['someone changed it', file('a', 'theirs'), false],
    ['someone deleted it', missing('a'), false],
    ['someone made it a folder', folder('a'), false],
  ])('when %s', async (_name, now, fine) => {
    const difference = await checkStep(viewOf({ a: now }), edit);
    expect(difference).toEqual(fine ? null : { expected: file('a', 'new'), found: now, path: 'a' });
  });

  it('names the path on disk that differs, and that it cannot be read', async () => {
    const view = createPathView((path) => Promise.resolve(path === 'b/f' ? null : missing(path)));
    view.apply(step('move_file', [missing('a'), folder('b')], [folder('a'), missing('b')]));
    const inside = step('edit_file', [file('a/f', 'new')], [file('a/f', 'old')]);
    expect(await checkStep(view, inside)).toEqual({ expected: file('a/f', 'new'), found: null, path: 'b/f' });
  });

  it('is half done: each path must be in the expected state', async () => {
    const move = step('move_file', [missing('a'), file('b')], [file('a'), missing('b')]);
    const difference = await checkStep(viewOf({ a: file('a'), b: file('b') }), move);
    expect(difference).toMatchObject({ expected: missing('a'), path: 'a' });
  });
});

describe('which steps belong together', () => {
  const editA = step('edit_file', [file('d/a')], [file('d/a')]);
  const moveA = step('move_file', [missing('d/a'), file('d/b')], [file('d/a'), missing('d/b')]);
  const moveD = step('move_file', [missing('d'), folder('e')], [folder('d'), missing('e')]);
  const makeD = step('create_directory', [folder('d')], [missing('d')]);
  const editDa = step('edit_file', [file('da')], [file('da')]);

  it.each<[string, UndoStep, UndoStep, boolean]>([
    ['two edits of a file', editA, editA, true],
    ['an edit and a move of the file', editA, moveA, true],
    ['an edit of a file and a move of its folder', editA, moveD, true],
    ['a folder that was made and a file in it', makeD, editA, false],
    ['two folders that were made', makeD, makeD, false],
    ['a move of a folder and a file whose name begins alike', moveD, editDa, false],
  ])('%s', (_name, one, other, shared) => {
    expect([shareFile(one, other), shareFile(other, one)]).toEqual([shared, shared]);
  });

  it.each<[string, UndoStep, UndoStep, boolean]>([
    ['a file in a folder that was made', makeD, editA, true],
    ['a file beside it whose name begins alike', makeD, editDa, false],
    ['the folder itself', makeD, makeD, false],
    ['a file in a folder that was moved there', moveD, step('edit_file', [file('e/x')], [file('e/x')]), true],
  ])('%s is in the folder: %#', (_name, older, newer, inside) => {
    expect(isInFolderOf(older, newer)).toBe(inside);
  });
});

it('knows what a moved folder contained, and of nothing else', () => {
  const contents = 'c'.repeat(64);
  const move = (moved: PathState) => step('move_file', [missing('a'), moved], [folder('a'), missing('b')]);
  expect(movedContents(move(folder('b', contents)))).toBe(contents);
  expect(movedContents(move(folder('b')))).toBeUndefined();
  expect(movedContents(move(file('b')))).toBeUndefined();
  const made = step(
    'create_directory',
    [folder('a'), folder('a/b', contents)],
    [missing('a'), missing('a/b')],
  );
  expect(movedContents(made)).toBeUndefined();
});

it.each<[UndoStep['tool'], PathState[], string]>([
  ['move_file', [file('a'), missing('b')], 'moved'],
  ['write_file', [missing('a')], 'deleted'],
  ['create_directory', [missing('a'), missing('a/b')], 'deleted'],
  ['create_directory', [folder('a'), missing('a/b')], 'restored'],
  ['delete_file', [file('a')], 'restored'],
])('reports an undone %s back to %o as %s', (tool, to, result) => {
  expect(resultOf({ tool, to })).toBe(result);
});
