import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { boxHarness, planOf, scriptNode } from '../../testing/agent-plans';
import { createMemoryArtifacts } from '../../testing/in-process-sandbox';
import { createMemoryTexts } from '../../testing/memory-texts';
import { defaultBudgets, type AgentHarnessOptions } from '../../testing/agent-harness';
import { startMain } from '../../testing/main-harness';
import { calls } from '../../testing/workflow-harness';
import type { Json } from '#shared/json';
import type { ModelClient, ModelRequest } from '../ports/llm';
import { checkPlan } from './check-plan';

const list = (code: string) => scriptNode('list', `return { summary: 'listed', state: ${code} };`);
const numbers = (count: number) => list(`{ rows: Array.from({ length: ${count} }, (_, n) => ({ n })) }`);
const sort = (more: object = {}) => ({
  id: 'sort',
  title: 'Sort',
  kind: 'llm',
  prompt: 'Name the kind of this issue.',
  each: 'list.rows',
  ...more,
});
const planFor = (nodes: readonly object[]) => ({ plan: planOf(nodes, '{{sort.items}}') });

const numberOf = ({ messages }: ModelRequest): number =>
  Number(/"item":\{"n":(\d+)\}/.exec(messages.at(-1)?.content ?? '')?.[1]);

/** A model that answers each item by its number, later items sooner, and counts how many it answers at once. */
function countingModel(answer: (n: number) => string = (n) => `kind ${n}`) {
  const asked: number[] = [];
  let running = 0;
  let most = 0;
  const models: ModelClient = {
    async *stream(request) {
      const n = numberOf(request);
      asked.push(n);
      running += 1;
      most = Math.max(most, running);
      for (let turn = 0; turn < 8 - (n % 4); turn += 1) await Promise.resolve();
      running -= 1;
      yield { type: 'text', text: answer(n) };
      yield { type: 'end', inputTokens: 20, outputTokens: 4 };
    },
    listModels: () => Promise.resolve([]),
    providerName: (id) => id,
    defaultModel: () => Promise.resolve({ providerId: 'local', model: 'small' }),
    setupProblem: () => null,
    probe: () => Promise.resolve({ ok: true, value: [] }),
  };
  return { models, asked, most: () => most };
}

const kind = { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] };
const asKind = (n: number): string => JSON.stringify({ kind: `k${n}` });

function setUp(model = countingModel(), more: Partial<AgentHarnessOptions> = {}) {
  const harness = boxHarness({ models: model.models, ...more });
  const ended = () =>
    harness.facts
      .flatMap((fact) => (fact.type === 'node-ended' && fact.nodeId === 'sort' ? [fact] : []))
      .at(-1);
  const progress = () =>
    harness.facts.flatMap((fact) => (fact.type === 'node-progressed' ? [`${fact.done}/${fact.of}`] : []));
  return { ...harness, model, ended, progress };
}

