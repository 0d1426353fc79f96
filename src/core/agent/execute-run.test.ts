import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createMemoryTexts } from '../../testing/memory-texts';
import { runOf } from '../../testing/sample-session';
import { createRecipes } from './recipes';
import { recipeOf } from './save-recipe';

const submit = (value: unknown, id = 'c1') => [
  { type: 'tool-call' as const, call: { id, name: 'submit_plan', argumentsJson: JSON.stringify(value) } },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const say = (text: string) => [
  { type: 'text' as const, text },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const read = "return { summary: 'read', state: { n: (await tools.box.get({})).n } };";
const look = { code: read, then: 'look' };
const count = {
  code: "return { summary: 'counted', state: { all: inputs.work.n + 1 } };",
  answer: '{{work2.all}}',
};
const alone = { code: "return { summary: 'alone' };", answer: 'Alone.' };
const knock = (summary: string) => ({
  code: `await tools.box.door({}); return { summary: '${summary}' };`,
  answer: 'Opened.',
});
const first = scriptNode(
  'first',
  "return { summary: 'got', state: { n: (await tools.box.get({ n: params.n })).n } };",
  { params: { n: 4 } },
);
const second = scriptNode('second', "return { summary: 'added', state: { sum: inputs.first.n + 1 } };");
const staged = {
  stages: [
    { goal: 'Read 4', nodes: [first] },
    { goal: 'Add one', nodes: [second] },
  ],
  answer: 'It is {{second.sum}}.',
};

function harness(options: Partial<AgentHarnessOptions> = {}) {
  const tools = createInMemoryTools({
    'mcp://box.get': { call: ({ n = 4 }) => ok({ n: Number(n) }) },
    'mcp://box.door': { call: () => err(appError('TOOL', 'NOT_FOUND', 'The door is shut.')) },
  });
  return { ...createAgentHarness({ tools, ...options }), tools };
}
const plansIn = (facts: readonly SessionFact[]) =>
  facts.flatMap((fact) => (fact.type === 'plan-made' ? [fact] : []));

/** The run as it was stored when Patina ended right after its last fact of a type. */
function endedAfter(facts: readonly SessionFact[], type: SessionFact['type']) {
  const { runId } = plansIn(facts)[0] ?? expect.fail();
  const stored = facts.slice(0, facts.findLastIndex((fact) => fact.type === type) + 1);
  return runOf([...stored, { type: 'run-interrupted', turn: 0, runId }]);
}

describe('the recorded plan of a stage', () => {
  it('[STF-recipe] names its recipe, its values and the stages that follow, and costs nothing', async () => {
    const given = harness();
    await given.run({ goal: 'Read 4', provided: { plan: staged } });
    for (const fact of plansIn(given.facts)) {
      expect(fact).toMatchObject({ source: 'file' });
      for (const field of ['recipeId', 'params', 'usage', 'look']) expect(fact).not.toHaveProperty(field);
    }
    const recipe = recipeOf(
      runOf(given.facts),
      { id: 'read_it' },
      { project: '/srv', there: createRecipes([]) },
    );
    if (!recipe.ok) throw new Error(recipe.error.message);
    const { run, facts } = harness({ recipes: [recipe.value] });
    expect(await run({ goal: 'read 10' })).toMatchObject({ outcome: 'done', answer: 'It is 11.' });
    const [begun, next] = plansIn(facts);
    const own = { source: 'recipe', recipeId: 'read_it', params: begun?.params };
    expect(begun).toMatchObject({ ...own, following: [{ goal: 'Add one' }] });
    expect(Object.values(begun?.params ?? {})).toEqual([10]);
    expect(begun).not.toHaveProperty('stage');
    expect(next).toMatchObject({ ...own, stage: 2, origins: [] });
    expect(next).not.toHaveProperty('following');
  });

  it('[STG-look] has what planning it cost, and what the model had read when it wrote it', async () => {
    const { run, facts } = harness({ replies: [submit(look), submit(count, 'c2')] });
    expect(await run()).toMatchObject({ outcome: 'done', answer: '5', usage: { inputTokens: 20 } });
    const [begun, next] = plansIn(facts);
    const usage = { modelTurns: 1, inputTokens: 10, outputTokens: 5 };
    expect(begun).toMatchObject({ source: 'model', look: true, usage });
    for (const field of ['stage', 'origins', 'recipeId', 'params', 'following'])
      expect(begun).not.toHaveProperty(field);
    expect(next).toMatchObject({ stage: 2, usage, origins: [{ source: 'mcp://box.get' }] });
    expect(next).not.toHaveProperty('look');
    const given = harness();
    await given.run({ provided: { plan: staged } });
    // Nothing had been read when the stages of a given plan were written.
    expect(plansIn(given.facts)[1]).toMatchObject({ stage: 2, origins: [] });
  });
});

describe('a run that resumes', () => {
  it('[STF-resume] has the hashes and the stages of a run without an interruption', async () => {
    const whole = harness();
    const report = await whole.run({ provided: { plan: staged } });
    expect(report.stages.map(({ planHash }) => planHash)).not.toContain(report.planHash);
    const again = harness();
    const resumed = await again.run({ provided: { prior: endedAfter(whole.facts, 'plan-made') } });
    expect(resumed).toMatchObject({
      planHash: report.planHash,
      summaryHash: report.summaryHash,
      answer: 'It is 5.',
      stages: report.stages.map(({ planHash, nodes }) => ({
        planHash,
        nodes: nodes.map(({ id }) => ({ id })),
      })),
    });
    expect(again.facts[0]).toMatchObject({ type: 'run-resumed', kept: ['first'] });
    expect(again.facts[0]).not.toHaveProperty('rerun');
    expect(plansIn(again.facts)).toEqual([]);
  });

  it('[AGX-from-here] records the steps that run again', async () => {
    const whole = harness();
    await whole.run({ provided: { plan: staged } });
    const again = harness();
    const from = 'second';
    await again.run({ provided: { prior: endedAfter(whole.facts, 'node-ended'), from } });
    expect(again.facts[0]).toMatchObject({ type: 'run-resumed', kept: ['first'], rerun: ['second'] });
  });

  it('[AGX-resume] ends before any call when a tool of its plan can write now', async () => {
    const whole = harness();
    await whole.run({ provided: { plan: { goal: 'Read', nodes: [first], answer: 'Read.' } } });
    const tools = createInMemoryTools({ 'mcp://box.get': { readOnly: false, call: () => ok({ n: 4 }) } });
    const prior = endedAfter(whole.facts, 'plan-made');
    const report = await harness({ tools }).run({ provided: { prior }, approve: 'all' });
    expect(report).toMatchObject({
      outcome: 'failed',
      error: { kind: 'HOST', code: 'STATE', hint: 'Start the run again.' },
      nodes: [],
    });
    expect(report.answer).toContain("This plan's tools have changed");
    expect(tools.calls).toEqual([]);
  });

  it('[AGX-replan] has only the new plans left that its earlier part did not use', async () => {
    const budgets = { run: { replans: 1 } };
    const replies = [submit(knock('one')), submit(knock('two'), 'c2')];
    const { run, facts, requests } = harness({ budgets, replies });
    expect(await run()).toMatchObject({ outcome: 'failed' });
    expect(requests).toHaveLength(2);
    const used = harness({ budgets, replies: [submit(count)] });
    const prior = endedAfter(facts, 'plan-made');
    expect(prior.stages).toHaveLength(2);
    expect(await used.run({ provided: { prior } })).toMatchObject({ outcome: 'failed' });
    expect(used.requests).toEqual([]);
  });

  it('[STG-look] does not count a stage that only looked as a new plan', async () => {
    const budgets = { run: { replans: 1 } };
    const replies = [submit(look), submit(knock('one'), 'c2')];
    const { run, facts } = harness({ budgets, replies: [...replies, say('It is shut.')] });
    expect(await run()).toMatchObject({ answer: expect.stringContaining('It is shut.') as string });
    const prior = endedAfter(facts, 'plan-made');
    const left = harness({ budgets, replies: [say('It is still shut.')] });
    const report = await left.run({ provided: { prior } });
    expect(report.answer).toContain('It is still shut.');
    expect(left.requests).toHaveLength(1);
  });
});

describe('the stages of a given plan', () => {
  const putting = (code: string) => ({
    ...staged,
    stages: [
      { goal: 'Write', nodes: [scriptNode('first', `${code} return { summary: '', state: { n: 4 } };`)] },
      staged.stages[1],
    ],
  });
  const swallowed = putting('try { await tools.box.put({ n: 1 }); } catch {}');
  const unknown = appError('TOOL', 'UNAVAILABLE', 'Gone.', { retryable: true, outcome: 'unknown' });
  const tried = 'try { await tools.box.put({ n: 1 }); } catch { await tools.box.put({ n: 1 }); }';

  it.each([
    ['end where the user refused a write that its script swallowed', swallowed, 'none', [ok('put')], 1],
    ['end where nobody knows whether a write was made', swallowed, 'all', [err(unknown)], 1],
    ['continue where a write was made', swallowed, 'all', [ok('put')], 2],
    [
      'continue where a write was made at the second attempt',
      putting(tried),
      'all',
      [err(appError('TOOL', 'FAILED', 'The box is full.')), ok('put')],
      2,
    ],
  ] as const)('[STF-run] %s', async (_how, plan, approve, results, count) => {
    let attempts = 0;
    const call = () => results[(attempts += 1) - 1] ?? expect.fail();
    const tools = createInMemoryTools({ 'mcp://box.put': { readOnly: false, call } });
    const { run, facts } = harness({ tools });
    const { outcome } = await run({ provided: { plan }, approve });
    expect(plansIn(facts)).toHaveLength(count);
    expect(outcome).toBe(count === 2 ? 'done' : 'partial');
  });

  it('[STF-check] end with what is wrong with the next one now that the results are known', async () => {
    const sort = { id: 'sort', title: 'Sort', kind: 'llm', prompt: 'Name the kind.', each: 'first.n' };
    const { run, facts } = harness();
    const stages = [staged.stages[0], { goal: 'Sort', nodes: [sort] }];
    const report = await run({ provided: { plan: { stages, answer: 'Sorted.' } } });
    expect(report).toMatchObject({
      error: { code: 'INVALID_PLAN' },
      nodes: [{ id: 'first', status: 'done' }],
    });
    expect(report.outcome).not.toBe('done');
    expect(plansIn(facts)).toHaveLength(1);
  });
});

describe('a stage that failed', () => {
  it('[AGX-replan-never] is not planned again when one of its failures cannot be avoided', async () => {
    const full = appError('HOST', 'STORAGE', 'The disk is full.');
    const tools = createInMemoryTools({
      'mcp://box.door': { call: () => err(appError('TOOL', 'NOT_FOUND', 'The door is shut.')) },
      'mcp://box.save': { call: () => err(full) },
    });
    const nodes = [
      { id: 'knock', code: "await tools.box.door({}); return { summary: '' };" },
      { id: 'save', code: "await tools.box.save({}); return { summary: '' };" },
    ];
    const replies = [submit({ nodes, answer: 'Done.' }), submit(alone, 'c2')];
    const { run, requests } = harness({ tools, budgets: { run: { replans: 1 } }, replies });
    const report = await run();
    expect(report.nodes.map(({ error }) => error?.code)).toEqual(['NOT_FOUND', 'STORAGE']);
    expect(requests).toHaveLength(1);
  });

  it('[AGX-replan-degrade] gives its own error when the model cannot plan the next one', async () => {
    const lost = appError('LLM', 'UNAVAILABLE', 'The server is down.');
    const replies = [submit(look), submit(knock('one'), 'c2'), [{ type: 'error' as const, error: lost }]];
    const { run } = harness({ budgets: { run: { replans: 1 } }, replies });
    expect(await run()).toMatchObject({ outcome: 'partial', error: { kind: 'TOOL', code: 'NOT_FOUND' } });
  });

  it.each([
    ['', /^The model planned the same steps again/],
    ['Knock first.', /^Knock first\. The model planned the same steps again/],
  ])('[AGX-replan-degrade] adds advice to the hint of its error: "%s"', async (hint, expected) => {
    const shut = appError('TOOL', 'NOT_FOUND', 'The door is shut.', hint ? { hint } : {});
    const tools = createInMemoryTools({ 'mcp://box.door': { call: () => err(shut) } });
    const replies = [submit(knock('one')), submit(knock('one'), 'c2')];
    const { error } = await harness({ tools, replies, budgets: { run: { replans: 3 } } }).run();
    expect(error?.hint).toMatch(expected);
  });

  it('[STG-look] shows the model only its own steps and writes', async () => {
    const tools = createInMemoryTools({
      'mcp://box.get': { call: () => ok({ n: 4 }) },
      'mcp://box.put': { readOnly: false, call: () => ok('put') },
    });
    const write = { code: `await tools.box.put({ n: 1 }); ${read}`, then: 'look' };
    const replies = [submit(write), submit({ code: read, then: 'look' }, 'c2'), say('Four.')];
    const { run, requests } = harness({ tools, replies });
    expect(await run({ approve: 'all' })).toMatchObject({ outcome: 'done' });
    const shown = JSON.parse(requests[2]?.messages.at(-1)?.content ?? '') as { nodes: { id: string }[] };
    expect(shown.nodes.map(({ id }) => id)).toEqual(['work2']);
    expect(shown).not.toHaveProperty('writes');
  });
});

describe('the stage after a write', () => {
  const put = 'await tools.box.put({ n: 1 });';
  const writing = (more: Partial<AgentHarnessOptions>) => {
    const tools = createInMemoryTools({
      'mcp://box.get': { call: () => ok({ n: 4 }) },
      'mcp://box.put': {
        readOnly: false,
        inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
        call: () => ok('put'),
      },
      'mcp://box.door': { call: () => err(appError('TOOL', 'NOT_FOUND', 'The door is shut.')) },
    });
    const made = createAgentHarness({ tools, ...more });
    return { ...made, puts: () => tools.calls.filter(({ uri }) => uri === 'mcp://box.put').length };
  };

  it.each([
    ['makes it again when the stage before was done', `${put} return { summary: 'put' };`, 2],
    ['takes it over when the stage before failed after it', `${put} throw new Error('Later.');`, 1],
  ])('[STG-look] %s', async (_how, code, count) => {
    const other = { id: 'other', code: `${put} return { summary: 'put again' };` };
    const again = { nodes: [other], answer: 'Put.' };
    const { run, puts } = writing({ replies: [submit({ code, then: 'look' }), submit(again, 'c2')] });
    expect(await run({ approve: 'all' })).toMatchObject({
      answer: expect.stringContaining('Put.') as string,
    });
    expect(puts()).toBe(count);
  });

  it('[STG-look] is planned when the host refused it: the user did not', async () => {
    const code = "const n = 'one'; try { await tools.box.put({ n }); } catch {} return { summary: 'tried' };";
    const replies = [submit({ code, then: 'look' }), say('It could not be put.')];
    const { run, requests, puts } = writing({ replies });
    const report = await run({ approve: 'all' });
    expect(report.writes).toMatchObject([{ outcome: 'refused', layer: 'arguments' }]);
    expect(report.answer).toContain('It could not be put.');
    expect(requests).toHaveLength(2);
    expect(puts()).toBe(0);
  });

  it('fails, and its answer lists the steps before without the questions to the user', async () => {
    const first = { code: `${put} return { summary: 'was put' };`, then: 'look' };
    const { run, facts } = writing({ replies: [submit(first), submit(knock('opened'), 'c2')] });
    const report = await run({ approve: 'all' });
    expect(report.nodes.map(({ id, status }) => [id, status])).toEqual([
      ['approve_work', 'done'],
      ['work', 'done'],
      ['work2', 'failed'],
    ]);
    expect(report.answer).toContain('was put');
    expect(report.answer).toContain('The door is shut.');
    expect(report.answer).not.toMatch(/approve/i);
    const resumed = writing({});
    const prior = endedAfter(facts, 'plan-made');
    expect((await resumed.run({ approve: 'all', provided: { prior } })).answer).toBe(report.answer);
    expect(resumed.puts()).toBe(0);
  });
});

it('[QUE-stage] a resumed stage shows the model only the lines that the user sent during it', async () => {
  const lines = ['Only a.', 'Only b.'].map((text, at) => ({ lineId: `line_${at}`, text }));
  const waiting = [...lines];
  const replies = [submit(look), submit(look, 'c2'), say('Fine.')];
  const { run, facts, requests } = harness({ replies });
  await run({ steeringLines: () => waiting.splice(0, 1) });
  const lastOf = (request?: (typeof requests)[number]) => request?.messages.at(-1);
  expect(JSON.parse(lastOf(requests[2])?.content ?? '')).toMatchObject({ stage: 2, said: ['Only b.'] });
  const { runId } = plansIn(facts)[0] ?? expect.fail();
  const queued = lines.map((line): SessionFact => ({
    ...{ type: 'line-queued', ...line, runMode: 'agent', model: { providerId: 'p', model: 'm' } },
    ...{ items: [], when: 'stage' },
  }));
  const stored = facts.slice(0, facts.findLastIndex(({ type }) => type === 'line-steered') + 1);
  const prior = runOf([...queued, ...stored, { type: 'run-interrupted', turn: 0, runId }]);
  const again = harness({ replies: [say('Fine.')] });
  await again.run({ provided: { prior } });
  expect(lastOf(again.requests[0])).toEqual(lastOf(requests[2]));
});

describe('a plan for the same goal', () => {
  it.each([
    ['is repeated when it was the whole run', [submit({ code: read, answer: '{{work.n}}' })], 0],
    ['is made again when it only looked', [submit(look), say('There are four.')], 1],
    ['is made again when a second stage followed', [submit(look), submit(alone, 'c2')], 1],
  ])('%s', async (_when, replies, asked) => {
    const texts = createMemoryTexts();
    const made = harness({ texts, replies });
    expect(await made.run()).toMatchObject({ outcome: 'done' });
    const again = harness({ texts, replies: [say('I am asked again.')] });
    await again.run();
    expect(again.requests).toHaveLength(asked);
  });

  it.each([
    ['that failed', {}, [submit(knock('one'))], 'failed'],
    ['that the user gave', { provided: { plan: staged } }, [], 'done'],
  ])('is not taken from a run %s', async (_how, request, replies, outcome) => {
    const texts = createMemoryTexts();
    expect(await harness({ texts, replies }).run(request)).toMatchObject({ outcome });
    const again = harness({ texts, replies: [say('I am asked again.')] });
    await again.run();
    expect(again.requests).toHaveLength(1);
  });
});
