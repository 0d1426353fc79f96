import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { Plan } from '#shared/plan';
import { err, ok } from '#shared/result';
import { createAgentBench } from '../../testing/agent-bench';
import { createInMemoryTools, type InMemoryTool } from '../../testing/in-memory-tools';

const plan = (nodes: readonly object[], answer: unknown = 'Done.') =>
  Plan.parse({ goal: 'Do it', nodes, answer });
const script = (id: string, code: string, more: object = {}) => ({
  id,
  title: id,
  kind: 'script',
  code,
  ...more,
});
const forever = () => new Promise<never>(() => undefined);

const rows: Record<string, InMemoryTool> = {
  'mcp://box.get': { call: ({ n }) => ok({ value: Number(n) * 2 }) },
  'mcp://box.put': { readOnly: false, call: () => ok('stored') },
  'mcp://box.fail': { call: () => err(appError('TOOL', 'FAILED', 'The box is shut.')) },
  'mcp://box.hang': { call: forever },
};
const bench = (more: object = {}) => createAgentBench({ tools: createInMemoryTools(rows), ...more });
const types = (facts: readonly { readonly type: string }[]) => facts.map(({ type }) => type);

const twoSteps = plan(
  [
    script(
      'first',
      'const { value } = await tools.box.get({ n: params.n }); return { summary: `got ${value}`, state: { value } };',
      {
        params: { n: 4 },
      },
    ),
    script('second', 'return { summary: "added", state: { sum: inputs.first.value + 1 } };', {
      deps: ['first'],
    }),
  ],
  'The sum is {{second.sum}}.',
);

