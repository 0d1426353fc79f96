import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { WriteState } from '#shared/session-state';
import type { PathState } from '#shared/undo';
import { createManualClock } from '../../testing/manual-clock';
import type { SavedContent, UndoFiles } from '../ports/undo-files';
import type { ToolDefinition } from '../ports/tool-definition';
import type { CallScope } from '../tools/call-scope';
import type { UndoStep } from './undo-plan';
import { lostReason, performStep, type UndoStepDeps } from './undo-step';

const missing = (path: string): PathState => ({ kind: 'missing', path });
const folder = (path: string): PathState => ({ kind: 'folder', path });
/** A file whose hash is its text. */
const file = (path: string, text: string, mode = 0o644): PathState => ({
  kind: 'file',
  path,
  hash: text,
  bytes: text.length,
  mode,
});

const write: WriteState = {
  callId: 'c',
  nodeId: 'n',
  tool: 'mcp://filesystem.write_file',
  arguments: {},
  hash: 'h',
  outcome: 'done',
};
const step = (
  tool: UndoStep['tool'],
  from: PathState[],
  to: PathState[],
  more: Partial<UndoStep> = {},
): UndoStep => ({
  write,
  target: 'the target',
  tool,
  project: '/p',
  from,
  to,
  ...more,
});

const toolNames = ['write_file', 'move_file', 'create_directory', 'delete_file'] as const;
const definitionOf = (tool: (typeof toolNames)[number]): ToolDefinition => ({
  uri: `mcp://filesystem.${tool}`,
  server: 'filesystem',
  tool,
  serverVersion: '1',
  description: '',
  inputSchema: { type: 'object' },
  readOnly: false,
  bundled: tool === 'delete_file' ? 'project' : 'filesystem',
});
const definitions = toolNames.map(definitionOf);
const writeFile = definitionOf('write_file');

interface Setup {
  readonly disk: readonly PathState[];
  readonly contents?: Readonly<Record<string, SavedContent>>;
  readonly tools?: readonly ToolDefinition[];
  /** What the server answers instead of doing the call. */
  readonly answer?: Result<Json>;
  readonly save?: UndoFiles['save'];
}

