import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { createMemoryArtifacts } from '../../testing/in-process-sandbox';
import type { NodeOutcome } from './node-run';
import { changesMade, observationText, readResultText } from './observation';

const done = (state: JsonObject): readonly NodeOutcome[] => [
  { id: 'work', status: 'done', summary: '', state, origins: [], cached: false },
];

const read = async (state: JsonObject, args: object, count = async (text: string) => text.length / 4) => {
  const call = { id: 'r', name: 'read_result', argumentsJson: JSON.stringify({ id: 'work', ...args }) };
  const text = await readResultText(call, done(state), createMemoryArtifacts(), count);
  return { text, part: JSON.parse(text) as JsonObject };
};

const firstOf = ({ value }: JsonObject) => (value as readonly unknown[])[0];

it('[STG-observation] a part of a result takes at most 1,500 tokens, also of text with a token per letter', async () => {
  const rows = Array.from({ length: 900 }, (_, n) => `第${n}行：这一行说明了文件的内容`);
  const perLetter = async (text: string) => text.length;
  const { text, part } = await read({ rows }, { path: '/rows' }, perLetter);
  expect(text.length).toBeLessThanOrEqual(1_500);
  expect(part).toMatchObject({ from: 1, total: 900, more: true });
  const next = await read({ rows }, { path: '/rows', from: Number(part['to']) + 1 }, perLetter);
  expect(firstOf(next.part)).toBe(rows[Number(part['to'])]);
});

it('[STG-observation] lines that contain a text continue after the last one shown', async () => {
  const text = Array.from({ length: 2_000 }, (_, n) => `line ${n + 1} ${n % 2 ? 'odd' : 'even'}`).join('\n');
  const { part } = await read({ text }, { path: '/text', grep: 'even' });
  const shown = part['value'] as readonly { readonly line: number }[];
  expect(part).toMatchObject({ more: true, to: (shown.at(-1)?.line ?? 0) + 1 });
  const { part: next } = await read({ text }, { path: '/text', grep: 'even', from: Number(part['to']) + 1 });
  expect(firstOf(next)).toMatchObject({ line: (shown.at(-1)?.line ?? 0) + 2 });
});

it('[STG-observation] a shape that does not get shorter is made twice at most', async () => {
  const keys = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`key-${n}`, 'x'.repeat(20)]));
  let counts = 0;
  const { part } = await read({ keys }, { path: '/keys' }, async (text) => ((counts += 1), text.length * 2));
  expect(part).toMatchObject({ hint: 'Give a path.' });
  expect(counts).toBeLessThanOrEqual(2);
});

it('[STG-observation] an item that is too long is shown by its shape', async () => {
  const items = [{ name: 'a', text: 'x'.repeat(9_000) }, 'short'];
  const { part } = await read({ items }, { path: '/items' });
  expect(part).toMatchObject({ shape: { keys: { text: { type: 'string', bytes: 9_000 } } }, more: true });
  expect((await read({ items }, { path: '/items', from: 2 })).part).toMatchObject({
    value: ['short'],
    more: false,
  });
});

it('[STG-observation] a wrong id is answered with the ids there are, and arguments without one with what is needed', async () => {
  const wrong = await read({ rows: [] }, { id: 'wrok' });
  expect(wrong.part).toMatchObject({ error: { code: 'NOT_FOUND', hint: 'It has: work.' } });
  const none = await read({ rows: [] }, { id: undefined });
  expect(none.part).toMatchObject({ error: { code: 'INVALID_INPUT' } });
});

it('[STG-observation] behind the last line or item there is nothing more', async () => {
  const lines = await read({ text: 'a\nb' }, { path: '/text', from: 3 });
  expect(lines.part).toMatchObject({ text: '', total: 2, more: false });
  const items = await read({ items: ['a', 'b'] }, { path: '/items', from: 3 });
  expect(items.part).toMatchObject({ value: [], total: 2, more: false });
});

