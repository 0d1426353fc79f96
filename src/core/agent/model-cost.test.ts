import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { err, ok } from '#shared/result';
import { defaultBudgets } from '../../testing/agent-harness';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { modelCost, type KnownResults } from './model-cost';

const handle = `artifact://sha256/${'a'.repeat(64)}`;
const stored = { $artifact: handle, bytes: 9, head: '[' };
const ask = (more: object = {}) => ({ id: 'ask', title: 'ask', kind: 'llm', prompt: 'p', ...more });
const list = scriptNode('list', 'return params.x;');

/** The cost of a plan when these results are known and each counted text has 100 tokens. */
async function costOfPlan(
  nodes: readonly object[],
  states: Readonly<Record<string, JsonObject>> = {},
  more: Partial<KnownResults> = {},
) {
  const counted: string[] = [];
  const cost = await modelCost(planOf(nodes), {
    states: new Map(Object.entries(states)),
    artifacts: { get: (id) => (id === handle ? ok('[1,2,3]') : err(appError('HOST', 'NOT_FOUND', 'gone'))) },
    budgets: defaultBudgets,
    hostText: 'host',
    countTokens: (text) => (counted.push(text), Promise.resolve(100)),
    ...more,
  });
  return { cost, counted };
}

describe('[MAP-cost] the cost of the model steps of a plan', () => {
  it.each<[string, readonly object[], Readonly<Record<string, JsonObject>>, unknown]>([
    ['none without a model step', [list], {}, undefined],
    ['one call over no list', [ask()], {}, { items: 1, inputTokens: 100, maxTokens: 1_000 }],
    ['unknown while the list is', [list, ask({ each: 'list.rows' })], {}, null],
    ['unknown when there is no list', [list, ask({ each: 'list.rows' })], { list: { rows: 1 } }, null],
    [
      'one call each',
      [list, ask({ each: 'list.rows' })],
      { list: { rows: [1, 2] } },
      { items: 2, inputTokens: 300, maxTokens: 2_000 },
    ],
    [
      'one call each of a stored list',
      [list, ask({ each: 'list.rows' })],
      { list: { rows: stored } },
      { items: 3, inputTokens: 400, maxTokens: 3_000 },
    ],
    [
      'nothing for an empty list',
      [list, ask({ each: 'list.rows' })],
      { list: { rows: [] } },
      { items: 0, inputTokens: 100, maxTokens: 0 },
    ],
    [
      'within the budget of the step',
      [ask({ budgets: { tokens: 300 } })],
      {},
      { items: 1, inputTokens: 100, maxTokens: 300 },
    ],
    [
      'of all steps together',
      [ask(), ask({ id: 'b' })],
      {},
      { items: 2, inputTokens: 200, maxTokens: 2_000 },
    ],
    [
      'without its input while another input is unknown',
      [list, ask({ deps: ['list'] })],
      {},
      { items: 1, inputTokens: null, maxTokens: 1_000 },
    ],
    [
      'without any input when that of one step is unknown',
      [list, ask({ deps: ['list'] }), ask({ id: 'b' })],
      {},
      { items: 2, inputTokens: null, maxTokens: 2_000 },
    ],
    [
      'of the newest run of the session',
      [ask({ each: 'previous.rows' })],
      { previous: { rows: [1] } },
      { items: 1, inputTokens: 200, maxTokens: 1_000 },
    ],
    [
      'at most the tokens of the run',
      [list, ask({ each: 'list.rows' })],
      { list: { rows: Array.from({ length: 20 }, (_, n) => n) } },
      { items: 20, inputTokens: 2_100, maxTokens: 10_000 },
    ],
  ])('is %s', async (_what, nodes, states, cost) => {
    expect((await costOfPlan(nodes, states)).cost).toEqual(cost);
  });

  it('counts the text that every item repeats once, and the items', async () => {
    const nodes = [
      list,
      scriptNode('more', 'return {};'),
      ask({ each: 'list.rows', deps: ['list', 'more'] }),
    ];
    const { counted } = await costOfPlan(nodes, { list: { rows: ['x', 'y'] }, more: { big: stored } });
    expect(counted).toHaveLength(2);
    expect(counted[0]).toMatch(/^host\n/);
    expect(counted[0]).toContain('"big":[1,2,3]');
    expect(counted[0]).not.toContain('"x"');
    expect(counted[1]).toBe('"x"\n"y"');
  });

  it('has the price of the most tokens, all output but the estimated input, if it is known', async () => {
    const price = { input: 1, output: 10 };
    const { cost } = await costOfPlan([ask()], {}, { price });
    expect(cost?.maxUsd).toBeCloseTo((100 * 1 + 900 * 10) / 1e6, 9);
    const unknown = await costOfPlan([list, ask({ deps: ['list'] })], {}, { price });
    expect(unknown.cost?.maxUsd).toBeCloseTo((1_000 * 10) / 1e6, 9);
    const small = await costOfPlan([ask({ budgets: { tokens: 50 } })], {}, { price });
    expect(small.cost?.maxUsd).toBeCloseTo(50 / 1e6, 9);
    expect((await costOfPlan([ask()], {}, { price: null })).cost).not.toHaveProperty('maxUsd');
  });
});