describe('a run', () => {
  it('goes from plan to answer and records its facts in order, the end last', async () => {
    const { run, facts } = bench();
    const report = await run({ given: { plan: twoSteps } });
    expect(report).toMatchObject({ outcome: 'done', answer: 'The sum is 9.' });
    expect(types(facts)).toEqual([
      'run-started',
      'plan-made',
      'node-started',
      'tool-called',
      'node-ended',
      'node-started',
      'node-ended',
      'run-ended',
    ]);
    expect(report.usage).toEqual({ modelTurns: 0, inputTokens: 0, outputTokens: 0 });
  });

  it('gives the same hashes again, and on a machine with another project path', async () => {
    const named = (project: string) =>
      plan([script('where', `return { summary: "at", state: { path: "${project}/docs/a.md" } };`)]);
    const runs = await Promise.all(
      ['/srv/project', '/srv/project', '/home/other'].map((project) =>
        bench().run({ project, given: { plan: named(project) } }),
      ),
    );
    expect(new Set(runs.map(({ summaryHash }) => summaryHash)).size).toBe(1);
    expect(new Set(runs.map(({ planHash }) => planHash)).size).toBe(1);
    const other = await bench().run({
      given: { plan: plan([script('where', 'return { summary: "elsewhere" };')]) },
    });
    expect(other.summaryHash).not.toBe(runs[0]?.summaryHash);
  });

  it('runs independent steps side by side and reports them in plan order', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const tools = createInMemoryTools({
      'mcp://box.slow': { call: () => gate.then(() => ok({})) },
      'mcp://box.quick': { call: () => (release(), ok({})) },
    });
    const { run, facts } = createAgentBench({ tools });
    const given = plan([
      script('slow', 'await tools.box.slow({}); return { summary: "slow" };'),
      script('quick', 'await tools.box.quick({}); return { summary: "quick" };'),
    ]);
    const report = await run({ given: { plan: given } });
    expect(report.outcome).toBe('done');
    expect(
      facts.filter(({ type }) => type === 'node-ended').map((fact) => 'nodeId' in fact && fact.nodeId),
    ).toEqual(['quick', 'slow']);
    expect(report.nodes.map(({ id }) => id)).toEqual(['slow', 'quick']);
  });

  it('skips what depends on a failed step, keeps the rest, and says so', async () => {
    const { run } = bench();
    const given = plan([
      script('bad', 'await tools.box.fail({}); return { summary: "" };'),
      script('after', 'return { summary: "never" };', { deps: ['bad'] }),
      script('apart', 'return { summary: "fine" };'),
    ]);
    const report = await run({ given: { plan: given } });
    expect(report.outcome).toBe('partial');
    expect(report.nodes.map(({ status }) => status)).toEqual(['failed', 'skipped', 'done']);
    expect(report.error).toMatchObject({ kind: 'TOOL', code: 'FAILED', node: 'bad' });
  });

  it('fails with INVALID_RESULT when the answer names what no step gave', async () => {
    const { run, facts } = bench();
    const given = plan([script('only', 'return { summary: "ok", state: { a: 1 } };')], 'It is {{only.b}}.');
    const report = await run({ given: { plan: given } });
    expect(report).toMatchObject({ outcome: 'failed', error: { kind: 'CODE', code: 'INVALID_RESULT' } });
    expect(facts.at(-1)).toMatchObject({ type: 'run-ended', outcome: 'failed' });
  });

  it('ends a step at its tool-call budget even when the script swallows every refusal', async () => {
    const tools = createInMemoryTools(rows);
    const { run } = createAgentBench({ tools });
    const greedy = script(
      'greedy',
      'for (let n = 0; n < 50; n += 1) { try { await tools.box.get({ n: 1 }); } catch {} }',
      {
        budgets: { tool_calls: 5 },
      },
    );
    const report = await run({ given: { plan: plan([greedy]) } });
    expect(report.error).toMatchObject({ kind: 'BUDGET', code: 'TOOL_CALLS', node: 'greedy' });
    expect(tools.calls).toHaveLength(5);
  });

  it('lets a plan ask for less than the project allows, never for more', async () => {
    const { run, units } = bench({ budgets: { node: { cpu_ms: 700 } } });
    const given = plan([
      script('more', 'return { summary: "" };', { budgets: { cpu_ms: 9_000 } }),
      script('less', 'return { summary: "" };', { budgets: { cpu_ms: 50 } }),
    ]);
    await run({ given: { plan: given } });
    expect(units.map(({ budgets }) => budgets.cpu_ms).sort()).toEqual([50, 700]);
  });

  it('ends at its wall clock, and the wait for a person does not count', async () => {
    const { run, seen, time, agent } = bench({ budgets: { run: { wall_ms: 1_000 } } });
    const given = plan([
      script('hang', 'await tools.box.put({}); await tools.box.hang({}); return { summary: "" };'),
    ]);
    const asked = seen('approval-requested');
    const done = run({ given: { plan: given }, approve: 'ask' });
    const { approvalId, hash } = await asked;
    time.advance(500_000);
    const called = seen('tool-called');
    expect(agent.answer(approvalId, hash, true)).toBe(true);
    await called;
    time.advance(999);
    time.advance(2);
    expect(await done).toMatchObject({ outcome: 'failed', error: { kind: 'BUDGET', code: 'WALL_CLOCK' } });
  });

  it('refuses a plan with more steps than a run may have, before anything runs', async () => {
    const { run, facts } = bench({ budgets: { run: { nodes: 1 } } });
    const report = await run({ given: { plan: twoSteps } });
    expect(report.error).toMatchObject({ kind: 'BUDGET', code: 'NODE_LIMIT' });
    expect(types(facts)).toEqual(['run-started', 'run-ended']);
  });

  it('starts only the servers a plan declares', async () => {
    const tools = createInMemoryTools(rows);
    const declared = script('one', 'return { summary: String((await tools.box.get({ n: 1 })).value) };', {
      tools: ['mcp://box.get'],
    });
    await createAgentBench({ tools }).run({ given: { plan: plan([declared]) } });
    expect(tools.started).toEqual([['box']]);
    await createAgentBench({ tools }).run({
      given: { plan: plan([script('none', 'return { summary: "" };')]) },
    });
    expect(tools.started).toHaveLength(1);
  });
});