it('[STG-observation] a range that ends before it begins is one line or item', async () => {
  const backwards = { from: 2, to: 1 };
  const items = await read({ items: ['a', 'b', 'c'] }, { path: '/items', ...backwards });
  expect(items.part).toEqual({ value: ['b'], from: 2, to: 2, total: 3, more: true });
  const lines = await read({ text: 'a\nb\nc' }, { path: '/text', ...backwards });
  expect(lines.part).toEqual({ text: 'b', from: 2, to: 2, total: 3, more: true });
});

describe('[STG-observation] the report of a stage', () => {
  const artifacts = createMemoryArtifacts();
  const count = (text: string) => Promise.resolve(text.length);
  const report = async (results: Partial<Parameters<typeof observationText>[0]>, size = count) =>
    JSON.parse(
      await observationText({ stage: 2, ends: [], writes: [], userTexts: [], ...results }, artifacts, size),
    ) as JsonObject;
  const end = (more: Partial<NodeOutcome> = {}): NodeOutcome => ({
    ...{ id: 'work', status: 'done', summary: 'Worked.', cached: false },
    ...more,
  });

  it('is short where nothing happened', async () => {
    expect(await report({})).toEqual({ stage: 2, nodes: [] });
    expect(await report({ ends: [end({ artifacts: [] })] })).toEqual({
      stage: 2,
      nodes: [{ id: 'work', status: 'done', summary: 'Worked.' }],
    });
  });

  it('has the results, files, errors, writes, and what the user said and changed', async () => {
    const error = appError('TOOL', 'FAILED', 'No.');
    const file = { name: 'a.json', handle: `artifact://sha256/${'0'.repeat(64)}`, bytes: 3 };
    const entry = { tool: 'mcp://box.put', target: 'a', outcome: 'made', undo: 'impossible' } as const;
    const ends = [
      end({ state: { n: 1 }, artifacts: [{ ...file, type: 'application/json' }] }),
      end({ id: 'bad', status: 'failed', summary: 'No.', error }),
    ];
    const writes = [{ ...entry, callId: 'c', nodeId: 'work' }];
    expect(await report({ ends, writes, userTexts: ['Use b.'], changes: [{ type: 'removed' }] })).toEqual({
      stage: 2,
      changedByUser: [{ type: 'removed' }],
      nodes: [
        { id: 'work', status: 'done', summary: 'Worked.', state: { n: 1 }, artifacts: [file] },
        { id: 'bad', status: 'failed', summary: 'No.', error },
      ],
      writes: [entry],
      said: ['Use b.'],
    });
  });

  it('has the shapes of states that are too long together', async () => {
    const ends = [end({ state: { text: 'x' } }), end({ id: 'other', state: { text: 'y' } })];
    const half = (tokens: number) => (text: string) => Promise.resolve(text === '' ? 0 : tokens);
    const kept = await report({ ends }, half(750));
    expect(kept['nodes']).toMatchObject([{ state: { text: 'x' } }, { state: { text: 'y' } }]);
    const { nodes } = await report({ ends }, half(751));
    const shape = { type: 'object', keys: { text: { type: 'string', bytes: 1 } } };
    expect(nodes).toMatchObject([{ shape }, { shape }]);
    expect(JSON.stringify(nodes)).not.toContain('state');
  });
});

describe('[STG-observation] what the user changed in a plan', () => {
  const plan = planOf([scriptNode('work', 'new', { title: 'Work' })]);
  const edited = { type: 'edited' as const, id: 'work', fields: ['code'] };

  it('has the new values of the changed fields, and no others', () => {
    const removed = { type: 'removed' as const, id: 'gone', title: 'Gone' };
    expect(changesMade([edited, removed], plan)).toEqual([{ ...edited, now: { code: 'new' } }, removed]);
    expect(changesMade([{ ...edited, id: 'other' }], plan)).toEqual([{ ...edited, id: 'other', now: {} }]);
    expect(changesMade([edited])).toEqual([{ ...edited, now: {} }]);
  });

  it('names the fields alone where the values are long', () => {
    const long = planOf([scriptNode('work', 'x'.repeat(6_000))]);
    expect(changesMade([edited], long)).toEqual([edited]);
  });
});

