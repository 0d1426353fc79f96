import { describe, expect, it } from 'vitest';
import { Plan } from '#shared/plan';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { boxTools, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { runOf } from '../../testing/sample-session';
import { createRecipes } from './recipes';
import { recipeOf } from './save-recipe';
import { withChangedParams } from './staged-plan';

function boxHarness(more: Partial<AgentHarnessOptions> = {}) {
  const tools = createInMemoryTools(boxTools);
  return { ...createAgentHarness({ tools, ...more }), tools };
}

const get = 'const { value } = await tools.box.get({ n: params.n });';
const first = scriptNode('first', `${get} return { summary: 'got', state: { value } };`, {
  params: { n: 4 },
});
const second = scriptNode(
  'second',
  "await tools.box.put({ n: inputs.first.value }); return { summary: 'put', state: { sum: inputs.first.value + 1 } };",
);
const stage = (...nodes: readonly object[]) => ({ goal: 'Double 4', nodes });
const putStage = { ...stage(second), goal: 'Put the double' };
const staged = {
  stages: [stage(first), putStage],
  answer: 'From {{first.value}} comes {{second.sum}}.',
};
const planMade = (facts: ReturnType<typeof boxHarness>['facts']) =>
  facts.flatMap((fact) => (fact.type === 'plan-made' ? [fact] : []));

describe('a given plan of several stages', () => {
  it('[STF-run] runs them in order without a model; each stage reads the earlier results', async () => {
    const { run, requests, facts, tools } = boxHarness();
    const report = await run({ provided: { plan: staged }, approve: 'all' });
    expect(report).toMatchObject({
      outcome: 'done',
      answer: 'From 8 comes 9.',
      source: 'file',
      stages: [{ nodes: [{ id: 'first' }] }, { nodes: [{}, { id: 'second' }] }],
    });
    expect(requests).toHaveLength(0);
    expect(planMade(facts).map((fact) => [fact.stage, fact.following?.length])).toEqual([
      [undefined, 1],
      [2, undefined],
    ]);
    expect(tools.calls.map(({ args }) => args)).toEqual([{ n: 4 }, { n: 8 }]);
  });

  it('[STF-run] ends with a stage in which a step fails or a write is refused', async () => {
    const fails = scriptNode('fails', 'await tools.box.fail({}); return { summary: "" };');
    const { run, facts, tools } = boxHarness();
    const report = await run({
      provided: { plan: { ...staged, stages: [stage(first, fails), stage(second)] } },
    });
    expect(report.outcome).toBe('partial');
    expect(planMade(facts)).toHaveLength(1);
    expect(tools.calls.some(({ uri }) => uri === 'mcp://box.put')).toBe(false);
    const refused = boxHarness();
    const third = stage(scriptNode('third', 'return { summary: "" };'));
    const stages = [...staged.stages, third];
    await refused.run({ provided: { plan: { ...staged, stages } }, approve: 'none' });
    expect(planMade(refused.facts)).toHaveLength(2);
  });

  it('[STF-resume] resumes after the interrupted stage, and repeats none', async () => {
    const { run, facts } = boxHarness();
    await run({ provided: { plan: staged }, approve: 'all' });
    const cut = facts.findIndex(({ type }) => type === 'stage-ended');
    const begun = facts.slice(0, cut + 1);
    const runId = planMade(facts)[0]?.runId ?? '';
    const again = boxHarness();
    const prior = runOf([...begun, { type: 'run-interrupted', turn: 0, runId }]);
    const report = await again.run({ provided: { prior }, approve: 'all' });
    expect(report).toMatchObject({ outcome: 'done', answer: 'From 8 comes 9.' });
    expect(again.tools.calls.map(({ uri }) => uri)).toEqual(['mcp://box.put']);
  });

  it.each([
    [
      'an unknown tool',
      [stage(first), stage({ ...second, code: 'await tools.box.none({});' })],
      'stages.1.nodes.second: ',
    ],
    ['an id of an earlier stage', [stage(first), stage(first)], 'stages.1'],
    ['a field that does not exist', [stage(first), { ...stage(second), then: 'look' }], 'stages.1: '],
    ['a stage without steps', [stage(first), stage()], 'stages.1: nodes: A plan has at least one step.'],
    ['no stage', [], 'stages: '],
    ['too many stages', Array.from({ length: 9 }, () => stage(first)), 'stages: the plan has 9 stages'],
  ])('[STF-check] names the file and the field before anything runs: %s', async (_, stages, found) => {
    const { run, tools } = boxHarness();
    const report = await run({ provided: { plan: { ...staged, stages }, file: 'plan.json' } });
    expect(report.outcome).toBe('failed');
    expect(report.error?.message).toContain(`plan.json: ${found}`);
    expect(tools.calls).toEqual([]);
  });

  it.each([
    ['a list', [], 'plan: must be a JSON object'],
    ['null', null, 'plan: must be a JSON object'],
    ['a plan without steps', { goal: 'g', nodes: [], answer: 'x' }, 'A plan has at least one step.'],
  ])('[STF-check] tells the author of a plan file what to write: %s', async (_, plan, found) => {
    const { error } = await boxHarness().run({ provided: { plan, file: 'plan.json' } });
    expect(error?.message).toContain(found);
    expect(error?.hint ?? '').not.toContain('answer in text');
  });

  it('[STF-check] refuses a plan of stages without an answer', async () => {
    const { answer: _answer, ...rest } = staged;
    const report = await boxHarness().run({ provided: { plan: rest, file: 'plan.json' } });
    expect(report.error?.message).toContain('plan.json: answer: ');
  });
});

describe('a staged recipe', () => {
  it('[STF-recipe] saves a run of several stages, and runs them with other values', async () => {
    const { run, facts } = boxHarness();
    await run({ goal: 'Double 4', provided: { plan: staged }, approve: 'all' });
    const saved = recipeOf(runOf(facts), { id: 'double_it' }, { project: '/srv', there: createRecipes([]) });
    if (!saved.ok) throw new Error(saved.error.message);
    expect(saved.value).toMatchObject({
      plan: { goal: 'Double 4', answer: '' },
      following: [{ goal: 'Put the double', answer: staged.answer }],
    });
    const again = boxHarness({ recipes: [saved.value] });
    const report = await again.run({ goal: 'double 10', approve: 'all' });
    expect(report).toMatchObject({ outcome: 'done', answer: 'From 20 comes 21.', source: 'recipe' });
    expect(report.stages).toHaveLength(2);
  });

  it('[STF-recipe] passes parameters that the user changes in one stage on to later stages', () => {
    const plan = Plan.parse({ ...stage({ ...second, params: { n: 4, own: 1 } }), answer: '' });
    const [changed] = withChangedParams([plan], { n: 4, own: 2 }, { n: 5, own: 3 });
    expect(changed?.nodes[0]?.params).toEqual({ n: 5, own: 1 });
  });
});