describe('writes', () => {
  const put = plan([script('write', 'await tools.box.put({ to: "a" }); return { summary: "put" };')]);

  it('are announced before they are made, and recorded at once after', async () => {
    const order: string[] = [];
    const tools = createInMemoryTools({
      'mcp://box.put': { readOnly: false, call: () => (order.push('io'), ok('stored')) },
    });
    const { run, record } = createAgentBench({ tools });
    const report = await run({ given: { plan: put }, approve: 'all' }, (facts) => {
      order.push(...types(facts));
      return record(facts);
    });
    expect(report.outcome).toBe('done');
    expect(order.indexOf('write-intended')).toBeLessThan(order.indexOf('io'));
    expect(order.slice(order.indexOf('io'), order.indexOf('io') + 2)).toEqual(['io', 'tool-called']);
  });

  it('are not made when nobody approves them', async () => {
    const tools = createInMemoryTools(rows);
    const report = await createAgentBench({ tools }).run({ given: { plan: put }, approve: 'none' });
    expect(report.error).toMatchObject({ kind: 'POLICY', code: 'APPROVAL_DENIED', layer: 'approval' });
    expect(tools.calls).toEqual([]);
  });

  it('wait for the answer that names their id and hash, which serves one call', async () => {
    const tools = createInMemoryTools(rows);
    const { run, agent, seen, facts } = createAgentBench({ tools });
    const twice = plan([
      script('write', 'await tools.box.put({}); await tools.box.put({}); return { summary: "" };'),
    ]);
    const first = seen('approval-requested');
    const done = run({ given: { plan: twice }, approve: 'ask' });
    const { approvalId, hash } = await first;
    expect(agent.answer(approvalId, 'another hash', true)).toBe(false);
    expect(agent.answer('apr_unknown', hash, true)).toBe(false);
    const second = seen('approval-requested');
    expect(agent.answer(approvalId, hash, true)).toBe(true);
    const again = await second;
    expect(again.hash).toBe(hash);
    expect(agent.answer(approvalId, hash, true)).toBe(false);
    expect(agent.answer(again.approvalId, hash, false)).toBe(true);
    expect(await done).toMatchObject({ error: { code: 'APPROVAL_DENIED' } });
    expect(tools.calls).toHaveLength(1);
    expect(facts.filter(({ type }) => type === 'approval-answered')).toHaveLength(2);
  });

  it('are not made when their intent cannot be recorded', async () => {
    const tools = createInMemoryTools(rows);
    const { run, record } = createAgentBench({ tools });
    const report = await run({ given: { plan: put }, approve: 'all' }, (facts) =>
      facts.some(({ type }) => type === 'write-intended') ? false : record(facts),
    );
    expect(report.outcome).toBe('failed');
    expect(report.error).toMatchObject({ kind: 'HOST', code: 'STORAGE' });
    expect(tools.calls).toEqual([]);
  });
});