describe('[STG-observation] a part of a result', () => {
  const call = (args: object) => ({ id: 'r', name: 'read_result', argumentsJson: JSON.stringify(args) });
  const tokens = async (text: string) => text.length / 4;
  const all = async (args: object, ends: readonly NodeOutcome[], artifacts = createMemoryArtifacts()) =>
    JSON.parse(await readResultText(call(args), ends, artifacts, tokens)) as JsonObject;

  it('is found by the handle that a step gave, as JSON or as text', async () => {
    const artifacts = createMemoryArtifacts();
    const handles = ['[1,2]', 'a\nb', '[3]'].map((content) => {
      const saved = artifacts.put('x', 'text/plain', content);
      return saved.ok ? saved.value.handle : '';
    });
    const [json = '', text = '', other = ''] = handles;
    const file = { name: 'x', handle: text, bytes: 3 } as never;
    const ends: readonly NodeOutcome[] = [
      { id: 'a', status: 'done', summary: '', cached: false, state: { at: json } },
      { id: 'b', status: 'done', summary: '', cached: false, artifacts: [file] },
    ];
    expect(await all({ handle: json }, ends, artifacts)).toMatchObject({ value: [1, 2] });
    expect(await all({ handle: text }, ends, artifacts)).toMatchObject({ text: 'a\nb', total: 2 });
    expect(await all({ handle: other }, ends, artifacts)).toMatchObject({
      error: { code: 'NOT_FOUND', message: `This session has no result ${other}.` },
    });
    expect(await all({ handle: json }, ends)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('is found by the id of a step of the earlier run; a step of this run comes first', async () => {
    const previous = { a: { n: 'old' }, b: { n: 'older' } };
    const ends: readonly NodeOutcome[] = [
      { id: 'previous', status: 'done', summary: '', cached: false, state: previous },
      { id: 'a', status: 'done', summary: '', cached: false, state: { n: 'new' } },
      { id: 'c', status: 'failed', summary: '', cached: false, state: { n: 'half' } },
    ];
    expect(await all({ id: 'a' }, ends)).toMatchObject({ value: { n: 'new' } });
    expect(await all({ id: 'b' }, ends)).toMatchObject({ value: { n: 'older' } });
    expect(await all({ id: 'c' }, ends)).toMatchObject({
      error: { message: 'This session has no result “c”.', hint: 'It has: previous, a, b.' },
    });
    const none = (await all({ id: 'a' }, []))['error'] as JsonObject;
    expect(none['hint']).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`n${at}`, {}]));
    const known = (await all({ id: 'x' }, done(many)))['error'] as JsonObject;
    expect(known['hint']).toBe('It has: work.');
    const earlier = [{ ...ends[0], state: many } as NodeOutcome];
    const { hint } = (await all({ id: 'x' }, earlier))['error'] as { hint: string };
    expect(hint.split(', ')).toHaveLength(20);
  });

  it('is found at a pointer, also under names with slashes and tildes, and only at own members', async () => {
    const state = { 'a/b': { 'c~d': [10, null] } };
    const at = (path: unknown) => read(state, { path }).then(({ part }) => part);
    expect(await at('/a~1b/c~0d')).toMatchObject({ value: [10, null] });
    expect(await at('/a~1b/c~0d/1')).toMatchObject({ value: null });
    expect(await at('')).toMatchObject({ value: state });
    expect(await at(3)).toMatchObject({ value: state });
    for (const path of ['/a', '/a~1b/c~0d/1/x', '/toString', '/a~1b/c~0d/0/x'])
      expect(await at(path)).toMatchObject({ error: { message: `This session has no result at ${path}.` } });
  });

  it.each<[object, JsonObject]>([
    [{}, { value: ['a1', 'b1', 'a2', 'b2'], from: 1, to: 4, total: 4, more: false }],
    [
      { from: 2, to: 3 },
      { value: ['b1', 'a2'], from: 2, to: 3, total: 4, more: true },
    ],
    [{ from: 4 }, { value: ['b2'], from: 4, to: 4, total: 4, more: false }],
    [
      { from: 0, to: 1.5 },
      { value: ['a1', 'b1', 'a2', 'b2'], from: 1, to: 4, total: 4, more: false },
    ],
    [{ grep: 'b' }, { value: ['b1', 'b2'], from: 1, to: 2, total: 2, more: false }],
    [
      { grep: 'b', from: 2 },
      { value: ['b2'], from: 2, to: 2, total: 2, more: false },
    ],
    [
      { grep: 3, to: 1 },
      { value: ['a1'], from: 1, to: 1, total: 4, more: true },
    ],
  ])('is the items %j', async (args, part) => {
    const rows = ['a1', 'b1', 'a2', 'b2'];
    expect((await read({ rows }, { path: '/rows', ...args })).part).toEqual(part);
  });

  it.each<[object, JsonObject]>([
    [{}, { text: 'a1\nb1\na2', from: 1, to: 3, total: 3, more: false }],
    [{ from: 2 }, { text: 'b1\na2', from: 2, to: 3, total: 3, more: false }],
    [{ grep: '' }, { text: 'a1\nb1\na2', from: 1, to: 3, total: 3, more: false }],
    [
      { grep: 'a' },
      {
        value: [
          { line: 1, text: 'a1' },
          { line: 3, text: 'a2' },
        ],
        from: 1,
        to: 3,
        total: 3,
        more: false,
      },
    ],
    [
      { grep: 'a', from: 2 },
      { value: [{ line: 3, text: 'a2' }], from: 2, to: 3, total: 3, more: false },
    ],
    [
      { grep: 'a', to: 2 },
      { value: [{ line: 1, text: 'a1' }], from: 1, to: 2, total: 3, more: false },
    ],
    [
      { grep: 'a', to: 9 },
      {
        value: [
          { line: 1, text: 'a1' },
          { line: 3, text: 'a2' },
        ],
        from: 1,
        to: 3,
        total: 3,
        more: false,
      },
    ],
    [{ grep: 'x' }, { value: [], from: 1, to: 3, total: 3, more: false }],
  ])('is the lines %j', async (args, part) => {
    expect((await read({ text: 'a1\nb1\na2' }, { path: '/text', ...args })).part).toEqual(part);
  });

  it('is the beginning of a line that is too long', async () => {
    const { part } = await read({ text: `${'x'.repeat(9_000)}\nend` }, { path: '/text' });
    expect(part).toMatchObject({ from: 1, to: 1, total: 2, more: true });
    expect(JSON.stringify(part['text']).length).toBeGreaterThan(5_000);
    expect(JSON.stringify(part['text']).length).toBeLessThan(6_003);
  });

  it('is a value of another kind, while it is short', async () => {
    expect((await read({ n: { a: 1 } }, { path: '/n' })).part).toEqual({
      ...{ value: { a: 1 }, from: 1, to: 1, total: 1, more: false },
    });
  });

  it('is not found with arguments that are no object', async () => {
    for (const argumentsJson of ['{', '[]', '3']) {
      const bad = { id: 'r', name: 'read_result', argumentsJson };
      const text = await readResultText(bad, done({}), createMemoryArtifacts(), tokens);
      expect(JSON.parse(text)).toMatchObject({
        error: {
          code: 'INVALID_INPUT',
          message: 'The arguments are not a JSON object with an id or a handle.',
        },
      });
    }
  });
});
