import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/json';
import type { ModelTurn } from './model-turn';
import { completePlan, freeScriptId, isQuestion, jsonIn, onlyAnswer, replyOf, splitLook } from './plan-reply';

const turnOf = (text: string, ...calls: readonly (readonly [name: string, argumentsJson: string])[]) =>
  ({
    text,
    calls: calls.map(([name, argumentsJson], at) => ({ id: String(at), name, argumentsJson })),
  }) as unknown as ModelTurn;

const plan = { nodes: [], answer: '' };
const fenced = (text: string, language = '') => `\`\`\`${language}\n${text}\n\`\`\``;

describe('the JSON of a reply', () => {
  it.each<[string, string, Json | undefined]>([
    ['bare', ' {"a":1}\n', { a: 1 }],
    ['a plain value', '7', 7],
    ['in a fence', `Here:\n${fenced('{"a":1}', 'json')}\nDone.`, { a: 1 }],
    ['in a fence without a language', fenced(' {"a":1} '), { a: 1 }],
    ['in an indented fence with line ends of Windows', '```json  \r\n{"a":1}\r\n  ```', { a: 1 }],
    ['in the second fence', `${fenced('let a;', 'js')}\n${fenced('{"a":1}')}`, { a: 1 }],
    ['between words', 'The plan: { "a": {"b":1} }. Good?', { a: { b: 1 } }],
    ['after a brace that begins no object', 'f(x) { return } {"a":1}', { a: 1 }],
    ['empty, between words', 'So {}.', {}],
    ['cut off', 'The plan: {"a":', undefined],
    ['a brace that only closes', '} {"a"', undefined],
    ['none', 'Just words.', undefined],
  ])('%s', (_where, text, value) => {
    expect(jsonIn(text)).toEqual(value);
  });
});

describe('a reply of a planning model', () => {
  it.each<[string, ModelTurn, Json]>([
    ['the arguments of submit_plan', turnOf('Here.', ['submit_plan', JSON.stringify(plan)]), plan],
    [
      'submit_plan beside another call',
      turnOf('', ['read_result', '{}'], ['submit_plan', JSON.stringify(plan)]),
      plan,
    ],
    ['text with nodes', turnOf(JSON.stringify({ nodes: [] })), { nodes: [] }],
    ['text with code and an answer', turnOf('{"code":"","answer":""}'), { code: '', answer: '' }],
    ['text with code and then', turnOf('{"code":"","then":"look"}'), { code: '', then: 'look' }],
    ['text with a plan inside', turnOf('{"plan":{"nodes":[]}}'), { plan: { nodes: [] } }],
  ])('is a plan: %s', (_what, turn, value) => {
    expect(replyOf(turn)).toEqual({ ok: true, value: { type: 'plan', plan: value } });
  });

  it.each([
    'Hello.',
    '{"a":1}',
    '{"answer":"yes"}',
    '[1]',
    'A plan has {"nodes": and more',
    fenced('{"title":"x"', 'json'),
  ])('is an answer in words: %s', (text) => {
    expect(replyOf(turnOf(` ${text}\n`))).toEqual({ ok: true, value: { type: 'text', text } });
  });

  it.each<[ModelTurn, string]>([
    [turnOf(' \n'), 'The model returned no plan: the reply is empty.'],
    [turnOf('{ "nodes" : [ {'), 'The model returned no plan: its JSON is not valid.'],
    [turnOf(`Now:\n${fenced('{"code":"x', 'json')}`), 'The model returned no plan: its JSON is not valid.'],
    [turnOf('{"goal":"x"'), 'The model returned no plan: its JSON is not valid.'],
    [
      turnOf('Hello.', ['submit_plan', '{"nodes":']),
      'The model returned no plan: the arguments of submit_plan are not valid JSON.',
    ],
  ])('is refused: %j', (turn, message) => {
    expect(replyOf(turn)).toMatchObject({ error: { kind: 'LLM', code: 'INVALID_REPLY', message } });
  });

  it.each(['{"code":"1+1"}', '{"plan":"buy milk"}', '{"nodes":3}', '{"goal":"x","constraints":[]}'])(
    'is a plan whose check says what is wrong with it: %s',
    (text) => {
      const plan = JSON.parse(text) as Json;
      expect(replyOf(turnOf(text))).toEqual({ ok: true, value: { type: 'plan', plan } });
      expect(replyOf(turnOf(`Here:\n${fenced(text, 'json')}`))).toEqual(replyOf(turnOf(text)));
    },
  );
});

