import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { Recipe } from '#shared/recipe';
import { ok } from '#shared/result';
import { waitingPlan } from '#shared/session-state';
import type { AgentRequest } from '../ports/agent';
import { createAgentHarness } from '../../testing/agent-harness';
import { boxTools, planOf, scriptNode, typesOf } from '../../testing/agent-plans';
import { createInMemoryTools, type InMemoryTool } from '../../testing/in-memory-tools';
import { runOf } from '../../testing/sample-session';

const refusal = appError('LLM', 'UNAVAILABLE', 'The model small is too small to plan.', {
  hint: 'Choose a recipe with /recipe.',
});
const project = '/srv/project';
const put = planOf(
  [scriptNode('write', "await tools.box.put({ value: params.what }); return { summary: 'put' };")],
  'Stored.',
);
const store = Recipe.parse({
  id: 'store',
  title: 'Store a value',
  intentPatterns: ['store {what}'],
  params: [
    { name: 'what', type: 'string', required: true },
    { name: 'times', type: 'number', default: 1 },
    { name: 'quiet', type: 'boolean', default: false },
    { name: 'folder', type: 'path', default: '.' },
  ],
  plan: put,
});
const reply = (value: unknown) => [
  { type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const choice = (params: object) => ({ recipe: 'store', params });
const goal = 'Please keep the word copper, 3 times, in ./boxes';

function harness(
  answer: unknown,
  recipes = [store],
  rows: Readonly<Record<string, InMemoryTool>> = boxTools,
  capabilities?: object,
) {
  const box = createInMemoryTools(rows);
  const made = createAgentHarness({
    tools: box,
    planRefusal: refusal,
    recipes,
    replies: [reply(answer)],
    ...(capabilities && { capabilities }),
  });
  const start = (more: Partial<AgentRequest> = {}) => made.run({ goal, approve: 'all', ...more });
  const judge = () => {
    const run = runOf(made.facts);
    const { stage = 1, planHash = '' } = waitingPlan(run) ?? {};
    return made.agent.judgeReview(project, run, { stage, planHash });
  };
  return { ...made, start, judge, calls: box.calls };
}

describe('[LOCAL-recipe] a goal for a model that makes no plans', () => {
  it.each(['writes', 'none', 'plan'] as const)(
    'is a recipe that it proposes, which runs only after the review: %s',
    async (review) => {
      const { start, seen, judge, facts, agent, units } = harness(choice({ what: 'copper' }));
      const proposed = seen('plan-proposed');
      const running = start({ review });
      expect(await proposed).toMatchObject({
        source: 'recipe',
        recipeId: 'store',
        suggested: true,
        params: { what: 'copper', times: 1, quiet: false, folder: '.' },
      });
      expect(typesOf(facts)).toEqual(['run-started', 'model-called', 'plan-proposed']);
      expect(units).toEqual([]);
      const judged = await judge();
      expect(judged.ok && agent.review(runOf(facts).runId, judged.value)).toBe(true);
      expect((await running).outcome).not.toBe('waiting');
      expect(facts.find(({ type }) => type === 'plan-made')).toMatchObject({ recipeId: 'store' });
    },
  );

  it('waits without a person, and waits again when the run is resumed', async () => {
    const { start, run, facts, seen, stop, units } = harness(choice({ what: 'copper' }));
    expect(await start({ leaveForReview: true })).toMatchObject({
      outcome: 'waiting',
      plan: { answer: 'Stored.' },
    });
    const prior = runOf(facts);
    const resumed = seen('run-resumed');
    const running = run({ goal, approve: 'all', provided: { prior } });
    await resumed;
    stop.abort();
    expect((await running).outcome).toBe('cancelled');
    expect(units).toEqual([]);
  });

  it('is asked under a grammar of the recipes with their parameters, or none', async () => {
    const { start, requests, facts } = harness({ recipe: null, params: {} }, [store], {});
    await start();
    const [request] = requests;
    expect(request?.messages.at(-1)).toEqual({ role: 'user', content: goal });
    expect(request?.maxOutputTokens).toBe(400);
    const text = { oneOf: [{ type: 'string', maxLength: 200 }, { type: 'null' }] };
    const valuesOf = (params: object) => ({
      type: 'object',
      properties: params,
      required: Object.keys(params),
      additionalProperties: false,
    });
    const choiceOf = (recipe: object, params: object) => valuesOf({ recipe, params: valuesOf(params) });
    expect(request?.responseFormat?.schema).toEqual({
      oneOf: [
        choiceOf(
          { const: 'store' },
          {
            what: text,
            times: { oneOf: [{ type: 'number' }, { type: 'null' }] },
            quiet: { oneOf: [{ type: 'boolean' }, { type: 'null' }] },
            folder: text,
          },
        ),
        choiceOf({ type: 'null' }, {}),
      ],
    });
    expect(facts.find(({ type }) => type === 'model-called')).toMatchObject({ part: 'recipe' });
  });

  it('is asked with what each recipe does, on one line each', async () => {
    const told = {
      ...store,
      id: 'told',
      title: `Tell${'x'.repeat(300)}`,
      description: 'Says\n\n it.',
      example: 'tell\u200bme',
      params: [
        { name: 'whom', type: 'string' as const, required: true, description: 'A  name' },
        { name: 'loud', type: 'boolean' as const, required: false },
      ],
    };
    const { start, requests } = harness({ recipe: null, params: {} }, [{ ...store, params: [] }, told], {});
    await start({ goal: 'Please tell them' });
    expect(requests[0]?.messages[0]?.content).toContain(
      [
        'Choose the recipe or tool that does what the user asks.',
        `- told: Tell${'x'.repeat(196)}. Says it. Example: tell me. Parameters: whom (string) A name; loud (boolean) `,
        '- store: Store a value',
        'Answer with JSON:',
      ].join('\n'),
    );
  });

  it('is not chosen when the model or its prompt fails', async () => {
    const shut = createAgentHarness({
      tools: createInMemoryTools(boxTools),
      planRefusal: refusal,
      recipes: [store],
      replies: [[{ type: 'error', error: appError('LLM', 'AUTH', 'No key.') }]],
    });
    expect(await shut.run({ goal })).toMatchObject({ outcome: 'failed', error: { message: 'No key.' } });
    const lost = appError('HOST', 'STORAGE', 'No prompt.');
    const { start, requests } = harness(choice({ what: 'copper' }));
    expect(await start({ prompt: () => ({ ok: false, error: lost }) })).toMatchObject({ error: lost });
    expect(requests).toEqual([]);
  });

  it('uses only values that the user wrote', async () => {
    const { start, seen, stop } = harness(
      choice({ what: 'COPPER', times: 3, quiet: true, folder: '/etc/other' }),
    );
    const proposed = seen('plan-proposed');
    const running = start();
    expect((await proposed).params).toEqual({ what: 'COPPER', times: 3, quiet: true, folder: '.' });
    stop.abort();
    await running;
  });

  it.each([
    ['none', { recipe: null, params: {} }],
    ['an unknown recipe', { recipe: 'erase', params: {} }],
    ['a number that is not finite', '{"recipe": "store", "params": {"what": "copper", "times": 7E607}}'],
    ['another shape', { recipe: 'store' }],
    ['a list as a value', choice({ what: ['copper'] })],
    ['no JSON', 'I choose store.'],
  ])('is refused with what to do next, after the choice of %s', async (_, answer) => {
    const { start, facts, units } = harness(answer);
    expect(await start()).toMatchObject({
      outcome: 'failed',
      error: { ...refusal, message: `${refusal.message} It found no recipe or tool for this goal.` },
    });
    expect(typesOf(facts)).not.toContain('plan-proposed');
    expect(units).toEqual([]);
  });

  it('says which value is missing in the message', async () => {
    const { start } = harness(choice({ what: 'silver' }));
    expect((await start()).error).toMatchObject({
      message: 'The parameter "what" is required.',
      hint: expect.stringContaining('“Store a value” could fit') as string,
    });
  });

  it('is not sent to the model when its words name a recipe, or when there is none', async () => {
    const named = harness(choice({}));
    await named.start({ goal: 'store copper' });
    expect(named.requests).toEqual([]);
    expect(typesOf(named.facts)).not.toContain('plan-proposed');
    const none = harness(choice({}), [], {});
    expect((await none.start()).error?.message).toContain('found no recipe or tool');
    expect(none.requests).toEqual([]);
  });

  it('chooses from at most 30 recipes, those that share words with the goal', async () => {
    const many = Array.from({ length: 40 }, (_, n) => ({
      ...store,
      id: `other_${n}`,
      title: 'Something else',
    }));
    const { start, requests } = harness({ recipe: null, params: {} }, [
      ...many,
      { ...store, title: 'Keep copper' },
    ]);
    await start();
    const schema = requests[0]?.responseFormat?.schema as { readonly oneOf: readonly unknown[] };
    expect(schema.oneOf).toHaveLength(31);
    expect(JSON.stringify(schema.oneOf[0])).toContain('"store"');
  });
});

it('[LOCAL-recipe] a person can change the values before the recipe runs', async () => {
  const { start, seen, facts, agent } = harness(choice({ what: 'copper' }));
  const proposed = seen('plan-proposed');
  const running = start();
  const { stage, planHash } = await proposed;
  const params = { what: 'silver', times: 1, quiet: false, folder: '.' };
  const judged = await agent.judgeReview(project, runOf(facts), { stage, planHash, params });
  expect(judged.ok && ok(agent.review(runOf(facts).runId, judged.value))).toEqual(ok(true));
  await running;
  expect(facts.find(({ type }) => type === 'plan-made')).toMatchObject({ params: { what: 'silver' } });
});

describe('[LOCAL-recipe] a tool for a model that makes no plans', () => {
  const schema = {
    type: 'object',
    properties: {
      label: { type: 'string', description: 'What to\nwrite.' },
      count: { type: 'integer' },
      loud: { type: 'boolean' },
      colour: { enum: ['red'] },
      rows: { type: 'array' },
    },
    required: ['label'],
  };
  const rows: Readonly<Record<string, InMemoryTool>> = {
    'mcp://labels.label_box': {
      readOnly: false,
      description: 'Writes a label.',
      inputSchema: schema,
      call: () => ok('labelled'),
    },
    'mcp://labels.sort': {
      inputSchema: { ...schema, required: ['rows'] },
      call: () => ok('sorted'),
    },
    'mcp://vault.open': { inputSchema: schema, call: () => ok('open') },
  };
  const wish = 'Label the box copper, 3 times';
  const call = (params: object) => ({ recipe: 'mcp://labels.label_box', params });
  const open = (answer: unknown, capabilities: object = { allow: ['mcp://labels.*'] }) =>
    harness(answer, [store], rows, capabilities);

  it('is a call that it proposes; after the review a write still asks', async () => {
    const made = open(call({ label: 'copper', count: 3, loud: true, colour: 'red', rows: 3 }));
    const [proposed, asked] = [made.seen('plan-proposed'), made.seen('approval-requested')];
    const running = made.start({ goal: wish, approve: 'ask' });
    const { plan, suggested, recipeId, writes } = await proposed;
    expect({ suggested, recipeId }).toEqual({ suggested: true, recipeId: undefined });
    expect(plan.nodes.find(({ id }) => id === 'call')).toMatchObject({
      title: 'labels: label_box',
      tools: ['mcp://labels.label_box'],
      params: { arguments: { label: 'copper', count: 3, loud: true } },
    });
    expect(writes).toEqual({ call: ['mcp://labels.label_box'] });
    expect(made.units).toEqual([]);
    const judged = await made.judge();
    expect(judged.ok && made.agent.review(runOf(made.facts).runId, judged.value)).toBe(true);
    await asked;
    expect(made.calls).toEqual([]);
    made.stop.abort();
    expect((await running).outcome).toBe('cancelled');
  });

  it('is chosen under a grammar of the allowed tools that words and numbers can call', async () => {
    const made = open({ recipe: null, params: {} });
    await made.start({ goal: wish });
    const { oneOf } = made.requests[0]?.responseFormat?.schema as { readonly oneOf: readonly unknown[] };
    const named = oneOf.map(
      (one) => (one as { readonly properties: { readonly recipe: unknown } }).properties.recipe,
    );
    expect(named).toEqual([{ const: 'mcp://labels.label_box' }, { const: 'store' }, { type: 'null' }]);
    expect(JSON.stringify(oneOf[0])).toContain('"count":{"oneOf":[{"type":"integer"},{"type":"null"}]}');
    expect(made.requests[0]?.messages[0]?.content).toContain(
      '- mcp://labels.label_box: labels: label_box. Writes a label. Parameters: label (string) What to write;',
    );
  });

  it.each([
    ['one that is not allowed', { recipe: 'mcp://vault.open', params: { label: 'copper' } }],
    ['one that needs a list', { recipe: 'mcp://labels.sort', params: { rows: null } }],
    ['one that is not there', { recipe: 'mcp://labels.burn', params: {} }],
  ])('is not %s', async (_, answer) => {
    const made = open(answer);
    expect((await made.start({ goal: wish })).error?.message).toContain('found no recipe or tool');
    expect(typesOf(made.facts)).not.toContain('plan-proposed');
  });

  it.each([
    ['it invented', { label: 'silver' }],
    ['of another type', { label: 3 }],
  ])('without its value, says what is missing instead of one %s', async (_, params) => {
    const made = open(call(params));
    expect((await made.start({ goal: wish })).error).toMatchObject({
      message: 'The message has no value for: label.',
      hint: expect.stringContaining('“labels: label_box” could fit') as string,
    });
    expect(typesOf(made.facts)).not.toContain('plan-proposed');
  });
});
