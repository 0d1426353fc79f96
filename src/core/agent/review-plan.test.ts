import { describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import { Capabilities } from '#shared/capabilities';
import { err, ok } from '#shared/result';
import type { Grant } from '#shared/grant';
import type { Plan } from '#shared/plan';
import type { PlanDecision } from '#shared/plan-review';
import { Recipe } from '#shared/recipe';
import type { RunState } from '#shared/session-state';
import { waitingPlan } from '#shared/session-state';
import type { AgentRequest, RunReport } from '../ports/agent';
import { createAgentHarness, defaultBudgets, type AgentHarnessOptions } from '../../testing/agent-harness';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createMemoryTexts } from '../../testing/memory-texts';
import { runOf } from '../../testing/sample-session';

const submit = (value: unknown, id = 'c1') => [
  { type: 'tool-call' as const, call: { id, name: 'submit_plan', argumentsJson: JSON.stringify(value) } },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const say = (text: string) => [
  { type: 'text' as const, text },
  { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
];
const reads = scriptNode('read', "return { summary: 'read', state: await tools.box.get({}) };");
const puts = (value: string) => `await tools.box.put({ value: '${value}' }); return { summary: 'put' };`;
const writes = { ...scriptNode('write', puts('as proposed')), deps: ['read'] };
const plan = planOf([reads, writes], 'Done.');
const project = '/srv/project';

function harness(options: Partial<AgentHarnessOptions> = {}) {
  const tools = createInMemoryTools({
    'mcp://box.get': { call: () => ok({ rows: 2 }) },
    'mcp://box.put': { readOnly: false, call: () => ok('put') },
  });
  const made = createAgentHarness({ tools, ...options });
  const puts = () => tools.calls.filter(({ uri }) => uri === 'mcp://box.put').map(({ args }) => args);
  const types = () => made.facts.map(({ type }) => type);
  /** Reviews the plan that waits in the recorded run. */
  const review = async (decision: Partial<PlanDecision> = {}) => {
    const run = runOf(made.facts);
    const { stage = 1, planHash = '' } = waitingPlan(run) ?? {};
    const judged = await made.agent.judgeReview(project, run, { stage, planHash, ...decision });
    return judged.ok ? ok(made.agent.review(run.runId, judged.value)) : judged;
  };
  const start = (more: Partial<AgentRequest> = {}): Promise<RunReport> =>
    made.run({ provided: { plan }, approve: 'all', review: 'plan', ...more });
  return { ...made, tools, puts, types, review, start };
}

const interrupted = (facts: ReturnType<typeof harness>['facts']): RunState =>
  runOf([...facts, { type: 'run-interrupted', turn: 0, runId: runOf(facts).runId }]);

describe('review of plans', () => {
  it('[REV-wait] starts no node before the user runs the plan', async () => {
    const { start, seen, review, types, tools, facts } = harness();
    const proposed = seen('plan-proposed');
    const running = start();
    expect(await proposed).toMatchObject({ stage: 1, source: 'file', writes: { write: ['mcp://box.put'] } });
    expect(types()).toEqual(['run-started', 'plan-proposed']);
    expect(tools.calls).toEqual([]);
    expect(await review()).toEqual(ok(true));
    const report = await running;
    expect(report.outcome).toBe('done');
    expect(types().slice(0, 5)).toEqual([
      'run-started',
      'plan-proposed',
      'plan-reviewed',
      'plan-made',
      'node-started',
    ]);
    expect(report.planHash).toBe((await proposed).planHash);
    const reviewed = facts.find(({ type }) => type === 'plan-reviewed');
    expect(reviewed).toMatchObject({ changes: [], planHash: report.planHash });
    expect(reviewed).not.toHaveProperty('plan');
  });

  it('[REV-wait] ends as cancelled when the user rejects the plan, and runs nothing', async () => {
    const { start, seen, stop, tools, types } = harness();
    const proposed = seen('plan-proposed');
    const running = start();
    await proposed;
    stop.abort();
    expect(await running).toMatchObject({ outcome: 'cancelled', nodes: [] });
    expect(tools.calls).toEqual([]);
    expect(types()).toEqual(['run-started', 'plan-proposed', 'run-ended']);
  });

  const listed = (count: number) =>
    scriptNode(
      'list',
      `return { summary: 'listed', state: { rows: Array.from({ length: ${count} }, (_, n) => ({ n })) } };`,
    );
  const sort = { id: 'sort', title: 'Sort', kind: 'llm', prompt: 'Name the kind.', each: 'list.rows' };

  it('[MAP-cost] shows before the run how many items and tokens its model steps take', async () => {
    const replies = [
      submit({ ...planOf([listed(40)], ''), then: 'look' }),
      submit(planOf([sort], 'Sorted.'), 'c2'),
    ];
    const { start, facts, review, agent, stop } = harness({
      replies,
      budgets: { node: { tokens: 200 } },
      price: { input: 2, output: 10 },
    });
    const running = start({
      provided: undefined as never,
      words: (part) => (part === 'node' ? 'x'.repeat(400) : ''),
    });
    const proposals = () => facts.flatMap((fact) => (fact.type === 'plan-proposed' ? [fact] : []));
    await vi.waitFor(() => expect(proposals()).toHaveLength(1));
    // The step of the first stage asks no model, so nothing is said about cost.
    expect(proposals()[0]).not.toHaveProperty('cost');
    await review();
    await vi.waitFor(() => expect(proposals()).toHaveLength(2));
    const { cost, plan: shown, planHash, stage } = proposals()[1] ?? expect.fail();
    expect(cost).toMatchObject({ items: 40, maxTokens: 8_000 });
    // Each of the 40 requests repeats the host's 100 tokens, the rules of a step and its prompt.
    expect(cost?.inputTokens).toBeGreaterThan(40 * 150);
    expect(cost?.inputTokens).toBeLessThan(40 * 300);
    // All tokens but those of the known input may be output.
    const input = cost?.inputTokens ?? 0;
    expect(cost?.maxUsd).toBeCloseTo((input * 2 + (8_000 - input) * 10) / 1e6, 9);
    const preview = (nodes: Plan['nodes']) =>
      agent.previewPlan(project, runOf(facts), { stage, planHash, plan: { ...shown, nodes } });
    expect((await preview(shown.nodes)).cost).toEqual(cost);
    const longer = shown.nodes.map((node) => ({ ...node, prompt: 'y'.repeat(4_000) }));
    const { cost: more } = await preview(longer);
    expect(more?.inputTokens).toBeGreaterThan(40 * 1_000);
    expect(more?.maxUsd).toBeCloseTo((8_000 * 2) / 1e6, 9);
    stop.abort();
    await running;
  });

  it('[MAP-cost] counts a model step over no list as one call, also while its input is unknown', async () => {
    const { start } = harness({
      budgets: { node: { tokens: 4_000 }, run: { tokens: 50_000 } },
      price: { input: 2, output: 10 },
    });
    const summary = { id: 'summary', title: 'Summarize', kind: 'llm', deps: [], prompt: 'x'.repeat(4_000) };
    const verdict = { id: 'verdict', title: 'Judge', kind: 'llm', deps: ['summary'], prompt: 'Judge it.' };
    const costOf = async (nodes: readonly object[]) =>
      (await start({ provided: { plan: planOf(nodes, 'Done.') }, leaveForReview: true })).expectedCost;
    const one = await costOf([summary]);
    expect(one).toMatchObject({ items: 1, maxTokens: 4_000 });
    expect(one?.inputTokens).toBeGreaterThan(1_000);
    expect(one?.inputTokens).toBeLessThan(1_300);
    const input = one?.inputTokens ?? 0;
    expect(one?.maxUsd).toBeCloseTo((input * 2 + (4_000 - input) * 10) / 1e6, 9);
    expect(await costOf([summary, verdict])).toMatchObject({ items: 2, inputTokens: null, maxTokens: 8_000 });
  });

  it('[MAP-cost] shows the cost as unknown while the list is unknown', async () => {
    const { start } = harness();
    const report = await start({
      provided: { plan: planOf([listed(3), sort], 'Sorted.') },
      leaveForReview: true,
    });
    expect(report).toMatchObject({ outcome: 'waiting', expectedCost: null });
  });

  it('[REV-edit] runs an edited plan, records it in full and shows it to the model', async () => {
    const look = { ...plan, then: 'look' };
    const {
      start,
      seen,
      review,
      facts,
      puts: made,
      requests,
    } = harness({
      replies: [submit(look), say('Done.')],
    });
    const proposed = seen('plan-proposed');
    const running = start({ provided: undefined as never });
    expect(await proposed).toMatchObject({ look: true, source: 'model' });
    const shown: Plan = (await proposed).plan;
    const nodes = shown.nodes.map((node) =>
      node.id === 'write' ? { ...node, code: puts('as edited') } : node,
    );
    expect(await review({ plan: { ...shown, nodes } })).toEqual(ok(true));
    expect(await running).toMatchObject({ outcome: 'done' });
    expect(made()).toEqual([{ value: 'as edited' }]);
    const reviewed = facts.find((fact) => fact.type === 'plan-reviewed');
    expect(reviewed).toMatchObject({
      by: 'user',
      changes: [{ type: 'edited', id: 'write', fields: ['code'] }],
      plan: { nodes: [{ id: 'read' }, { id: 'write', code: puts('as edited') }] },
    });
    const told = JSON.parse(requests[1]?.messages.at(-1)?.content ?? '') as object;
    expect(told).toMatchObject({
      changedByUser: [{ type: 'edited', id: 'write', now: { code: puts('as edited') } }],
    });
  });

  it('[REV-wait] uses a plan again for the same goal only if the user ran it unchanged', async () => {
    const planned = { code: "return { summary: 'read' };", answer: 'Done.' };
    for (const [code, asked] of [
      [undefined, 0],
      ["return { summary: 'edited' };", 1],
    ] as const) {
      const texts = createMemoryTexts();
      const first = harness({ texts, replies: [submit(planned)] });
      const proposed = first.seen('plan-proposed');
      const running = first.start({ provided: undefined as never });
      const { plan: shown } = await proposed;
      const nodes = shown.nodes.map((node) => ({ ...node, ...(code && { code }) }));
      await first.review({ plan: { ...shown, nodes } });
      expect(await running).toMatchObject({ outcome: 'done' });
      const again = harness({ texts, replies: [say('I am asked again.')] });
      await again.run();
      expect(again.requests).toHaveLength(asked);
    }
  });

  it('[STF-run] shows the stages that follow, and runs them after the review of each', async () => {
    const { start, seen, review } = harness();
    const { answer, ...last } = planOf([scriptNode('tell', "return { summary: 'told' };")], 'Told.');
    const stages = [
      { goal: 'Read', nodes: [reads] },
      { goal: last.goal, nodes: last.nodes },
    ];
    const proposed = seen('plan-proposed');
    const running = start({ provided: { plan: { stages, answer } } });
    expect(await proposed).toMatchObject({ following: [{ nodes: [{ id: 'tell' }] }] });
    const next = seen('plan-proposed');
    await review();
    expect(await next).toMatchObject({ stage: 2, plan: { nodes: [{ id: 'tell' }] } });
    expect(await next).not.toHaveProperty('following');
    await review();
    expect(await running).toMatchObject({ outcome: 'done', answer: 'Told.' });
  });

  it('[REV-edit] does not run a removed step, and names it in the next turn', async () => {
    const { start, seen, review, facts, puts: made } = harness();
    const proposed = seen('plan-proposed');
    const running = start();
    const { plan: shown } = await proposed;
    expect(await review({ plan: { ...shown, nodes: shown.nodes.slice(0, 1) } })).toEqual(ok(true));
    expect(await running).toMatchObject({ outcome: 'done', nodes: [{ id: 'read' }] });
    expect(made()).toEqual([]);
    expect(runOf(facts).stages?.[0]?.changes).toEqual([{ type: 'removed', id: 'write', title: 'write' }]);
  });

  it('[REV-edit] checks an edited plan like any plan, and ignores a stale one', async () => {
    const { start, seen, review, stop, types, agent, facts } = harness();
    const proposed = seen('plan-proposed');
    const running = start();
    const { plan: shown, planHash } = await proposed;
    const broken = { ...shown, nodes: shown.nodes.slice(1) };
    expect(await review({ plan: broken })).toMatchObject({ ok: false, error: { code: 'INVALID_PLAN' } });
    const preview = await agent.previewPlan(project, runOf(facts), { stage: 1, planHash, plan: broken });
    expect(preview).toMatchObject({ findings: [{ node: 'write' }] });
    expect(await review({ planHash: 'another' })).toMatchObject({ ok: false, error: { code: 'STATE' } });
    expect(await review({ stage: 2 })).toMatchObject({ ok: false, error: { code: 'STATE' } });
    expect(types()).not.toContain('plan-reviewed');
    stop.abort();
    await running;
    expect(await review()).toMatchObject({ ok: false, error: { code: 'STATE' } });
  });

  it.each([
    ['text', 'Read the box.'],
    ['no plan', null],
    ['a list', []],
    ['a plan whose steps are no list', { ...plan, nodes: 'read' }],
    ['steps that are no objects', { ...plan, nodes: ['read', null] }],
    ['a step without an id', { ...plan, nodes: [{ ...reads, id: 5 }] }],
  ])('[REV-edit] says what is wrong with %s', async (_what, edit) => {
    const { start, seen, stop, agent, facts, review, types } = harness();
    const proposed = seen('plan-proposed');
    const running = start();
    const { planHash } = await proposed;
    const { findings, ...rest } = await agent.previewPlan(project, runOf(facts), {
      stage: 1,
      planHash,
      plan: edit,
    });
    expect(findings.map(({ code }) => code)).toContain('INVALID_PLAN');
    expect(rest).toEqual({});
    expect(await review({ plan: edit })).toMatchObject({ ok: false, error: { code: 'INVALID_PLAN' } });
    expect(types()).not.toContain('plan-reviewed');
    stop.abort();
    await running;
  });

  it('[REV-edit] previews the writes of an edited plan, and none of a plan that only reads', async () => {
    const { start, seen, stop, agent, facts } = harness();
    const proposed = seen('plan-proposed');
    const running = start();
    const { plan: shown, planHash } = await proposed;
    const preview = (nodes: Plan['nodes']) =>
      agent.previewPlan(project, runOf(facts), { stage: 1, planHash, plan: { ...shown, nodes } });
    expect(await preview(shown.nodes)).toMatchObject({ findings: [], writes: { write: ['mcp://box.put'] } });
    expect(await preview(shown.nodes)).not.toHaveProperty('cost');
    expect((await preview(shown.nodes.slice(0, 1))).writes).toEqual({});
    const quiet = shown.nodes.map((node) =>
      node.id === 'write' ? { ...node, code: "return { summary: '' };" } : node,
    );
    expect((await preview(quiet)).writes).toEqual({});
    stop.abort();
    await running;
  });

  it('[REV-edit] ends a run whose edited plan reads an earlier run that the session does not have', async () => {
    const { start, seen, review, tools } = harness();
    const proposed = seen('plan-proposed');
    const running = start();
    const { plan: shown } = await proposed;
    const code = 'return { summary: String(inputs.previous) };';
    const nodes = [{ ...shown.nodes[0], code }];
    expect(await review({ plan: { ...shown, nodes } })).toEqual(ok(true));
    expect(await running).toMatchObject({ outcome: 'failed', error: { code: 'INVALID_PLAN' }, nodes: [] });
    expect(tools.calls).toEqual([]);
  });

  it.each(['capabilities', 'budgets'] as const)(
    '[REV-edit] is refused while the %s cannot be read',
    async (file) => {
      let broken = false;
      const unreadable = appError('CONFIG', 'INVALID', 'The file is no JSON.');
      const read = {
        capabilities: () => ok(Capabilities.parse({ allow: ['mcp://*'] })),
        budgets: () => ok(defaultBudgets),
      };
      const policy = { [file]: () => (broken ? err(unreadable) : read[file]()) };
      const { start, seen, stop, review, agent, facts } = harness({ policy });
      const proposed = seen('plan-proposed');
      const running = start();
      const { planHash, plan: shown } = await proposed;
      broken = true;
      expect(await review({ plan: shown })).toEqual(err(unreadable));
      const edit = { stage: 1, planHash, plan: shown };
      expect(await agent.previewPlan(project, runOf(facts), edit)).toEqual({ findings: [unreadable] });
      stop.abort();
      await running;
    },
  );

  it('[REV-edit] may use a tool of a server that the proposed plan does not name', async () => {
    const { start, seen, review, puts: made } = harness();
    const proposed = seen('plan-proposed');
    const running = start({ provided: { plan: planOf([scriptNode('say', "return { summary: 'x' };")]) } });
    const { plan: shown } = await proposed;
    const nodes = shown.nodes.map((node) => ({ ...node, code: puts('added') }));
    expect(await review({ plan: { ...shown, nodes } })).toEqual(ok(true));
    expect(await running).toMatchObject({ outcome: 'done' });
    expect(made()).toEqual([{ value: 'added' }]);
  });

  it('[REV-edit] may read earlier stages and what the user attached', async () => {
    const look = { code: "return { summary: 'read', state: { n: 2 } };", then: 'look' };
    const {
      start,
      seen,
      review,
      puts: made,
    } = harness({
      replies: [submit(look), submit({ code: puts('as proposed'), answer: 'Wrote.' }, 'c2')],
    });
    const proposed = seen('plan-proposed');
    const file = { kind: 'file' as const, ref: 'a.txt', hash: 'a'.repeat(64), bytes: 7, tokens: 1 };
    const running = start({ provided: undefined as never, attached: [{ item: file, text: 'words' }] });
    await proposed;
    const next = seen('plan-proposed');
    await review();
    const { plan: shown } = await next;
    const code =
      "await tools.box.put({ value: [inputs.work.n, inputs.attached[1]] }); return { summary: 'put' };";
    const nodes = shown.nodes.map((node) => ({ ...node, code }));
    expect(await review({ stage: 2, plan: { ...shown, nodes } })).toEqual(ok(true));
    expect(await running).toMatchObject({ outcome: 'done' });
    expect(made()).toEqual([{ value: [2, 'words'] }]);
  });

  const stored = (id: string) =>
    scriptNode(id, `await tools.box.put({ value: params.what + ' ${id}' }); return { summary: 'put' };`);
  const store = Recipe.parse({
    id: 'store',
    title: 'Store a value twice',
    intentPatterns: ['store {what}'],
    params: [{ name: 'what', type: 'string', required: true }],
    plan: planOf([stored('first')], ''),
    following: [planOf([stored('second')], 'Stored.')],
  });
  const copper = { provided: { recipeId: 'store', params: { what: 'copper' } } };

  it.each([
    ['at once', false],
    ['after a restart', true],
  ])(
    '[REV-edit] runs every stage of a recipe with the values that the user changed, %s',
    async (_, restart) => {
      const first = harness({ recipes: [store] });
      const proposed = first.seen('plan-proposed');
      const reviewed = first.seen('plan-reviewed');
      const running = first.start(copper);
      await proposed;
      const next = first.seen('plan-proposed');
      await first.review({ params: { what: 'silver' } });
      const facts = [...first.facts.slice(0, 2), await reviewed];
      expect(facts.map(({ type }) => type)).toEqual(['run-started', 'plan-proposed', 'plan-reviewed']);
      await next;
      if (!restart) {
        await first.review();
        expect(await running).toMatchObject({ outcome: 'done', answer: 'Stored.' });
        expect(first.puts()).toEqual([{ value: 'silver first' }, { value: 'silver second' }]);
        return;
      }
      first.stop.abort();
      await running;
      const again = harness({ recipes: [store] });
      const second = again.seen('plan-proposed');
      const resumed = again.start({ provided: { prior: interrupted(facts) } });
      expect(await second).toMatchObject({ stage: 2, plan: { nodes: [{ params: { what: 'silver' } }] } });
      expect(again.puts()).toEqual([{ value: 'silver first' }]);
      again.stop.abort();
      await resumed;
    },
  );

  it('[REV-edit] keeps an edited step of a recipe whose values are changed too', async () => {
    const { start, seen, review, puts: made, stop } = harness({ recipes: [store] });
    const proposed = seen('plan-proposed');
    const running = start(copper);
    const { plan: shown } = await proposed;
    const next = seen('plan-proposed');
    const nodes = shown.nodes.map((node) => ({ ...node, code: puts('as edited') }));
    expect(await review({ plan: { ...shown, nodes }, params: { what: 'silver' } })).toEqual(ok(true));
    expect(await next).toMatchObject({ stage: 2, plan: { nodes: [{ params: { what: 'silver' } }] } });
    expect(made()).toEqual([{ value: 'as edited' }]);
    stop.abort();
    await running;
  });

  it('[REV-edit] refuses values that the recipe does not take', async () => {
    const { start, seen, review, agent, facts, stop } = harness({ recipes: [store] });
    const proposed = seen('plan-proposed');
    const running = start(copper);
    const { planHash } = await proposed;
    const edit = { stage: 1, planHash, params: { waht: 'silver' } };
    const refused = await review(edit);
    expect(refused).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } });
    const { findings } = await agent.previewPlan(project, runOf(facts), edit);
    expect(findings.map(({ code }) => code)).toEqual(['INVALID_INPUT']);
    stop.abort();
    await running;
  });

  it('[REV-approve] approves no write when the user accepts a plan', async () => {
    const { start, seen, review, agent, puts: made } = harness();
    const proposed = seen('plan-proposed');
    const asked = seen('approval-requested');
    const running = start({ approve: 'ask' });
    await proposed;
    expect(await review()).toEqual(ok(true));
    const { approvalId, hash } = await asked;
    expect(made()).toEqual([]);
    agent.answer([{ approvalId, hash, approved: false }]);
    expect(await running).toMatchObject({ outcome: 'partial' });
    expect(made()).toEqual([]);
  });

  it('[REV-restart] waits again after a restart, and runs the reviewed plan', async () => {
    const first = harness({ replies: [submit(plan)] });
    const proposed = first.seen('plan-proposed');
    void first.start({ provided: undefined as never });
    await proposed;
    const prior = interrupted(first.facts);
    expect(waitingPlan(prior)).toMatchObject({ stage: 1 });

    const again = harness();
    const resumed = again.seen('run-resumed');
    const running = again.start({ provided: { prior } });
    await resumed;
    expect(again.types()).toEqual(['run-resumed']);
    expect(again.tools.calls).toEqual([]);
    again.stop.abort();
    expect(await running).toMatchObject({ outcome: 'cancelled' });
    // The plan that waits already is not proposed a second time.
    expect(again.types()).toEqual(['run-resumed', 'run-ended']);

    const { planHash = '' } = waitingPlan(prior) ?? {};
    const preview = await again.agent.previewPlan(project, prior, { stage: 1, planHash });
    expect(preview).toMatchObject({ findings: [], writes: { write: ['mcp://box.put'] } });
    const judged = await again.agent.judgeReview(project, prior, { stage: 1, planHash });
    if (!judged.ok) throw new Error(judged.error.message);
    const review = { type: 'plan-reviewed' as const, turn: 0, runId: prior.runId, by: 'user' as const };
    const done = harness();
    const reviewed = interrupted([...first.facts, { ...review, ...judged.value }]);
    const report = await done.start({ provided: { prior: reviewed } });
    expect(report).toMatchObject({ outcome: 'done', planHash });
    expect(done.requests).toEqual([]);
    expect(done.puts()).toHaveLength(1);
  });

  it('[REV-restart] proposes the plan again when a tool of it can write now', async () => {
    const only = planOf([reads], 'Read.');
    const first = harness();
    const proposed = first.seen('plan-proposed');
    void first.start({ provided: { plan: only } });
    const { planHash, ...about } = await proposed;
    for (const field of ['recipeId', 'params', 'look', 'suggested', 'following', 'writes', 'cost'])
      expect(about).not.toHaveProperty(field);
    const tools = createInMemoryTools({ 'mcp://box.get': { readOnly: false, call: () => ok({ rows: 2 }) } });
    const again = harness({ tools });
    const renewed = again.seen('plan-proposed');
    const running = again.start({ provided: { prior: interrupted(first.facts) } });
    expect(await renewed).toMatchObject({ stage: 1, writes: { read: ['mcp://box.get'] } });
    expect((await renewed).planHash).not.toBe(planHash);
    expect(tools.calls).toEqual([]);
    again.stop.abort();
    await running;
  });

  it('[REV-stages] makes every stage wait, and a later one resumes in the conversation so far', async () => {
    // The first stage has the id that the approval node of the second one would take.
    const early = scriptNode('approve_write', "return { summary: 'read', state: { n: 2 } };");
    const look = { ...planOf([early], ''), then: 'look' };
    const second = planOf([scriptNode('write', puts('second'))], 'Wrote.');
    const first = harness({ replies: [submit(look), submit(second, 'c2')] });
    const proposed = first.seen('plan-proposed');
    const running = first.start({ provided: undefined as never });
    await proposed;
    const next = first.seen('plan-proposed');
    await first.review();
    expect(await next).toMatchObject({ stage: 2, plan: { nodes: [{ id: 'write' }] } });
    expect(first.puts()).toEqual([]);
    const prior = interrupted(first.facts);
    first.stop.abort();
    await running;

    const again = harness();
    const { planHash = '' } = waitingPlan(prior) ?? {};
    const judged = await again.agent.judgeReview(project, prior, { stage: 2, planHash });
    if (!judged.ok) throw new Error(judged.error.message);
    const fact = { type: 'plan-reviewed' as const, turn: 0, runId: prior.runId, by: 'user' as const };
    const facts = [...first.facts.filter(({ type }) => type !== 'run-ended'), { ...fact, ...judged.value }];
    const report = await again.start({ provided: { prior: interrupted(facts) } });
    expect(report).toMatchObject({ outcome: 'done', answer: 'Wrote.', stages: [{}, {}] });
    expect(again.facts[0]).toMatchObject({ type: 'run-resumed', kept: ['approve_write'] });
    expect(again.types()).not.toContain('plan-proposed');
    expect(again.puts()).toEqual([{ value: 'second' }]);
    expect(again.requests).toEqual([]);
  });

  it('[REV-stages] makes the next stage wait when a run that began without review resumes with it', async () => {
    const look = { code: "return { summary: 'read' };", then: 'look' };
    const first = harness({ replies: [submit(look)] });
    const ended = first.seen('node-ended');
    const running = first.start({ provided: undefined as never, review: 'writes' });
    await ended;
    const prior = interrupted(first.facts);
    first.stop.abort();
    await running;
    const again = harness({ replies: [submit({ code: puts('second'), answer: 'Wrote.' }, 'c2')] });
    const proposed = again.seen('plan-proposed');
    const resumed = again.start({ provided: { prior } });
    expect(await proposed).toMatchObject({ stage: 2, plan: { nodes: [{ id: 'work2' }] } });
    expect(again.puts()).toEqual([]);
    again.stop.abort();
    await resumed;
  });

  it('[REV-stages] makes the replacement of a failed stage wait', async () => {
    const broken = { code: "throw new Error('no such row');", answer: 'x' };
    const { start, seen, review, types, requests } = harness({
      replies: [submit(broken), submit({ code: puts('b'), answer: 'Fixed.' }, 'c2')],
      budgets: { run: { replans: 1 } },
    });
    const proposed = seen('plan-proposed');
    const running = start({ provided: undefined as never });
    await proposed;
    const next = seen('plan-proposed');
    await review();
    expect(await next).toMatchObject({ stage: 2 });
    expect(types()).not.toContain('plan-revised');
    expect(requests).toHaveLength(2);
    await review();
    expect(await running).toMatchObject({ answer: 'Fixed.' });
  });

  it('[REV-leave] ends as waiting with its plan when nobody can review it', async () => {
    const { start, facts, tools } = harness();
    const report = await start({ leaveForReview: true });
    expect(report).toMatchObject({ outcome: 'waiting', plan: { nodes: [{ id: 'read' }, { id: 'write' }] } });
    expect(report).not.toHaveProperty('error');
    expect(tools.calls).toEqual([]);
    expect(facts.at(-1)?.type).toBe('run-interrupted');
    expect(waitingPlan(runOf(facts))?.planHash).toBe(report.planHash);
  });

  it('[REV-none] asks nobody to confirm a change of mode', async () => {
    const asked: string[] = [];
    const tool = { name: 'agent_change_mode', description: 'Changes the mode.', parameters: {} };
    const call = { id: 'm1', name: tool.name, argumentsJson: '{}' };
    const { start, requests } = harness({
      replies: [
        [
          { type: 'tool-call', call },
          { type: 'end', inputTokens: 1, outputTokens: 1 },
        ],
        say('Then I stay here.'),
      ],
    });
    const builtInTools = {
      tools: [tool],
      call: ({ name }: { readonly name: string }) => Promise.resolve(String(asked.push(name))),
    };
    const report = await start({ review: 'none', provided: undefined as never, builtInTools });
    expect(report).toMatchObject({ outcome: 'answered' });
    expect(asked).toEqual([]);
    expect(requests[1]?.messages.at(-1)?.content).toContain('nobody is here to confirm it');
  });

  it('[REV-none] refuses every write without a saved permission, and lists it', async () => {
    const { start, puts: made } = harness();
    const report = await start({ review: 'none', approve: 'all' });
    expect(report).toMatchObject({ outcome: 'partial', writes: [{ outcome: 'refused', layer: 'approval' }] });
    expect(made()).toEqual([]);
    const grant: Grant = {
      id: 'g',
      decision: 'allow',
      tool: 'mcp://box.put',
      where: {},
      reach: { kind: 'always', project },
      at: 0,
    };
    const granted = harness({ grants: () => [grant] });
    const own = { plan: planOf([scriptNode('write', puts('granted'))]) };
    expect(await granted.start({ review: 'none', sessionId: 's', provided: own })).toMatchObject({
      outcome: 'done',
    });
    expect(granted.puts()).toHaveLength(1);
  });
});
