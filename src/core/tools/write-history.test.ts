import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok } from '#shared/result';
import type { PathState, UndoObstacle } from '#shared/undo';
import type { ToolDefinition } from '../ports/tool-definition';
import type { UndoFiles } from '../ports/undo-files';
import { textHash } from './canonical-hash';
import { afterByArguments, createWriteHistory } from './write-history';

const project = '/p';
const definition = (tool: string, bundled = 'filesystem'): ToolDefinition => ({
  ...{ uri: `mcp://${bundled}.${tool}`, server: bundled, tool, serverVersion: '1', description: '' },
  ...{ inputSchema: {}, readOnly: false, bundled },
});
const file = (path: string, text: string, mode = 0o644): PathState => ({
  kind: 'file',
  path,
  hash: textHash(text),
  bytes: text.length,
  mode,
});
const missing = (path: string): PathState => ({ kind: 'missing', path });
const folder = (path: string): PathState => ({ kind: 'folder', path });

/** The paths of a project in memory; a path without a state is missing. */
function setUp(states: readonly PathState[] = []) {
  const now = new Map(states.map((state) => [state.path, state]));
  const saved: string[] = [];
  const contents = new Map<string, readonly string[]>();
  const obstacles = new Map<string, UndoObstacle>();
  const unused = () => Promise.reject(new Error('not used'));
  const look: UndoFiles['look'] = (_project, path) => Promise.resolve(now.get(path) ?? missing(path));
  const files: UndoFiles = {
    look,
    save: async (of, path) => {
      const obstacle = obstacles.get(path);
      if (obstacle) return err(obstacle);
      saved.push(`${of} ${path}`);
      return ok((await look(of, path)) ?? missing(path));
    },
    read: unused,
    contentsOf: (_project, path) => Promise.resolve(contents.get(path) ?? null),
    saveText: (text) => Promise.resolve(`saved ${text}`),
    remove: unused,
    restore: unused,
    setMode: unused,
  };
  const history = createWriteHistory(files, project);
  const begin = (tool: string, args: JsonObject, bundled?: string) =>
    history.begin(definition(tool, bundled), args);
  return { begin, now, saved, contents, obstacles };
}

describe('before a write', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    ['write_file', { path: 'a', content: 'x' }, ['a']],
    ['edit_file', { path: 'a', source: 'b' }, ['a']],
    ['move_file', { source: 'a', destination: 'b', path: 'c' }, ['a', 'b']],
    ['move_file', { source: 'a', destination: 1 }, ['a']],
    ['write_file', { path: 1 }, []],
  ])('of %s with %j the paths that it changes are saved: %j', async (tool, args, paths) => {
    const { begin, saved } = setUp();
    const { undo } = await begin(tool, args);
    expect(undo).toEqual({ project, before: paths.map(missing) });
    expect(saved).toEqual(paths.map((path) => `${project} ${path}`));
  });

  it('of a new folder every folder that the call creates is noted, outermost first', async () => {
    const { begin } = setUp([folder('x'), folder('there')]);
    expect((await begin('create_directory', { path: 'x/y/z' })).undo).toEqual({
      project,
      before: [missing('x/y'), missing('x/y/z')],
    });
  });

  it.each([
    ['there', [folder('there')]],
    ['new', [missing('new')]],
    ['new/a', [missing('new'), missing('new/a')]],
  ])('of the folder %s these states are noted: %j', async (path, before) => {
    const { begin } = setUp([folder('there')]);
    expect((await begin('create_directory', { path })).undo).toEqual({ project, before });
  });

  it('nothing is saved of a tool whose writes cannot be undone', async () => {
    const { begin, saved } = setUp();
    for (const bundled of ['other', 'project']) {
      const write = await begin('write_file', { path: 'a', content: 'x' }, bundled);
      expect(write.undo).toEqual({ impossible: 'other-tool' });
      expect(await write.after(ok('done'))).toBeUndefined();
    }
    expect(saved).toEqual([]);
  });

  it('of a folder that moves what it holds is noted, as far as it is known', async () => {
    const { begin, contents } = setUp([folder('a'), file('f', 'x')]);
    const args = { source: 'a', destination: 'b' };
    const unknown = await begin('move_file', args);
    expect(unknown.undo).toEqual({ project, before: [folder('a'), missing('b')] });
    unknown.release();
    contents.set('a', ['x', 'x/y']);
    contents.set('f', ['x']);
    const write = await begin('move_file', args);
    const noted = { ...folder('a'), contents: 'saved ["x","x/y"]' };
    expect(write.undo).toEqual({ project, before: [noted, missing('b')] });
    expect(await write.after(ok('moved'))).toEqual([missing('a'), { ...noted, path: 'b' }]);
    write.release();
    const other = await begin('move_file', { source: 'f', destination: 'b' });
    expect(other.undo).toEqual({ project, before: [file('f', 'x'), missing('b')] });
  });

  it('says why a path cannot be saved, and lets the next write begin', async () => {
    const { begin, obstacles } = setUp();
    obstacles.set('b', 'too-large');
    const write = await begin('move_file', { source: 'a', destination: 'b' });
    expect(write.undo).toEqual({ impossible: 'too-large' });
    expect(await write.after(ok('done'))).toBeUndefined();
    write.release();
    expect((await begin('write_file', { path: 'a', content: '' })).undo).toHaveProperty('before');
  });
});