describe('a plan that is only an answer', () => {
  it.each<[Json, string | null]>([
    [{ nodes: [], answer: ' Yes. ' }, 'Yes.'],
    [{ answer: 'Yes.' }, 'Yes.'],
    [{ answer: ' ' }, null],
    [{ answer: 'It is {{a.n}}.' }, null],
    [{ answer: ['Yes.'] }, null],
    [{ nodes: [{}], answer: 'Yes.' }, null],
    [{ nodes: '[]', answer: 'Yes.' }, null],
    [{ code: '', answer: 'Yes.' }, null],
    [{ plan: {}, answer: 'Yes.' }, null],
    [{ then: 'look', answer: 'Yes.' }, null],
    ['Yes.', null],
    [null, null],
  ])('%j: %j', (value, text) => {
    expect(onlyAnswer(value)).toBe(text);
  });
});

describe('a text that ends in a question', () => {
  it.each<[string, boolean]>([
    ['Which one?', true],
    ['**Which one?** ', true],
    ['(“Which one?”)\n', true],
    ['どれですか？', true],
    ['أي واحد؟', true],
    ['Which one? `a` or `b`', false],
    ['Which one?\n```\ncode\n```', true],
    ['Which one?\n```\ncode that is cut off', true],
    ['Which one? `x`', true],
    ['Run `a?`', false],
    ['```\nwhy?\n```', false],
    ['Which? That one.', false],
    ['', false],
  ])('%j: %j', (text, question) => {
    expect(isQuestion(text)).toBe(question);
  });
});

describe('[STG-look] a plan whose results the model reads', () => {
  it.each<[Json, { readonly plan: Json; readonly look: boolean }]>([
    [
      { nodes: [], then: 'look', answer: 'x' },
      { plan: { nodes: [], answer: '' }, look: true },
    ],
    [
      { nodes: [], then: 'answer', answer: 'x' },
      { plan: { nodes: [], answer: 'x' }, look: false },
    ],
    [
      { plan: { nodes: [] }, then: 'look' },
      { plan: { nodes: [], answer: '' }, look: true },
    ],
    [
      { plan: { code: '', then: 'look' }, goal: 'g' },
      { plan: { goal: 'g', code: '', answer: '' }, look: true },
    ],
    [
      { plan: { nodes: [] }, nodes: [] },
      { plan: { plan: { nodes: [] }, nodes: [] }, look: false },
    ],
    [
      { plan: { nodes: [] }, code: '' },
      { plan: { plan: { nodes: [] }, code: '' }, look: false },
    ],
    [{ plan: 'x' }, { plan: { plan: 'x' }, look: false }],
    ['x', { plan: 'x', look: false }],
  ])('%j', (value, split) => {
    expect(splitLook(value)).toEqual(split);
  });
});

it('the id of a script that is given as code is the first that is free', () => {
  expect(freeScriptId(new Set())).toBe('work');
  expect(freeScriptId(new Set(['work2']))).toBe('work');
  expect(freeScriptId(new Set(['work', 'work2']))).toBe('work3');
});