describe('a model step over the items of a list', () => {
  it('[MAP-order] keeps the order of the list, whatever order the answers arrive in', async () => {
    const { run, ended, progress, model } = setUp(countingModel(asKind));
    const report = await run({ provided: planFor([numbers(9), sort({ outputSchema: kind })]) });
    expect(report.outcome).toBe('done');
    const items = Array.from({ length: 9 }, (_, n) => ({ kind: `k${n}` }));
    expect(ended()?.state).toEqual({ items, failed: [] });
    expect(ended()?.usage).toEqual({ modelTurns: 9, inputTokens: 180, outputTokens: 36 });
    expect(ended()?.summary).toBe('9 of 9 items answered.');
    expect(progress()).toEqual(Array.from({ length: 10 }, (_, n) => `${n}/9`));
    expect([...model.asked].sort()).toEqual(items.map((_, n) => n));
  });

  it('[MAP-order] returns the text of each answer without a schema, and no answers for an empty list', async () => {
    const some = setUp();
    await some.run({ provided: planFor([numbers(2), sort()]) });
    expect(some.ended()?.state).toEqual({ items: ['kind 0', 'kind 1'], failed: [] });
    const none = setUp();
    await none.run({ provided: planFor([numbers(0), sort()]) });
    expect(none.ended()).toMatchObject({ status: 'done', cached: false, state: { items: [], failed: [] } });
    expect(none.model.asked).toEqual([]);
  });

  it.each([
    [1, 1],
    [3, 3],
    [undefined, 4],
  ])('[MAP-parallel] with parallel %s asks about at most %i items at a time', async (parallel, most) => {
    const { run, model } = setUp();
    await run({ provided: planFor([numbers(12), sort(parallel === undefined ? {} : { parallel })]) });
    expect(model.asked).toHaveLength(12);
    expect(model.most()).toBe(most);
  });

  it('[MAP-failed] lists an item whose answer does not fit, and keeps the other answers in place', async () => {
    const { run, ended } = setUp(countingModel((n) => (n === 1 ? 'no JSON' : asKind(n))));
    const report = await run({ provided: planFor([numbers(3), sort({ outputSchema: kind })]) });
    const message = 'The model was asked for JSON but returned something else.';
    expect(ended()?.state).toEqual({
      items: [{ kind: 'k0' }, null, { kind: 'k2' }],
      failed: [{ index: 1, error: message }],
    });
    expect(ended()?.summary).toBe(`2 of 3 items answered; 1 failed, the first: ${message}`);
    expect(report.nodes[1]).toMatchObject({ id: 'sort', items: { of: 3, failed: 1 } });
  });

  it('[MAP-failed] says which part of an answer does not fit', async () => {
    const { run, ended } = setUp(countingModel((n) => (n === 1 ? '{"kind":7}' : asKind(n))));
    await run({ provided: planFor([numbers(3), sort({ outputSchema: kind })]) });
    expect(ended()?.state).toMatchObject({
      failed: [
        { index: 1, error: expect.stringMatching(/does not fit the step's schema: kind must be /) as string },
      ],
    });
  });

  it('[MAP-partial] [MAP-tokens] is partial when an item failed, and the answer states how many', async () => {
    const { run } = setUp(countingModel((n) => (n === 1 ? 'no JSON' : asKind(n))));
    const report = await run({ provided: planFor([numbers(3), sort({ outputSchema: kind })]) });
    expect(report.outcome).toBe('partial');
    expect(report.answer).toContain('1 of 3 items of `sort` has no answer.');
    expect(report.nodes.map(({ id, usage }) => [id, usage?.inputTokens])).toEqual([
      ['list', undefined],
      ['sort', 60],
    ]);
  });

  it('[MAP-failed] fails when every item failed', async () => {
    const { run, ended } = setUp(countingModel(() => 'no JSON'));
    await run({ provided: planFor([numbers(3), sort({ outputSchema: kind })]) });
    expect(ended()).toMatchObject({ status: 'failed', error: { kind: 'LLM', code: 'INVALID_REPLY' } });
    expect(ended()?.error?.message).toContain('All 3 items failed');
    expect(ended()?.usage?.modelTurns).toBe(3);
  });

  it('[MAP-limit] refuses 501 items before asking about any, and accepts 500', async () => {
    const tooMany = setUp(countingModel(), { budgets: { run: { tokens: 1_000_000 } } });
    await tooMany.run({ provided: planFor([numbers(501), sort()]) });
    expect(tooMany.ended()?.error?.message).toBe(
      '"each" reads list.rows, but that has 501 items and a step takes at most 500; let a script select the items or split them over several steps.',
    );
    expect(tooMany.model.asked).toEqual([]);
    const most = setUp(countingModel(), { budgets: { run: { tokens: 1_000_000 } } });
    await most.run({ provided: planFor([numbers(500), sort()]) });
    expect(most.ended()?.status).toBe('done');
    expect(most.model.asked).toHaveLength(500);
  });

  it.each([
    ['{ rows: { a: 1 } }', 'list.rows', 'that is an object and not an array'],
    ['{ rows: "many" }', 'list.rows', 'that is a string and not an array'],
    ['{ rows: [[1]] }', 'list.rows.4', 'the result has no "4"'],
  ])(
    '[MAP-path] describes the value that is at the path instead of an array: %s',
    async (state, each, reason) => {
      const { run, ended, model } = setUp();
      await run({ provided: planFor([list(state), sort({ each })]) });
      expect(ended()?.error).toMatchObject({ message: `"each" reads ${each}, but ${reason}.`, node: 'sort' });
      expect(model.asked).toEqual([]);
    },
  );

  it('[MAP-path] reads a list inside a list', async () => {
    const { run, ended } = setUp();
    await run({ provided: planFor([list('{ rows: [[{ n: 5 }]] }'), sort({ each: 'list.rows[0]' })]) });
    expect(ended()?.state).toEqual({ items: ['kind 5'], failed: [] });
  });

  it('[MAP-path] reads a list that is stored outside the state', async () => {
    const artifacts = createMemoryArtifacts();
    const content = JSON.stringify([{ n: 7 }, { n: 8 }]);
    const stored = artifacts.put('rows.json', 'application/json', content);
    if (!stored.ok) throw new Error(stored.error.message);
    const rows = { $artifact: stored.value.handle, bytes: content.length, head: content };
    const { run, ended } = setUp(countingModel(), { artifacts });
    await run({ provided: planFor([list(JSON.stringify({ rows })), sort()]) });
    expect(ended()?.state).toEqual({ items: ['kind 7', 'kind 8'], failed: [] });
  });

  it('[MAP-cache] asks a second time only about items without an answer', async () => {
    const texts = createMemoryTexts();
    const broken = countingModel((n) => (n === 2 ? 'no JSON' : asKind(n)));
    const provided = planFor([numbers(4), sort({ outputSchema: kind })]);
    await setUp(broken, { texts }).run({ provided });
    const again = setUp(countingModel(asKind), { texts });
    await again.run({ provided });
    expect(again.model.asked).toEqual([2]);
    expect(again.progress()).toEqual(['3/4', '4/4']);
    expect(again.ended()).toMatchObject({ cached: false, usage: { modelTurns: 1 } });
    const third = setUp(countingModel(asKind), { texts });
    await third.run({ provided });
    expect(third.model.asked).toEqual([]);
    expect(third.ended()).toMatchObject({ cached: true });
    expect(third.ended()).not.toHaveProperty('usage');
  });

  it('[MAP-budget] stops when the tokens of the run are used up, and keeps the answers so far', async () => {
    const texts = createMemoryTexts();
    const provided = planFor([numbers(20), sort({ parallel: 1 })]);
    const small = setUp(countingModel(), { texts, budgets: { run: { tokens: 300 } } });
    await small.run({ provided });
    expect(small.ended()).toMatchObject({ status: 'failed', error: { kind: 'BUDGET', code: 'TOKEN_LIMIT' } });
    expect(small.ended()?.error?.message).toMatch(/\d+ of 20 items have an answer, which is kept\.$/);
    const answered = small.ended()?.usage?.modelTurns ?? 0;
    expect(answered).toBeLessThan(14);
    const more = setUp(countingModel(), { texts });
    await more.run({ provided });
    expect(more.ended()?.status).toBe('done');
    expect(more.model.asked.length).toBeLessThanOrEqual(20 - answered + 1);
    expect(more.model.asked).not.toContain(0);
  });

  it('[AGL-receipt] saves nothing where an item was over the token limit of the step', async () => {
    const countTokens = () => Promise.resolve((text: string) => text.length / 4);
    const receiptFor = async (length: number) => {
      const { run, ended } = setUp(countingModel(), { countTokens });
      const rows = `[{ n: 0 }, { n: 1, text: 'x'.repeat(${length}) }]`;
      const read = scriptNode(
        'list',
        `await tools.box.get({ n: 1 }); return { summary: '', state: { rows: ${rows} } };`,
      );
      const { receipt } = await run({ provided: planFor([read, sort({ budgets: { tokens: 900 } })]) });
      return { receipt, items: ended()?.items };
    };
    expect(await receiptFor(8_000)).toEqual({
      receipt: undefined,
      items: { of: 2, failed: 1, overLimit: 1 },
    });
    expect(await receiptFor(8)).toMatchObject({ receipt: { calls: 1 }, items: { of: 2, failed: 0 } });
  });

  it('[MAP-budget] applies the token limit of the step to each item', async () => {
    const { run, ended } = setUp(countingModel((n) => (n === 1 ? 'word '.repeat(900) : `kind ${n}`)));
    await run({ provided: planFor([numbers(3), sort({ budgets: { tokens: 400 } })]) });
    expect(ended()).toMatchObject({ status: 'done', state: { items: ['kind 0', null, 'kind 2'] } });
    expect(ended()?.state?.['failed']).toMatchObject([{ index: 1 }]);
  });

  it('[MAP-cancel] asks about no further item after the run is cancelled', async () => {
    const { run, ended, model, stop } = setUp(
      countingModel((n) => {
        if (n === 3) stop.abort();
        return `kind ${n}`;
      }),
    );
    const report = await run({ provided: planFor([numbers(50), sort({ parallel: 2 })]) });
    expect(report.outcome).toBe('cancelled');
    expect(ended()?.status).toBe('cancelled');
    // Whatever would still ask has asked when the queued work of this process is done.
    await new Promise((resolve) => setImmediate(resolve));
    expect(model.asked.length).toBeLessThanOrEqual(6);
  });
});

describe('the check of a plan', () => {
  it.each([
    [sort({ each: 'rows' }), '"each": "rows" is not "<step>.<path>" of an array, like "list.files".'],
    [sort({ each: 'other.rows' }), 'depends on "other", which is not a step of the plan.'],
    [sort({ each: 'previous.list.rows' }), '"each" reads previous, but this session has no earlier run'],
    [sort({ each: 'list.lines' }), '"each" reads list.lines, but the state of "list" has rows.'],
    [sort({ parallel: 5 }), 'parallel'],
    [sort({ each: undefined, parallel: 2 }), '"parallel" needs "each".'],
    [scriptNode('sort', 'return {};', { each: 'list.rows' }), 'a step of kind script cannot have "each".'],
  ])('[MAP-check] reports problems with a step over items before the run: %j', async (node, message) => {
    const { run, model } = setUp();
    const plan = { goal: 'Do it', nodes: [numbers(3), node], answer: 'Done.' };
    const report = await run({ provided: { plan } });
    expect(report.outcome).toBe('failed');
    expect(report.error?.message).toContain(message);
    expect(report.nodes).toEqual([]);
    expect(model.asked).toEqual([]);
  });
});

describe('the check of a later stage', () => {
  const checked = (rows: Json) =>
    checkPlan(
      { goal: 'Do it', nodes: [sort()], answer: 'Done.' },
      { tools: [], servers: [] },
      defaultBudgets,
      { done: new Set(['list']), approvals: new Set(), states: new Map([['list', { rows }]]) },
    );

  it.each([
    ['an object', { a: 1 }, 'that is an object and not an array'],
    ['501 items', Array.from({ length: 501 }, () => 1), 'that has 501 items and a step takes at most 500'],
  ])('[MAP-check] refuses the result of an earlier stage before the run: %s', (_name, rows, reason) => {
    const plan = checked(rows);
    expect(plan.ok).toBe(false);
    expect(plan.ok ? [] : plan.error.map(({ message }) => message)).toEqual([
      expect.stringContaining(`"each" reads list.rows, but ${reason}`),
    ]);
  });

  it('[MAP-check] accepts 500 items of an earlier stage, and makes that step an input', () => {
    const plan = checked(Array.from({ length: 500 }, () => 1));
    expect(plan.ok && plan.value.plan.nodes[0]?.deps).toEqual(['list']);
  });
});

describe('over HTTP', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'patina-map-'));
    for (const name of ['home', 'project/.patina']) mkdirSync(join(folder, name), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const titles = 'Array.from({ length: 60 }, (_, n) => ({ n, title: "Issue " + n }))';
  const plan = planOf(
    [
      list(`{ rows: ${titles} }`),
      sort({ outputSchema: kind, parallel: 4 }),
      scriptNode(
        'count',
        "const kinds = inputs.sort.items.map(({ kind }) => kind); return { summary: 'counted', state: { bugs: kinds.filter((one) => one === 'bug').length, last: kinds.at(-1) } };",
        { deps: ['sort'] },
      ),
    ],
    '{{count.bugs}} bugs; the last is a {{count.last}}.',
  );
  const submitted = calls('submit_plan', plan);
  const kindOf = (n: number): string => (n % 3 === 0 ? 'bug' : 'wish');
  const usage = { inputTokens: 30, outputTokens: 6 };
  const answers = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => ({
      match: new RegExp(`"item":\\{"n":${from + at},`),
      text: JSON.stringify({ kind: kindOf(from + at) }),
      usage,
    }));
  const issuesOf = (chats: readonly { readonly text: string }[]): readonly number[] =>
    chats
      .flatMap(({ text }) => /\{\\"n\\":(\d+),/.exec(text)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  const start = (replies: Parameters<typeof startMain>[0] & object) =>
    startMain({ ...replies, at: join(folder, 'home'), project: join(folder, 'project') });

  it('[MAP-issues] sorts 60 issues, each with one small request', async () => {
    const main = await start({ replies: [submitted, ...answers(0, 60)] });
    const { run } = await main.say('Sort these 60 issues', { runMode: 'agent' });
    expect(run).toMatchObject({ status: 'done', answer: '20 bugs; the last is a wish.' });
    expect(issuesOf(main.model.chats().slice(1))).toEqual(Array.from({ length: 60 }, (_, n) => n));
    const step = run?.nodes.find(({ id }) => id === 'sort');
    expect(step).toMatchObject({
      progress: { done: 60, of: 60 },
      usage: { modelTurns: 60, inputTokens: 1_800 },
    });
    await main.close();
  }, 60_000);
});