describe('stopping', () => {
  it.each([
    ['while a tool hangs', 'await tools.box.hang({}); return { summary: "" };', 'node-started'],
    ['while a person is asked', 'await tools.box.put({}); return { summary: "" };', 'approval-requested'],
  ] as const)('works %s', async (_when, code, fact) => {
    const { run, stop, seen, facts } = bench();
    const reached = seen(fact);
    const given = plan([script('one', code), script('two', 'return { summary: "" };', { deps: ['one'] })]);
    const done = run({ given: { plan: given }, approve: 'ask' });
    await reached;
    stop.abort();
    const report = await done;
    expect(report).toMatchObject({ outcome: 'cancelled', error: { kind: 'HOST', code: 'CANCELLED' } });
    expect(report.nodes.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(facts.at(-1)).toMatchObject({ type: 'run-ended', outcome: 'cancelled' });
  });

  it('works before it began, and while the servers never start', async () => {
    const early = bench();
    early.stop.abort();
    expect(await early.run({ given: { plan: twoSteps } })).toMatchObject({ outcome: 'cancelled' });
    const tools = createInMemoryTools(rows);
    let listing = (): void => undefined;
    const asked = new Promise<void>((resolve) => (listing = resolve));
    const hanging = { ...tools, tools: { ...tools.tools, list: () => (listing(), forever()) } };
    const late = createAgentBench({ tools: hanging });
    const done = late.run({ given: { plan: twoSteps } });
    await asked;
    late.stop.abort();
    expect(await done).toMatchObject({ outcome: 'cancelled' });
    expect(late.facts.at(-1)?.type).toBe('run-ended');
  });
});

describe('the steps that are no scripts', () => {
  it('ask the user, and what follows waits for the yes', async () => {
    const { run, agent, seen } = bench();
    const given = plan([
      { id: 'ask', title: 'Go on?', kind: 'approval', prompt: 'Really go on?' },
      script('go', 'return { summary: "went", state: { yes: inputs.ask.approved } };', { deps: ['ask'] }),
    ]);
    const asked = seen('approval-requested');
    const done = run({ given: { plan: given }, approve: 'ask' });
    const { approvalId, hash, tool } = await asked;
    expect(tool).toBe('request_user_approval');
    agent.answer(approvalId, hash, true);
    expect((await done).nodes.map(({ status }) => status)).toEqual(['done', 'done']);
    const denied = await bench().run({ given: { plan: given }, approve: 'none' });
    expect(denied).toMatchObject({ outcome: 'failed', error: { code: 'APPROVAL_DENIED' } });
  });

  const say = (text: string) => [
    { type: 'text' as const, text },
    { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
  ];
  const judge = plan(
    [
      {
        id: 'judge',
        title: 'Judge',
        kind: 'llm',
        prompt: 'Is it good?',
        outputSchema: { type: 'object', required: ['good'] },
      },
    ],
    'Good: {{judge.good}}',
  );

  it('ask the model without tools and check what it says', async () => {
    const { run, requests } = bench({ replies: [say('```json\n{"good": true}\n```')] });
    const report = await run({ given: { plan: judge } });
    expect(report).toMatchObject({
      outcome: 'done',
      answer: 'Good: true',
      usage: { modelTurns: 1, inputTokens: 10 },
    });
    expect(requests[0]?.tools).toBeUndefined();
    const wrong = await bench({ replies: [say('{"bad": 1}')] }).run({ given: { plan: judge } });
    expect(wrong.error).toMatchObject({ kind: 'LLM', code: 'INVALID_REPLY', node: 'judge' });
  });

  it('never take the offline provider for a model', async () => {
    const model = { providerId: 'offline', model: 'offline' };
    const { run, requests } = bench();
    expect((await run({ model, given: { plan: judge } })).error).toMatchObject({
      kind: 'LLM',
      code: 'UNAVAILABLE',
    });
    expect(requests).toEqual([]);
  });
});

describe('planning with a model', () => {
  const submit = (value: unknown) => [
    {
      type: 'tool-call' as const,
      call: { id: 'c1', name: 'submit_plan', argumentsJson: JSON.stringify(value) },
    },
    { type: 'end' as const, inputTokens: 100, outputTokens: 50 },
  ];

  it('takes a plan by function call, and by fenced JSON', async () => {
    const called = bench({ replies: [submit(twoSteps)] });
    expect(await called.run()).toMatchObject({
      outcome: 'done',
      answer: 'The sum is 9.',
      usage: { modelTurns: 1 },
    });
    expect(called.requests[0]).toMatchObject({ toolChoice: 'submit_plan' });
    expect(called.requests[0]?.messages[0]?.content).toContain('tools.box.get(');
    const text = `Here it is:\n\`\`\`json\n${JSON.stringify(twoSteps)}\n\`\`\``;
    const fenced = [
      { type: 'text', text },
      { type: 'end', inputTokens: 1, outputTokens: 1 },
    ];
    expect(await bench({ replies: [fenced] }).run()).toMatchObject({ outcome: 'done' });
  });

  it('gives all findings back once, and a second bad plan ends the run', async () => {
    const bad = plan([script('a', 'return tools.box.got({ n: Date.now() });'), script('b', 'return (;', {})]);
    const mended = bench({ replies: [submit(bad), submit(twoSteps)] });
    expect(await mended.run()).toMatchObject({ outcome: 'done', usage: { modelTurns: 2 } });
    const findings = mended.requests[1]?.messages.at(-1)?.content ?? '';
    for (const part of ['Date', 'tools.box.got', 'Did you mean tools.box.get', 'b: '])
      expect(findings).toContain(part);
    const twice = await bench({ replies: [submit(bad), submit(bad)] }).run();
    expect(twice).toMatchObject({ outcome: 'failed', error: { kind: 'CODE' } });
  });

  it('offers only what the manifest allows', async () => {
    const one = bench({ replies: [submit(twoSteps)], capabilities: { allow: ['mcp://box.get'] } });
    await one.run();
    expect(one.requests[0]?.messages[0]?.content).not.toContain('box.put');
  });

  it('can be stopped', async () => {
    const { run, stop, facts } = bench();
    const done = run();
    stop.abort();
    expect(await done).toMatchObject({ outcome: 'cancelled' });
    expect(facts.at(-1)?.type).toBe('run-ended');
  });

  it('says what works without a model when none is connected', async () => {
    const report = await bench().run({ model: { providerId: 'offline', model: 'offline' } });
    expect(report).toMatchObject({ outcome: 'failed', error: { kind: 'LLM', code: 'UNAVAILABLE' } });
  });
});
