import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import { createAgentBench } from '../../testing/agent-bench';
import {
  boxBench,
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

  it('are announced before they are made, and recorded at once after', async () => {
    const order: string[] = [];
    const tools = createInMemoryTools({
      'mcp://box.put': { readOnly: false, call: () => (order.push('io'), ok('stored')) },
    });
    const { run, record } = createAgentBench({ tools });
    const report = await run({ given: { plan: put }, approve: 'all' }, (facts) => {
      order.push(...typesOf(facts));
      return record(facts);
    });
    expect(report.outcome).toBe('done');
    expect(order.indexOf('write-intended')).toBeLessThan(order.indexOf('io'));
    expect(order.slice(order.indexOf('io'), order.indexOf('io') + 2)).toEqual(['io', 'tool-called']);
  });

  it('are not made when nobody approves them', async () => {
    const tools = createInMemoryTools(boxTools);
    const report = await createAgentBench({ tools }).run({ given: { plan: put }, approve: 'none' });
    expect(report.error).toMatchObject({ kind: 'POLICY', code: 'APPROVAL_DENIED', layer: 'approval' });
    expect(tools.calls).toEqual([]);
  });

  it('wait for the answer that names their id and hash, which serves one call', async () => {
    const tools = createInMemoryTools(boxTools);
    const { run, agent, seen, facts } = createAgentBench({ tools });
    const twice = planOf([
      scriptNode('write', 'await tools.box.put({}); await tools.box.put({}); return { summary: "" };'),
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
    const tools = createInMemoryTools(boxTools);
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
    const { run, stop, seen, facts } = boxBench();
    const reached = seen(fact);
    const given = planOf([
      scriptNode('one', code),
      scriptNode('two', 'return { summary: "" };', { deps: ['one'] }),
    ]);
    const done = run({ given: { plan: given }, approve: 'ask' });
    await reached;
    stop.abort();
    const report = await done;
    expect(report).toMatchObject({ outcome: 'cancelled', error: { kind: 'HOST', code: 'CANCELLED' } });
    expect(report.nodes.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(facts.at(-1)).toMatchObject({ type: 'run-ended', outcome: 'cancelled' });
  });

  it('works before it began, and while the servers never start', async () => {
    const early = boxBench();
    early.stop.abort();
    expect(await early.run({ given: { plan: twoSteps } })).toMatchObject({ outcome: 'cancelled' });
    const tools = createInMemoryTools(boxTools);
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

  it('records nothing after the end, and lets no late write through', async () => {
    let answerLate = (): void => undefined;
    const late = new Promise<void>((resolve) => (answerLate = resolve));
    let reached = (): void => undefined;
    const called = new Promise<void>((resolve) => (reached = resolve));
    const tools = createInMemoryTools({
      'mcp://box.hang': { call: () => (reached(), late.then(() => ok('late'))) },
      'mcp://box.put': { readOnly: false, call: () => ok('stored') },
    });
    const { run, stop, facts, time } = createAgentBench({ tools });
    const code = 'await tools.box.hang({}); await tools.box.put({}); return { summary: "" };';
    const done = run({ given: { plan: planOf([scriptNode('one', code)]) }, approve: 'all' });
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