describe('what the host adds to a plan', () => {
  const nodesOf = (value: Json, scriptId?: string) =>
    (completePlan(value, ' Count the\n files ', scriptId) as { readonly nodes: Json }).nodes;

  it.each<[Json, Json]>([
    [{ id: 'read_all_files' }, { id: 'read_all_files', title: 'Read all files', kind: 'script' }],
    [{ id: '_' }, { id: '_', title: 'Step', kind: 'script' }],
    [{ id: 7 }, { id: 7, title: 'Step', kind: 'script' }],
    [{ title: ' ' }, { title: 'Step', kind: 'script' }],
    [
      { id: 'a', title: 'My own', kind: 'llm' },
      { id: 'a', title: 'My own', kind: 'llm' },
    ],
    [
      { id: 'a', code: '' },
      { id: 'a', code: '', api: 2, title: 'A', kind: 'script' },
    ],
    [
      { id: 'a', code: '', api: 1 },
      { id: 'a', code: '', api: 1, title: 'A', kind: 'script' },
    ],
    [
      { id: 'a', tools: ['tools.box.get', 'box.tools.put', 'mcp://box.get', 'x://y', 3] },
      {
        id: 'a',
        title: 'A',
        kind: 'script',
        tools: ['mcp://box.get', 'mcp://box.tools.put', 'mcp://box.get', 'x://y', 3],
      },
    ],
    [
      { id: 'a', tools: 'box.get' },
      { id: 'a', title: 'A', kind: 'script', tools: 'box.get' },
    ],
    ['step', 'step'],
  ])('completes the node %j to %j', (node, complete) => {
    expect(nodesOf({ nodes: [node] })).toEqual([complete]);
  });

  it('shortens a title, its own or the one from the id, to 200 characters', () => {
    const long = 'x'.repeat(300);
    const titles = (nodesOf({ nodes: [{ id: long }, { title: long }] }) as { title: string }[]).map(
      ({ title }) => title,
    );
    expect(titles).toEqual([`X${'x'.repeat(199)}`, 'x'.repeat(200)]);
  });

  it.each<[Json, Json]>([
    [{ code: 'a' }, { id: 'work', title: 'Count the files', code: 'a', api: 2, kind: 'script' }],
    [
      { code: 'a', params: { n: 1 }, idempotent: false },
      {
        ...{ id: 'work', title: 'Count the files', code: 'a', api: 2, kind: 'script' },
        ...{ params: { n: 1 }, idempotent: false },
      },
    ],
  ])('makes a step of code alone: %j', (value, node) => {
    expect(completePlan({ ...(value as object), answer: '' }, ' Count the\n files ')).toEqual({
      goal: ' Count the\n files ',
      answer: '',
      nodes: [node],
    });
    expect(nodesOf(value, 'work2')).toMatchObject([{ id: 'work2' }]);
  });

  it('cuts a long goal for the title of code alone', () => {
    const [node] = (completePlan({ code: '' }, 'x'.repeat(99)) as { nodes: { title: string }[] }).nodes;
    expect(node?.title).toBe('x'.repeat(80));
  });

  it.each<[string, Json, Json]>([
    ['a plan without steps', { answer: '' }, { goal: 'Goal', answer: '', nodes: [] }],
    ['its own goal', { goal: 'Own', nodes: [] }, { goal: 'Own', nodes: [] }],
    ['an empty goal', { goal: '', nodes: [] }, { goal: 'Goal', nodes: [] }],
    ['a goal that is no text', { goal: 3, nodes: [] }, { goal: 'Goal', nodes: [] }],
    ['a plan inside', { plan: { nodes: [], answer: 'x' } }, { goal: 'Goal', nodes: [], answer: 'x' }],
    ['a plan inside that is no object', { plan: 'x' }, { plan: 'x', goal: 'Goal', nodes: [] }],
    [
      'a plan beside nodes',
      { plan: { answer: 'x' }, nodes: [] },
      { plan: { answer: 'x' }, goal: 'Goal', nodes: [] },
    ],
    ['code beside nodes', { code: 'a', nodes: [] }, { code: 'a', goal: 'Goal', nodes: [] }],
    [
      'nodes as text',
      { nodes: '[{"id":"a","title":"A"}]' },
      {
        goal: 'Goal',
        nodes: [{ id: 'a', title: 'A', kind: 'script' }],
      },
    ],
    ['nodes as other text', { nodes: 'none' }, { goal: 'Goal', nodes: 'none' }],
    ['something else', 'x', 'x'],
  ])('leaves what the model wrote: %s', (_what, value, complete) => {
    expect(completePlan(value, 'Goal')).toEqual(complete);
  });
});
