import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import { createAgentHarness } from '../../testing/agent-harness';
import {
  boxHarness,
  boxTools,
  forever,
  planOf,
  scriptNode,
  twoSteps,
  typesOf,
} from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';

describe('writes', () => {
  const put = planOf([scriptNode('write', 'await tools.box.put({ to: "a" }); return { summary: "put" };')]);

  it('are announced before they are made, and recorded immediately afterwards', async () => {
    const order: string[] = [];
    const tools = createInMemoryTools({
      'mcp://box.put': { readOnly: false, call: () => (order.push('io'), ok('stored')) },
    });
    const { run, record } = createAgentHarness({ tools });
    const report = await run({ provided: { plan: put }, approve: 'all' }, (facts) => {
      order.push(...typesOf(facts));
      return record(facts);
    });
    expect(report.outcome).toBe('done');
    expect(order.indexOf('write-intended')).toBeLessThan(order.indexOf('io'));
    expect(order.slice(order.indexOf('io'), order.indexOf('io') + 2)).toEqual(['io', 'tool-called']);
  });

  it('are not made when nobody approves them', async () => {
    const tools = createInMemoryTools(boxTools);
    const report = await createAgentHarness({ tools }).run({ provided: { plan: put }, approve: 'none' });
    expect(report.error).toMatchObject({ kind: 'POLICY', code: 'APPROVAL_DENIED', layer: 'approval' });
    expect(tools.calls).toEqual([]);
  });

  it('[AGP-exact-hash] wait for an answer that names their id and hash, and use it once', async () => {
    const tools = createInMemoryTools(boxTools);
    const { run, agent, seen, facts } = createAgentHarness({ tools });
    const twice = planOf([
      scriptNode('write', 'await tools.box.put({}); await tools.box.put({}); return { summary: "" };'),
    ]);
    const first = seen('approval-requested');
    const done = run({ provided: { plan: twice }, approve: 'ask' });
    const { approvalId, hash } = await first;
    expect(agent.answer([{ approvalId, hash: 'another hash', approved: true }])).toBe(false);
    expect(agent.answer([{ approvalId: 'apr_unknown', hash, approved: true }])).toBe(false);
    const second = seen('approval-requested');
    expect(agent.answer([{ approvalId, hash, approved: true }])).toBe(true);
    const again = await second;
    expect(again.hash).toBe(hash);
    expect(agent.answer([{ approvalId, hash, approved: true }])).toBe(false);
    expect(agent.answer([{ approvalId: again.approvalId, hash, approved: false }])).toBe(true);
    expect(await done).toMatchObject({ error: { code: 'APPROVAL_DENIED' } });
    expect(tools.calls).toHaveLength(1);
    expect(facts.filter(({ type }) => type === 'approval-answered')).toHaveLength(2);
  });

  it('[AGP-approval-node] are preceded by an approval node that is in the plan before anything runs', async () => {
    const { run, facts } = boxHarness();
    const given = planOf([
      scriptNode('read', 'return { summary: "", state: { ...(await tools.box.get({ n: 1 })) } };'),
      scriptNode('write', 'await tools.box.put({ n: inputs.read.value }); return { summary: "put" };', {
        deps: ['read'],
      }),
    ]);
    const report = await run({ provided: { plan: given }, approve: 'all' });
    const made = facts.find((fact) => fact.type === 'plan-made');
    expect(made?.plan.nodes.map(({ id, kind, deps }) => [id, kind, deps])).toEqual([
      ['read', 'script', []],
      ['approve_write', 'approval', ['read']],
      ['write', 'script', ['read', 'approve_write']],
    ]);
    expect(made?.announces).toEqual({ approve_write: 'write' });
    expect(report.nodes.map(({ id, status }) => [id, status])).toEqual([
      ['read', 'done'],
      ['approve_write', 'done'],
      ['write', 'done'],
    ]);
    const asked = facts.find((fact) => fact.type === 'approval-requested');
    expect(asked).toMatchObject({ nodeId: 'approve_write', arguments: { n: 2 } });
    expect(asked?.origins).toEqual([{ source: 'mcp://box.get', nodeId: 'read', trusted: false }]);
  });

  it('[AGP-one-card] that wait at the same time share a card; approved writes are made once, the others never', async () => {
    const tools = createInMemoryTools(boxTools);
    const { run, agent, seen, facts, time } = createAgentHarness({ tools });
    const code = `const made = await Promise.allSettled([1, 2, 3].map((n) => tools.box.put({ n })));
return { summary: made.map(({ status }) => status).join() };`;
    const first = seen('approval-requested');
    const done = run({ provided: { plan: planOf([scriptNode('write', code)]) }, approve: 'ask' });
    await first;
    const asked = facts.filter((fact) => fact.type === 'approval-requested');
    expect(asked.map((fact) => fact.arguments)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(new Set(asked.map(({ card }) => card)).size).toBe(1);
    // A wait of hours does not count against the run's limit of one minute.
    time.advance(3_600_000);
    const answers = asked.map(({ approvalId, hash }, place) => ({ approvalId, hash, approved: place !== 1 }));
    expect(agent.answer([...answers, { ...answers[0], hash: 'other' } as never])).toBe(false);
    expect(agent.answer(answers.reverse())).toBe(true);
    expect((await done).nodes.at(-1)?.summary).toBe('fulfilled,rejected,fulfilled');
    expect(tools.calls.map(({ args }) => args['n']).sort()).toEqual([1, 3]);
  });

  it('[AGP-edit] are made as edited, under a new hash, and only with arguments that the tool accepts', async () => {
    const tools = createInMemoryTools({
      'mcp://box.put': {
        readOnly: false,
        inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        call: () => ok('stored'),
      },
    });
    const { run, agent, seen, facts } = createAgentHarness({ tools });
    const code = 'await tools.box.put({ n: 1 }); return { summary: "" };';
    const asked = seen('approval-requested');
    const done = run({ provided: { plan: planOf([scriptNode('write', code)]) }, approve: 'ask' });
    const { approvalId, hash } = await asked;
    const bad = await agent.edit({ approvalId, hash, arguments: { n: 'many' } });
    expect(bad).toMatchObject({ ok: false, error: { code: 'INVALID_ARGUMENTS' } });
    expect(await agent.edit({ approvalId, hash, arguments: { n: 7 } })).toEqual(ok(null));
    const edited = facts.find((fact) => fact.type === 'approval-edited');
    expect(agent.answer([{ approvalId, hash, approved: true }])).toBe(false);
    expect(agent.answer([{ approvalId, hash: edited?.hash ?? '', approved: true }])).toBe(true);
    expect((await done).outcome).toBe('done');
    expect(tools.calls.map(({ args }) => args)).toEqual([{ n: 7 }]);
    expect(facts.find((fact) => fact.type === 'write-intended')).toMatchObject({ arguments: { n: 7 } });
  });

  it('are not made when their intent cannot be recorded', async () => {
    const tools = createInMemoryTools(boxTools);
    const { run, record } = createAgentHarness({ tools });
    const report = await run({ provided: { plan: put }, approve: 'all' }, (facts) =>
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
    const { run, stop, seen, facts } = boxHarness();
    const reached = seen(fact);
    const given = planOf([
      scriptNode('one', code),
      scriptNode('two', 'return { summary: "" };', { deps: ['one'] }),
    ]);
    const done = run({ provided: { plan: given }, approve: 'ask' });
    await reached;
    stop.abort();
    const report = await done;
    expect(report).toMatchObject({ outcome: 'cancelled', error: { kind: 'HOST', code: 'CANCELLED' } });
    expect(new Set(report.nodes.map(({ status }) => status))).toEqual(new Set(['cancelled']));
    expect(facts.at(-1)).toMatchObject({ type: 'run-ended', outcome: 'cancelled' });
  });

  it('works before the run has begun, and while the servers are still starting', async () => {
    const early = boxHarness();
    early.stop.abort();
    expect(await early.run({ provided: { plan: twoSteps } })).toMatchObject({ outcome: 'cancelled' });
    const tools = createInMemoryTools(boxTools);
    let listing = (): void => undefined;
    const asked = new Promise<void>((resolve) => (listing = resolve));
    const hanging = { ...tools, tools: { ...tools.tools, list: () => (listing(), forever()) } };
    const late = createAgentHarness({ tools: hanging });
    const done = late.run({ provided: { plan: twoSteps } });
    await asked;
    late.stop.abort();
    expect(await done).toMatchObject({ outcome: 'cancelled' });
    expect(late.facts.at(-1)?.type).toBe('run-ended');
  });

  it('records nothing after the end, and allows no late write', async () => {
    let answerLate = (): void => undefined;
    const late = new Promise<void>((resolve) => (answerLate = resolve));
    let reached = (): void => undefined;
    const called = new Promise<void>((resolve) => (reached = resolve));
    const tools = createInMemoryTools({
      'mcp://box.hang': { call: () => (reached(), late.then(() => ok('late'))) },
      'mcp://box.put': { readOnly: false, call: () => ok('stored') },
    });
    const { run, stop, facts, time } = createAgentHarness({ tools });
    const code = 'await tools.box.hang({}); await tools.box.put({}); return { summary: "" };';
    const done = run({ provided: { plan: planOf([scriptNode('one', code)]) }, approve: 'all' });
    await called;
    stop.abort();
    await done;
    answerLate();
    await late;
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    time.advance(1_000);
    expect(facts.at(-1)?.type).toBe('run-ended');
    expect(tools.calls.map(({ uri }) => uri)).not.toContain('mcp://box.put');
  });
});