/** A project on a disk in memory, its server, and all that was done, in order. */
function setup({ disk: states, contents = {}, tools = definitions, answer, save }: Setup) {
  const disk = new Map(states.map((state) => [state.path, state]));
  const done: string[] = [];
  const scopes: CallScope[] = [];
  const at = (path: string): PathState => disk.get(path) ?? missing(path);
  const doCall = (tool: string, args: Readonly<Record<string, string>>): void => {
    const { path = '', source, destination } = args;
    const plain = path.replace(/^\.\//, '');
    if (tool.endsWith('.write_file')) disk.set(plain, file(plain, args['content'] ?? ''));
    if (tool.endsWith('.create_directory')) disk.set(plain, folder(plain));
    if (!tool.endsWith('.move_file') || source === undefined || destination === undefined) return;
    disk.set(destination, { ...at(source), path: destination });
    disk.delete(source);
  };
  const files: UndoFiles = {
    look: (_project, path) => Promise.resolve(at(path)),
    save:
      save ??
      ((_project, path) => {
        done.push(`save ${path}`);
        return Promise.resolve(ok(at(path)));
      }),
    read: (hash) => Promise.resolve(contents[hash] ?? { kind: 'text', text: hash }),
    contentsOf: () => Promise.resolve(null),
    saveText: () => Promise.resolve(null),
    remove: (_project, { path }) => {
      done.push(`remove ${path}`);
      disk.delete(path);
      return Promise.resolve(ok(null));
    },
    restore: (_project, _expected, to) => {
      done.push(`restore ${to.path}`);
      disk.set(to.path, to);
      return Promise.resolve(ok(null));
    },
    setMode: (_project, path, mode) => {
      done.push(`mode ${path} ${mode.toString(8)}`);
      const state = at(path);
      if (state.kind === 'file') disk.set(path, { ...state, mode });
      return Promise.resolve(ok(null));
    },
  };
  const deps: UndoStepDeps = {
    toolCalls: {
      list: () => Promise.resolve(ok({ tools, servers: [] })),
      callTool: (scope, call) => {
        const args = call.arguments as Record<string, string>;
        scopes.push(scope);
        done.push(`${call.tool.replace('mcp://filesystem.', '')} ${JSON.stringify(args)}`);
        if (!answer) doCall(call.tool, args);
        const record = {
          callId: '1',
          tool: call.tool,
          argumentsPreview: '',
          outcome: 'done',
          ms: 0,
          bytes: 0,
        } as const;
        return Promise.resolve({ result: answer ?? ok(null), record });
      },
    },
    capabilities: () =>
      Promise.resolve(ok({ allow: [], deny: [], write: [], dataFlows: [], rateLimits: {} })),
    files,
    clock: createManualClock().clock,
    ids: { next: (prefix) => `${prefix}_1` },
  };
  return { deps, done, at, scopes };
}

const edit = step('edit_file', [file('a', 'new')], [file('a', 'old')]);

describe('a step that is undone', () => {
  it.each<[string, UndoStep, PathState[], readonly string[]]>([
    [
      'writes the text back through the server that wrote it, and saves the present one first',
      edit,
      [file('a', 'new')],
      ['save a', 'write_file {"path":"a","content":"old"}'],
    ],
    [
      'removes a file that it created',
      step('write_file', [file('a', 'new')], [missing('a')]),
      [file('a', 'new')],
      ['save a', 'remove a'],
    ],
    [
      'moves a file back, which needs no copy',
      step('move_file', [missing('a'), file('b', 'x')], [file('a', 'x'), missing('b')]),
      [file('b', 'x')],
      ['move_file {"source":"b","destination":"a"}'],
    ],
    [
      'removes inner folders first',
      step('create_directory', [folder('a'), folder('a/b')], [missing('a'), missing('a/b')]),
      [folder('a'), folder('a/b')],
      ['remove a/b', 'remove a'],
    ],
    [
      'brings a deleted file back itself, because the server that deletes writes none',
      step('delete_file', [missing('a')], [file('a', 'old')]),
      [],
      ['restore a'],
    ],
  ])('%s', async (_name, one, disk, expected) => {
    const { deps, done, at } = setup({ disk });
    expect(await performStep(deps, one, 'undo')).toEqual(ok(null));
    expect(done).toEqual(expected);
    for (const state of one.to) expect(at(state.path)).toMatchObject({ kind: state.kind });
  });

  it('writes bytes that are no text back itself', async () => {
    const { deps, done } = setup({
      disk: [file('a', 'new')],
      contents: { old: { kind: 'bytes', bytes: 3 } },
    });
    expect(await performStep(deps, edit, 'undo')).toEqual(ok(null));
    expect(done).toEqual(['save a', 'restore a']);
  });

  it('names a file so that the server cannot take it for the home folder', async () => {
    const tilde = step('edit_file', [file('~', 'new')], [file('~', 'old')]);
    const { deps, done } = setup({ disk: [file('~', 'new')] });
    expect(await performStep(deps, tilde, 'undo')).toEqual(ok(null));
    expect(done).toContain('write_file {"path":"./~","content":"old"}');
  });

  it('acts for the user, with the tools of that server that can be undone alone', async () => {
    const other: ToolDefinition = { ...writeFile, uri: 'mcp://filesystem.search', tool: 'search' };
    const { deps, scopes } = setup({ disk: [file('a', 'new')], tools: [...definitions, other] });
    await performStep(deps, edit, 'undo');
    expect(scopes[0]?.actor).toBe('user');
    expect(scopes[0]?.declared).toEqual(definitions.map(({ uri }) => uri));
  });

  it('comes back when it is redone', async () => {
    const { deps, at } = setup({ disk: [file('a', 'old')] });
    expect(await performStep(deps, edit, 'redo')).toEqual(ok(null));
    expect(at('a')).toMatchObject({ hash: 'new' });
  });

  it('makes outer folders first when it is redone', async () => {
    const made = step('create_directory', [folder('a'), folder('a/b')], [missing('a'), missing('a/b')]);
    const { deps, done } = setup({ disk: [] });
    expect(await performStep(deps, made, 'redo')).toEqual(ok(null));
    expect(done).toEqual(['create_directory {"path":"a"}', 'create_directory {"path":"a/b"}']);
  });
});

describe('the mode of a file', () => {
  const script = step('edit_file', [file('a', 'new', 0o644)], [file('a', 'old', 0o755)]);

  it('comes back when the write had changed it', async () => {
    const { deps, at } = setup({ disk: [file('a', 'new')] });
    expect(await performStep(deps, script, 'undo')).toEqual(ok(null));
    expect(at('a')).toMatchObject({ hash: 'old', mode: 0o755 });
  });

  it('comes back in an undo that was interrupted after the content', async () => {
    const { deps, done } = setup({ disk: [file('a', 'old')] });
    expect(await performStep(deps, script, 'undo')).toEqual(ok(null));
    expect(done).toEqual(['mode a 755']);
  });

  it('stays as the user set it when the write had not changed it', async () => {
    const { deps, done } = setup({ disk: [file('a', 'old', 0o600)] });
    expect(await performStep(deps, edit, 'undo')).toEqual(ok(null));
    expect(done).toEqual([]);
  });
});

describe('a step is not undone, and nothing changes', () => {
  it.each<[string, PathState[]]>([
    ['someone changed the file', [file('a', 'theirs')]],
    ['someone deleted the file', []],
    ['someone made it a folder', [folder('a')]],
  ])('when %s', async (_name, disk) => {
    const { deps, done } = setup({ disk });
    const result = await performStep(deps, edit, 'undo');
    expect(result).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STATE' } });
    expect(result).toHaveProperty('error.message', expect.stringContaining('the target changed while'));
    expect(done).toEqual([]);
  });

  it('when a link leads elsewhere', async () => {
    const { deps, done } = setup({ disk: [] });
    const look: UndoFiles['look'] = () => Promise.resolve(file('elsewhere', 'new'));
    const result = await performStep({ ...deps, files: { ...deps.files, look } }, edit, 'undo');
    expect(result).toMatchObject({ ok: false, error: { code: 'STATE' } });
    expect(done).toEqual([]);
  });

  it('when the present content cannot be saved', async () => {
    const save: UndoFiles['save'] = () => Promise.resolve(err('not-saved'));
    const { deps, done } = setup({ disk: [file('a', 'new')], save });
    expect(await performStep(deps, edit, 'undo')).toMatchObject({ ok: false, error: { code: 'STORAGE' } });
    expect(done).toEqual([]);
  });

  it.each<[string, readonly ToolDefinition[]]>([
    ['is off', []],
    ['is another one under its name', [{ ...writeFile, bundled: 'other' }]],
  ])('when its server %s', async (_name, tools) => {
    const { deps, done } = setup({ disk: [file('a', 'new')], tools });
    const result = await performStep(deps, edit, 'undo');
    expect(result).toHaveProperty(
      'error.message',
      'The bundled server that made this write is not available.',
    );
    expect(done).toEqual(['save a']);
  });

  it.each<[string, 'swept' | 'damaged', string]>([
    ['is no longer kept', 'swept', 'a: its previous content is no longer kept'],
    ['is damaged', 'damaged', 'a: its saved previous content is damaged.'],
  ])('when the content %s', async (_name, why, message) => {
    const { deps, at } = setup({ disk: [file('a', 'new')], contents: { old: { kind: 'lost', why } } });
    const result = await performStep(deps, edit, 'undo');
    expect(result).toHaveProperty('error.message', expect.stringContaining(message));
    expect(at('a')).toEqual(file('a', 'new'));
  });

  it('when the server refuses', async () => {
    const refusal = appError('TOOL', 'FAILED', 'The disk is full. Free some space.');
    const { deps } = setup({ disk: [file('a', 'new')], answer: err(refusal) });
    expect(await performStep(deps, edit, 'undo')).toEqual(err(refusal));
  });

  it('when the server says that it wrote and did not', async () => {
    const { deps } = setup({ disk: [file('a', 'new')], answer: ok('written') });
    expect(await performStep(deps, edit, 'undo')).toHaveProperty(
      'error.message',
      expect.stringContaining('does not hold what the undo wrote'),
    );
  });
});

it('stops at the first folder that cannot be removed', async () => {
  const made = step('create_directory', [folder('a'), folder('a/b')], [missing('a'), missing('a/b')]);
  const { deps, done } = setup({ disk: [folder('a'), folder('a/b')] });
  const full = appError('HOST', 'STATE', 'a/b is not empty, so it was left.');
  const remove: UndoFiles['remove'] = (_project, { path }) => {
    done.push(`try ${path}`);
    return Promise.resolve(err(full));
  };
  expect(await performStep({ ...deps, files: { ...deps.files, remove } }, made, 'undo')).toEqual(err(full));
  expect(done).toEqual(['try a/b']);
});

it.each<[PathState, SavedContent, string | null]>([
  [file('a', 'x'), { kind: 'text', text: 'x' }, null],
  [file('a', 'x'), { kind: 'bytes', bytes: 1 }, null],
  [file('a', 'x'), { kind: 'lost', why: 'damaged' }, 'a: its saved previous content is damaged.'],
  [folder('a'), { kind: 'lost', why: 'swept' }, null],
])('says why a content cannot be used: %o %o', async (state, content, reason) => {
  expect(await lostReason({ read: () => Promise.resolve(content) }, state)).toBe(reason);
});