it('writes of one project begin one after another, in order', async () => {
  const { begin, saved } = setUp();
  const first = await begin('write_file', { path: 'a', content: '' });
  const second = begin('write_file', { path: 'b', content: '' });
  const third = begin('write_file', { path: 'c', content: '' });
  await Promise.resolve();
  expect(saved).toEqual(['/p a']);
  first.release();
  (await second).release();
  expect(saved).toEqual(['/p a', '/p b']);
  await third;
  expect(saved).toEqual(['/p a', '/p b', '/p c']);
});

describe('what a write left', () => {
  it('of an overwrite is the content of the call with the permissions that the file has now', async () => {
    const { begin, now } = setUp([file('a', 'old', 0o755)]);
    const write = await begin('write_file', { path: 'a', content: 'né' });
    // Another process changed it in the meantime: that content is not the one of the call.
    now.set('a', file('a', 'stranger', 0o600));
    expect(await write.after(ok('done'))).toEqual([
      { kind: 'file', path: 'a', hash: textHash('né'), bytes: 3, mode: 0o600 },
    ]);
    now.delete('a');
    expect(await write.after(ok('done'))).toMatchObject([{ hash: textHash('né'), mode: 0o755 }]);
  });

  it('is unknown after a failure', async () => {
    const { begin } = setUp();
    const write = await begin('write_file', { path: 'a', content: 'x' });
    expect(await write.after(err(appError('TOOL', 'FAILED', 'No.')))).toBeUndefined();
  });

  it('of an edit is what is read of the file, also if it cannot be saved', async () => {
    const { begin, now, obstacles } = setUp([file('a', 'old')]);
    const write = await begin('edit_file', { path: 'a', edits: [] });
    now.set('a', file('a', 'new'));
    expect(await write.after(ok('done'))).toEqual([file('a', 'new')]);
    obstacles.set('a', 'too-large');
    now.set('a', file('a', 'large'));
    expect(await write.after(ok('done'))).toEqual([file('a', 'large')]);
  });

  it('of an edit is unknown if the file can no longer be read', async () => {
    const saved = ok(file('a', 'old'));
    let readable = true;
    const files = {
      look: () => Promise.resolve(null),
      save: () => Promise.resolve(readable ? saved : err('outside' as const)),
    } as unknown as UndoFiles;
    const write = await createWriteHistory(files, project).begin(definition('edit_file'), { path: 'a' });
    readable = false;
    expect(await write.after(ok('done'))).toBeUndefined();
  });

  it.each<[string, JsonObject, readonly PathState[], readonly PathState[] | null]>([
    [
      'write_file',
      { content: 'x' },
      [missing('a')],
      [{ kind: 'file', path: 'a', hash: textHash('x'), bytes: 1, mode: 0o644 }],
    ],
    [
      'write_file',
      { content: 'x' },
      [file('a', 'y', 0o100755)],
      [{ kind: 'file', path: 'a', hash: textHash('x'), bytes: 1, mode: 0o755 }],
    ],
    ['write_file', { content: 1 }, [missing('a')], null],
    ['write_file', { content: 'x' }, [], null],
    ['move_file', {}, [file('a', 'y'), missing('b')], [missing('a'), file('b', 'y')]],
    ['move_file', {}, [folder('a'), missing('b')], [missing('a'), folder('b')]],
    ['move_file', {}, [file('a', 'y')], null],
    ['delete_file', {}, [file('a', 'y')], [missing('a')]],
    ['create_directory', {}, [missing('x'), missing('x/y')], [folder('x'), folder('x/y')]],
    ['edit_file', {}, [file('a', 'y')], null],
  ])('of %s with %j before %j is, by its arguments alone, %j', (tool, args, before, after) => {
    expect(afterByArguments(tool, args, before)).toEqual(after);
  });
});
