import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { ModelClient } from '../ports/llm';
import { createAgentHarness } from '../../testing/agent-harness';
import { boxHarness, boxTools, planOf, scriptNode, twoSteps, typesOf } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { runOf } from '../../testing/sample-session';
import { createTrustingSandbox } from '../../testing/trusting-sandbox';

describe('a run', () => {
  it('goes from plan to answer and records its facts in order, the end last', async () => {
    const { run, facts } = boxHarness();
    const report = await run({ provided: { plan: twoSteps } });
    expect(report).toMatchObject({ outcome: 'done', answer: 'The sum is 9.' });
    expect(typesOf(facts)).toEqual([
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

  it('[BOX-warm] makes the sandbox start its worker before the model is asked', async () => {
    const asked: number[] = [];
    const { engine } = createTrustingSandbox();
    const harness = boxHarness({
      sandbox: { ...engine, warm: () => void asked.push(harness.requests.length) },
    });
    await harness.run({ goal: 'No recipe is like this' });
    expect(asked).toEqual([0]);
    expect(harness.requests.length).toBeGreaterThan(0);
  });

  it('[AGX-budgets-seen] records its budgets when it begins', async () => {
    const { run, facts } = boxHarness({ budgets: { run: { tool_calls: 7 } } });
    await run({ provided: { plan: twoSteps } });
    expect(facts[0]).toMatchObject({ type: 'run-started', budgets: { run: { tool_calls: 7 } } });
  });

  it('produces the same hashes again, also on a machine with another project path', async () => {
    const named = (project: string) =>
      planOf([scriptNode('where', `return { summary: "at", state: { path: "${project}/docs/a.md" } };`)]);
    const runs = await Promise.all(
      ['/srv/project', '/srv/project', '/home/other'].map((project) =>
        boxHarness().run({ project, provided: { plan: named(project) } }),
      ),
    );
    expect(new Set(runs.map(({ summaryHash }) => summaryHash)).size).toBe(1);
    expect(new Set(runs.map(({ planHash }) => planHash)).size).toBe(1);
    const other = await boxHarness().run({
      provided: { plan: planOf([scriptNode('where', 'return { summary: "elsewhere" };')]) },
    });
    expect(other.summaryHash).not.toBe(runs[0]?.summaryHash);
  });

  it('[EXE-order] runs independent steps side by side and reports them in plan order', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const tools = createInMemoryTools({
      'mcp://box.slow': { call: () => gate.then(() => ok({})) },
      'mcp://box.quick': { call: () => (release(), ok({})) },
    });
    const { run, facts } = createAgentHarness({ tools });
    const provided = planOf([
      scriptNode('slow', 'await tools.box.slow({}); return { summary: "slow" };'),
      scriptNode('quick', 'await tools.box.quick({}); return { summary: "quick" };'),
    ]);
    const report = await run({ provided: { plan: provided } });
    expect(report.outcome).toBe('done');
    expect(
      facts.filter(({ type }) => type === 'node-ended').map((fact) => 'nodeId' in fact && fact.nodeId),
    ).toEqual(['quick', 'slow']);
    expect(report.nodes.map(({ id }) => id)).toEqual(['slow', 'quick']);
  });

  it('[EXE-order] skips every step behind a failed one, and runs at most four at once', async () => {
    const step = (id: string, ...deps: string[]) => scriptNode(id, 'return { summary: "" };', { deps });
    const failing = scriptNode('a', 'await tools.box.fail({}); return { summary: "" };');
    const { nodes } = await boxHarness().run({
      provided: { plan: planOf([step('c', 'b'), step('b', 'a'), failing]) },
    });
    expect(nodes.map(({ status }) => status)).toEqual(['skipped', 'skipped', 'failed']);
    let [underWay, most] = [0, 0];
    const waiting: (() => void)[] = [];
    const call = async () => {
      most = Math.max(most, (underWay += 1));
      // The last call to be released has observed all concurrent calls.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 4) for (const go of waiting.splice(0)) go();
      });
      underWay -= 1;
      return ok({});
    };
    const tools = createInMemoryTools({ 'mcp://box.wait': { call } });
    const eight = Array.from({ length: 8 }, (_, index) =>
      scriptNode(`n${index}`, 'await tools.box.wait({}); return { summary: "" };'),
    );
    expect(await createAgentHarness({ tools }).run({ provided: { plan: planOf(eight) } })).toMatchObject({
      outcome: 'done',
    });
    expect(most).toBe(4);
  });

  it('[EXE-explicit] gives a step the states of the steps that it names, and no others', async () => {
    const give = (id: string) => scriptNode(id, `return { summary: "", state: { from: "${id}" } };`);
    const read = scriptNode('read', 'return { summary: "", state: { given: JSON.stringify(inputs) } };', {
      deps: ['one'],
    });
    const plan = planOf([give('one'), give('two'), read], '{{read.given}}');
    expect((await boxHarness().run({ provided: { plan } })).answer).toContain('one');
    expect((await boxHarness().run({ provided: { plan } })).answer).not.toContain('two');
  });

  it('[EXE-order] skips the dependents of a failed step, keeps the rest, and says so', async () => {
    const { run } = boxHarness();
    const provided = planOf([
      scriptNode('bad', 'await tools.box.fail({}); return { summary: "" };'),
      scriptNode('after', 'return { summary: "never" };', { deps: ['bad'] }),
      scriptNode('apart', 'return { summary: "fine" };'),
    ]);
    const report = await run({ provided: { plan: provided } });
    expect(report.outcome).toBe('partial');
    expect(report.nodes.map(({ status }) => status)).toEqual(['failed', 'skipped', 'done']);
    expect(report.error).toMatchObject({ kind: 'TOOL', code: 'FAILED', node: 'bad' });
  });

  it('answers from the completed steps when they suffice for it', async () => {
    const { run } = boxHarness();
    const bad = scriptNode('bad', 'throw new Error("no");');
    const good = scriptNode('good', 'return { summary: "ok", state: { n: 7 } };');
    const report = await run({ provided: { plan: planOf([bad, good], 'It is {{good.n}}.') } });
    expect(report.outcome).toBe('partial');
    expect(report.answer).toMatch(/^It is 7\.\n\nNot everything could be done\./);
  });

  it('does not use a fixed sentence as the answer of an unfinished run', async () => {
    const { run } = boxHarness();
    const nodes = [
      scriptNode('good', 'return { summary: "ok" };'),
      scriptNode('bad', 'throw new Error("no");'),
    ];
    const report = await run({ provided: { plan: planOf(nodes, 'It is written.') } });
    expect(report.outcome).toBe('partial');
    expect(report.answer).toMatch(/^Not everything could be done\./);
    expect(report.answer).not.toContain('It is written.');
  });

  it('[AGA-slip] shows the results when the answer names a value that no step returned: the run is done', async () => {
    const { run, facts, requests } = boxHarness();
    const provided = planOf(
      [scriptNode('only', 'return { summary: "ok", state: { a: 1, list: ["x", "y"] } };')],
      'It is {{only.b}}.',
    );
    const report = await run({ provided: { plan: provided } });
    expect(report).toMatchObject({ outcome: 'done' });
    expect(report.error).toBeUndefined();
    expect(report.answer).toBe(
      'The answer refers to {{only.b}}, but the result has no "b". These are the results:\n\n- **A**: 1\n- **List**: x, y',
    );
    expect(requests).toEqual([]);
    expect(facts.at(-1)).toMatchObject({ type: 'run-ended', outcome: 'done' });
  });

  it('ends a step at its tool-call budget even when the script swallows every refusal', async () => {
    const tools = createInMemoryTools(boxTools);
    const { run } = createAgentHarness({ tools });
    const greedy = scriptNode(
      'greedy',
      'for (let n = 0; n < 50; n += 1) { try { await tools.box.get({ n: 1 }); } catch {} }',
      {
        budgets: { tool_calls: 5 },
      },
    );
    const report = await run({ provided: { plan: planOf([greedy]) } });
    expect(report.error).toMatchObject({ kind: 'BUDGET', code: 'TOOL_CALLS', node: 'greedy' });
    expect(tools.calls).toHaveLength(5);
  });

  it('reports the resources that a failed step used', async () => {
    const { run } = boxHarness({});
    const report = await run({ provided: { plan: planOf([scriptNode('a', 'throw new Error("no");')]) } });
    expect(report.nodes[0]).toMatchObject({ status: 'failed', metrics: { wall_ms: 1 } });
  });

  it('does not restart a server to look for a tool once it is over', async () => {
    const { tools, ...seen } = createInMemoryTools(boxTools);
    const list: typeof tools.list = (...asked) => {
      stop.abort();
      return tools.list(...asked);
    };
    const { run, stop } = createAgentHarness({ tools: { ...seen, tools: { ...tools, list } } });
    const provided = { plan: planOf([scriptNode('a', 'await tools.gone.get({});')]) };
    expect(await run({ provided })).toMatchObject({ outcome: 'cancelled' });
    await new Promise(setImmediate);
    expect(seen.started).toHaveLength(1);
  });

  it('reports everything that is wrong with an invalid plan, whatever its form', async () => {
    const { run } = boxHarness({});
    for (const plan of [null, 'x', [], { nodes: 5 }]) {
      expect(await run({ provided: { plan } })).toMatchObject({
        outcome: 'failed',
        error: { code: 'INVALID_PLAN' },
      });
    }
    const plan = {
      nodes: [scriptNode('a', 'await tools.box.get({});', { tools: [] }), { id: 'b', deps: ['zz'] }],
    };
    const { error } = await run({ provided: { plan } });
    for (const found of ['goal', 'answer', 'nodes.1.title', '"zz"', 'its "tools" do not declare'])
      expect(error?.message).toContain(found);
  });

  it('lets a plan lower the limits of the project, but never raise them', async () => {
    const { run, units } = boxHarness({ budgets: { node: { cpu_ms: 700 } } });
    const provided = planOf([
      scriptNode('more', 'return { summary: "" };', { budgets: { cpu_ms: 9_000 } }),
      scriptNode('less', 'return { summary: "" };', { budgets: { cpu_ms: 50 } }),
    ]);
    await run({ provided: { plan: provided } });
    expect(units.map(({ budgets }) => budgets.cpu_ms).sort()).toEqual([50, 700]);
  });

  it('[BUD-wall] ends at its wall-clock limit, without counting the wait for a person', async () => {
    const { run, seen, time, agent } = boxHarness({ budgets: { run: { wall_ms: 1_000 } } });
    const provided = planOf([
      scriptNode('hang', 'await tools.box.put({}); await tools.box.hang({}); return { summary: "" };'),
    ]);
    const asked = seen('approval-requested');
    const done = run({ provided: { plan: provided }, approve: 'ask' });
    const { approvalId, hash } = await asked;
    time.advance(500_000);
    const called = seen('tool-called');
    expect(agent.answer([{ approvalId, hash, approved: true }])).toBe(true);
    await called;
    time.advance(999);
    time.advance(2);
    expect(await done).toMatchObject({
      outcome: 'partial',
      ranOut: 'time',
      error: { kind: 'BUDGET', code: 'WALL_CLOCK' },
    });
  });

  it('[LLM-long-wait] does not count the wait for a provider as its time', async () => {
    const error = appError('LLM', 'RATE_LIMITED', 'Later.');
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const models: ModelClient = {
      listModels: async () => [],
      providerName: () => 'Local',
      defaultModel: async () => ({ providerId: 'local', model: 'small' }),
      setupProblem: () => null,
      probe: async () => ok([]),
      async *stream() {
        yield { type: 'retrying', inMs: 900_000, error };
        await answered;
        yield { type: 'text', text: 'Here it is.' };
        yield { type: 'end', inputTokens: 1, outputTokens: 1 };
      },
    };
    const { run, seen, time } = boxHarness({ models, budgets: { run: { wall_ms: 1_000 } } });
    const waits = seen('reply-delayed');
    const done = run();
    await waits;
    time.advance(900_000);
    answer();
    expect(await done).toMatchObject({ outcome: 'answered', answer: 'Here it is.' });
  });

  it('refuses a plan with more steps than a run may have, before anything runs', async () => {
    const { run, facts } = boxHarness({ budgets: { run: { nodes: 1 } } });
    const report = await run({ provided: { plan: twoSteps } });
    expect(report.error).toMatchObject({ kind: 'BUDGET', code: 'NODE_LIMIT' });
    expect(typesOf(facts)).toEqual(['run-started', 'run-ended']);
  });

  it('[BUD-node-limit] refuses a plan longer than any plan may be with the same code', async () => {
    const nodes = Array.from({ length: 70 }, (_, index) =>
      scriptNode(`n${index}`, 'return { summary: "" };'),
    );
    const plan = { goal: 'Do it', nodes, answer: 'Done.' };
    const { error } = await boxHarness().run({ provided: { plan } });
    expect(error).toMatchObject({ kind: 'BUDGET', code: 'NODE_LIMIT' });
    expect(error?.message).toBe('The plan has 70 steps; the limit for a run is 16.');
    expect(error?.hint).toContain('"run": {"nodes": …} in .patina/budgets.json (at most 64)');
  });

  it('starts only the servers a plan declares', async () => {
    const tools = createInMemoryTools(boxTools);
    const declared = scriptNode('one', 'return { summary: String((await tools.box.get({ n: 1 })).value) };', {
      tools: ['mcp://box.get'],
    });
    await createAgentHarness({ tools }).run({ provided: { plan: planOf([declared]) } });
    expect(tools.started).toEqual([['box']]);
    await createAgentHarness({ tools }).run({
      provided: { plan: planOf([scriptNode('none', 'return { summary: "" };')]) },
    });
    expect(tools.started).toHaveLength(1);
  });
});

describe('the end of a run', () => {
  const say = (text: string) => [
    { type: 'text' as const, text },
    { type: 'end' as const, inputTokens: 10, outputTokens: 5 },
  ];

  it('has an answer with its reason and what to do', async () => {
    const { run } = boxHarness({ budgets: { run: { nodes: 1 } } });
    const report = await run({ provided: { plan: twoSteps } });
    expect(report).toMatchObject({ outcome: 'failed', nodes: [], stages: [], writes: [], artifacts: [] });
    expect(report.error?.hint).toBeTruthy();
    expect(report.answer).toBe(`${report.error?.message ?? ''}\n\n${report.error?.hint ?? ''}`);
    for (const field of ['sessionId', 'source', 'planHash', 'asks']) expect(report).not.toHaveProperty(field);
  });

  it.each([
    [new Error('no worker'), 'no worker'],
    ['no memory', 'no memory'],
  ])('is a failure that names its cause when Patina has a defect: %s', async (cause, reason) => {
    const { engine } = createTrustingSandbox();
    const warm = (): void => {
      throw cause as Error;
    };
    const { run, facts } = boxHarness({ sandbox: { ...engine, warm } });
    const report = await run({ sessionId: 's1', provided: { plan: twoSteps } });
    expect(report).toMatchObject({
      outcome: 'failed',
      sessionId: 's1',
      error: { kind: 'HOST', code: 'STATE', message: expect.stringMatching(`: ${reason}$`) as string },
    });
    expect(report.answer).toBe(report.error?.message);
    expect(typesOf(facts)).toEqual(['run-started', 'run-ended']);
  });

  it('is cancelled when the user stops it before it has a plan', async () => {
    const { run, stop, facts } = boxHarness();
    stop.abort();
    expect(await run({ provided: { plan: twoSteps } })).toMatchObject({
      outcome: 'cancelled',
      answer: 'Cancelled.',
      nodes: [],
    });
    expect(typesOf(facts)).toEqual(['run-started', 'run-ended']);
  });

  it.each([
    ['Here it is.', undefined],
    ['Which one do you mean?', true],
  ])('is what the model said when it planned nothing: %s', async (text, asks) => {
    const { run, facts } = boxHarness({ replies: [say(text)] });
    const report = await run();
    expect(facts[0]).toMatchObject({ type: 'run-started', goal: 'Do it' });
    expect(facts[0]).not.toHaveProperty('source');
    expect(report).toMatchObject({ outcome: 'answered', answer: text, nodes: [], stages: [] });
    expect(report.asks).toBe(asks);
    expect(report).not.toHaveProperty('planHash');
    const usage = { modelTurns: 1, inputTokens: 10, outputTokens: 5 };
    expect(report.usage).toEqual(usage);
    expect(facts.find(({ type }) => type === 'model-called')).toMatchObject({
      turn: 0,
      runId: report.runId,
      part: 'plan',
      model: { providerId: 'local', model: 'small' },
      usage,
    });
    expect(facts.find(({ type }) => type === 'model-called')).not.toHaveProperty('nodeId');
    expect(facts.at(-1)).toMatchObject({ type: 'run-ended', outcome: 'answered', answer: text, usage });
  });

  it.each(['capabilities', 'budgets'] as const)(
    'comes before any work when the %s cannot be read',
    async (file) => {
      const unreadable = appError('CONFIG', 'INVALID', 'The file is no JSON.', { hint: 'Mend it.' });
      const tools = createInMemoryTools(boxTools);
      const { run, facts } = createAgentHarness({ tools, policy: { [file]: () => err(unreadable) } });
      const report = await run({ provided: { plan: twoSteps } });
      expect(report).toMatchObject({
        outcome: 'failed',
        error: unreadable,
        answer: 'The file is no JSON.\n\nMend it.',
      });
      expect(facts[0]).not.toHaveProperty('budgets');
      expect(tools.started).toEqual([]);
    },
  );

  it('reports each step with what it used, and its stage', async () => {
    const judge = { id: 'judge', title: 'Judge', kind: 'llm', prompt: 'Is it good?' };
    const { run, facts } = boxHarness({ replies: [say('{"good": true}')] });
    const report = await run({ provided: { plan: planOf([...twoSteps.nodes, judge]) } });
    const [first, , judged] = report.nodes;
    expect(first).toMatchObject({
      id: 'first',
      status: 'done',
      summary: 'got 8',
      cached: false,
      metrics: {},
    });
    for (const field of ['error', 'usage', 'items', 'attempts']) expect(first).not.toHaveProperty(field);
    expect(judged).toMatchObject({ id: 'judge', usage: { modelTurns: 1, inputTokens: 10, outputTokens: 5 } });
    expect(report.stages).toEqual([{ planHash: report.planHash, nodes: report.nodes }]);
    expect(report.source).toBe('file');
    expect(facts[0]).toMatchObject({ type: 'run-started', source: 'file' });
    expect(facts.find(({ type }) => type === 'model-called')).toMatchObject({ nodeId: 'judge' });
  });

  it('comes at once when the session can no longer be saved', async () => {
    const tools = createInMemoryTools(boxTools);
    const { run, record } = createAgentHarness({ tools });
    const writable = (facts: Parameters<typeof record>[0]): boolean =>
      facts.every(({ type }) => type === 'run-started') && record(facts);
    const report = await run({ provided: { plan: twoSteps } }, writable);
    expect(report).toMatchObject({ outcome: 'failed', error: { kind: 'HOST', code: 'STORAGE' } });
    expect(report.error?.message).toContain('The session can no longer be saved');
    expect(report.nodes.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(tools.calls).toEqual([]);
  });

  it('is known to nobody: a run that is over cannot be paused, and no stage of it cancelled', async () => {
    const { run, agent, facts } = boxHarness();
    const { runId } = await run({ provided: { plan: twoSteps } });
    expect(agent.pause(runId, true)).toBe(false);
    expect(agent.cancelStage(runId, true)).toBe(false);
    expect(agent.cancelStage('unknown', true)).toBe(false);
    expect(facts.at(-1)?.type).toBe('run-ended');
  });
});

describe('a run that resumes before it had a plan', () => {
  const begun = { type: 'run-started', turn: 0, runId: 'run_7', goal: 'Do it' } as const;
  const usage = { modelTurns: 2, inputTokens: 100, outputTokens: 50 };
  const called: SessionFact = {
    type: 'model-called',
    turn: 0,
    runId: 'run_7',
    part: 'plan',
    model: { providerId: 'local', model: 'small' },
    usage,
    ms: 1,
  };

  it('[AGX-resume] plans again, and what it had used counts in its usage', async () => {
    const prior = runOf([begun, called, { type: 'run-interrupted', turn: 0, runId: 'run_7' }]);
    const { run, facts } = boxHarness({
      replies: [
        [
          { type: 'text', text: 'Done.' },
          { type: 'end', inputTokens: 10, outputTokens: 5 },
        ],
      ],
    });
    const report = await run({ provided: { prior } });
    expect(facts[0]).toMatchObject({ type: 'run-resumed', runId: 'run_7', kept: [], budgets: { run: {} } });
    expect(report).toMatchObject({
      runId: 'run_7',
      outcome: 'answered',
      usage: { modelTurns: 3, inputTokens: 110, outputTokens: 55 },
    });
  });

  it('[AGX-resume] has new budgets after its end', async () => {
    const ended = {
      type: 'run-ended',
      turn: 0,
      runId: 'run_7',
      outcome: 'failed',
      answer: '',
      usage,
    } as const;
    const { run } = boxHarness({
      replies: [
        [
          { type: 'text', text: 'Done.' },
          { type: 'end', inputTokens: 10, outputTokens: 5 },
        ],
      ],
    });
    const report = await run({ provided: { prior: runOf([begun, called, ended]) } });
    expect(report.usage).toEqual({ modelTurns: 1, inputTokens: 10, outputTokens: 5 });
  });
});
