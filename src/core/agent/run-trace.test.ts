import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import type { ModelPrice, Usage } from '#shared/model';
import type { SessionFact } from '#shared/session-event';
import { modelSpan, traceOf, type TimedFact, type TracedRun } from './run-trace';

const secret = 'correct horse battery';
const error = appError('TOOL', 'FAILED', `Failed with ${secret}.`);
const model = { providerId: 'local', model: 'small' };
const price = { input: 1_000_000, output: 2_000_000 } as unknown as ModelPrice;

const fact = (at: number, type: SessionFact['type'], more: object = {}): TimedFact => ({
  at,
  fact: { type, turn: 0, runId: 'r', ...more } as unknown as SessionFact,
});
const planMade = (at: number, ids: readonly string[], more: object = {}) =>
  fact(at, 'plan-made', {
    ...{ source: 'model', plan: { nodes: ids.map((id) => ({ id, kind: 'script' })) } },
    ...more,
  });
const started = (at: number, nodeId: string) => fact(at, 'node-started', { nodeId });
const ended = (at: number, nodeId: string, more: object = {}) =>
  fact(at, 'node-ended', { nodeId, status: 'done', cached: false, ...more });
const called = (at: number, nodeId: string, more: object = {}) =>
  fact(at, 'tool-called', {
    nodeId,
    call: { callId: 'c', tool: 'mcp://box.get', outcome: 'done', ms: 2, bytes: 3, ...more },
  });
const usage = (inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage => ({
  ...{ modelTurns: 1, inputTokens, outputTokens },
  ...more,
});
const modelCalled = (at: number, more: object = {}) =>
  fact(at, 'model-called', { part: 'plan', model, usage: usage(10, 5), ms: 4, ...more });

const traced = (facts: readonly TimedFact[], more: Partial<TracedRun> = {}): TracedRun => ({
  ...{ goal: `Use ${secret}`, startedAt: 1, endedAt: 99, facts, secrets: [secret] },
  report: { runId: 'r', usage: usage(7, 8), outcome: 'done', nodes: [1, 2] },
  ...more,
});
const runValues = (facts: readonly TimedFact[], more: Partial<TracedRun> = {}) =>
  traceOf(traced(facts, more), false).run.values;

describe('[TEL-run-summary] the span of a run', () => {
  it('says what the run was, without the secrets of the machine', () => {
    const { run, nodes } = traceOf(traced([]), false);
    expect(nodes).toEqual([]);
    expect(run).toStrictEqual({
      ...{ name: 'run', startedAt: 1, endedAt: 99, moments: [] },
      values: {
        'patina.run.id': 'r',
        'patina.run.outcome': 'done',
        'patina.trace.full': false,
        'patina.goal': 'Use [key]',
        'patina.nodes': 2,
        'patina.model_turns': 1,
        'patina.replans': 0,
        'gen_ai.usage.input_tokens': 7,
        'gen_ai.usage.output_tokens': 8,
        'patina.tool_calls': 0,
        'patina.policy.refused': [],
        'patina.policy.refused_count': 0,
        'patina.approvals.given': 0,
        'patina.approvals.denied': 0,
      },
    });
  });

  it('has its plan, its hashes and its failure where there are any', () => {
    const report = {
      ...traced([]).report,
      planHash: 'p',
      summaryHash: 's',
      error,
      outcome: 'failed' as const,
    };
    const { run } = traceOf(traced([planMade(1, [])], { report }), false);
    expect(run.failure).toBe('Failed with [key].');
    expect(run.values).toMatchObject({
      ...{ 'patina.plan.hash': 'p', 'patina.summary.hash': 's', 'patina.plan.source': 'model' },
      ...{ 'error.type': 'TOOL/FAILED', 'patina.trace.full': true },
    });
  });

  it('counts calls, refusals and answers', () => {
    const refused = (tool: string) => ({ tool, error: { ...error, layer: 'grant' } });
    const values = runValues([
      called(1, 'a'),
      called(2, 'a', refused('mcp://box.put')),
      called(3, 'a', refused('mcp://box.put')),
      called(4, 'a', { error }),
      fact(5, 'approval-answered', { approvalId: '1', approved: true }),
      fact(6, 'approval-answered', { approvalId: '2', approved: false }),
      fact(7, 'approval-answered', { approvalId: '3', approved: false }),
    ]);
    expect(values).toMatchObject({
      'patina.tool_calls': 4,
      'patina.policy.refused': ['mcp://box.put: grant TOOL/FAILED'],
      'patina.policy.refused_count': 2,
      'patina.approvals.given': 1,
      'patina.approvals.denied': 2,
    });
  });

  it('counts as replans the stages after one that the model did not want to read', () => {
    const look = { look: true };
    expect(runValues([planMade(1, []), planMade(2, [], look), planMade(3, [])])).toMatchObject({
      'patina.replans': 1,
    });
    expect(runValues([planMade(1, [], look), planMade(2, [], look)])).toMatchObject({ 'patina.replans': 0 });
  });

  it('has the cost of its model calls only where the price of each is known', () => {
    const other = { model: { providerId: 'local', model: 'other' } };
    const priceOf = ({ model: name }: { readonly model: string }) => (name === 'small' ? price : null);
    const cost = (facts: readonly TimedFact[], known: TracedRun['priceOf'] = priceOf) =>
      runValues(facts, { priceOf: known })['patina.cost_usd'];
    const one = cost([modelCalled(1)]);
    expect(one).toBeGreaterThan(0);
    expect(cost([modelCalled(1), modelCalled(2)])).toBe(2 * Number(one));
    expect(cost([modelCalled(1), modelCalled(2, other)])).toBeUndefined();
    expect(cost([modelCalled(1), modelCalled(2, { ...other, usage: usage(0, 0, { modelTurns: 0 }) })])).toBe(
      one,
    );
    expect(cost([])).toBeUndefined();
    expect(runValues([modelCalled(1)])).not.toHaveProperty(['patina.cost_usd']);
  });
});

describe('[TEL-span-per-node] the spans of the nodes', () => {
  const spans = (facts: readonly TimedFact[], outcome: TracedRun['report']['outcome'] = 'done') =>
    traceOf(traced(facts, { report: { ...traced([]).report, outcome } }), outcome === 'done').nodes;

  it('are left out of a run that succeeded and is not sampled', () => {
    const facts = [planMade(1, ['a']), started(2, 'a'), ended(3, 'a')];
    expect(traceOf(traced(facts), false).nodes).toEqual([]);
    expect(traceOf(traced(facts), true).nodes).toHaveLength(1);
    expect(spans(facts, 'interrupted')).toHaveLength(1);
  });

  it('have what happened in a node, in order', () => {
    const metrics = { cpu_ms: 1, mem_mb: 2, wall_ms: 3 };
    const refused = { error: { ...error, layer: 'grant' }, outcome: 'failed', allowedBy: 'g' };
    const [span, ...others] = spans([
      planMade(1, ['a', 'b']),
      started(10, 'a'),
      called(11, 'a'),
      called(12, 'a', refused),
      fact(13, 'approval-requested', { nodeId: 'a', approvalId: '1', tool: 'mcp://box.put' }),
      fact(14, 'approval-answered', { approvalId: '1', approved: false }),
      fact(15, 'approval-answered', { approvalId: 'other', approved: true }),
      fact(16, 'attempt-failed', { nodeId: 'a', error, waitMs: 5 }),
      started(17, 'a'),
      called(18, 'b'),
      ended(20, 'a', { status: 'failed', error, metrics, usage: usage(1, 2) }),
      ended(21, 'b', { cached: true }),
    ]);
    expect(others).toEqual([]);
    const call = { 'patina.tool': 'mcp://box.get', 'patina.ms': 2, 'patina.bytes': 3 };
    expect(span).toStrictEqual({
      ...{ name: 'node a', startedAt: 10, endedAt: 20, failure: 'Failed with [key].' },
      moments: [
        { name: 'tool call', at: 11, values: { ...call, 'patina.outcome': 'done' } },
        {
          name: 'tool call',
          at: 12,
          values: {
            ...call,
            'patina.outcome': 'failed',
            'error.type': 'TOOL/FAILED',
            'patina.refused_by': 'grant',
            'patina.standing_yes': true,
          },
        },
        {
          name: 'approval asked',
          at: 13,
          values: { 'patina.tool': 'mcp://box.put', 'patina.approval': '1' },
        },
        { name: 'approval answered', at: 14, values: { 'patina.approval': '1', 'patina.approved': false } },
        { name: 'attempt failed', at: 16, values: { 'error.type': 'TOOL/FAILED', 'patina.wait_ms': 5 } },
      ],
      values: {
        'patina.node.id': 'a',
        'patina.node.kind': 'script',
        'patina.node.status': 'failed',
        'patina.node.cached': false,
        'patina.tool_calls': 2,
        'patina.attempts': 2,
        'patina.cpu_ms': 1,
        'patina.mem_mb': 2,
        'patina.wall_ms': 3,
        'gen_ai.usage.input_tokens': 1,
        'gen_ai.usage.output_tokens': 2,
        'error.type': 'TOOL/FAILED',
      },
    });
  });

  it('are cut off with the run where a node did not end', () => {
    const [span] = spans([started(10, 'a')]);
    expect(span).toMatchObject({
      ...{ name: 'node a', endedAt: 99 },
      values: { 'patina.node.kind': '', 'patina.node.status': 'cancelled', 'patina.node.cached': false },
    });
    expect(span).not.toHaveProperty('failure');
    expect(span?.values).not.toHaveProperty(['patina.cpu_ms']);
  });

  it('have 200 moments, and count further calls', () => {
    const calls = Array.from({ length: 201 }, (_, at) => called(20 + at, 'a'));
    const [span] = spans([started(10, 'a'), ...calls, ended(300, 'a')]);
    expect(span?.moments).toHaveLength(200);
    expect(span?.values).toMatchObject({ 'patina.tool_calls': 201 });
  });

  it('know the kind of a node from a revised plan too', () => {
    const plan = { nodes: [{ id: 'a', kind: 'llm' }] };
    const [span] = spans([planMade(1, ['b']), fact(2, 'plan-revised', { plan }), started(3, 'a')]);
    expect(span?.values).toMatchObject({ 'patina.node.kind': 'llm' });
  });
});

describe('[TEL-model-span] the span of a model call', () => {
  const spanOf = (more: object = {}, priceOf?: TracedRun['priceOf']) =>
    modelSpan(modelCalled(20, more) as Parameters<typeof modelSpan>[0], { secrets: [secret], priceOf });

  it('says what was called and used', () => {
    expect(spanOf()).toStrictEqual({
      ...{ name: 'model plan', startedAt: 16, endedAt: 20, moments: [] },
      values: {
        'patina.part': 'plan',
        'gen_ai.request.model': 'small',
        'gen_ai.provider.name': 'local',
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
        'patina.ms': 4,
        'patina.attempts': 1,
      },
    });
    expect(traceOf(traced([modelCalled(20)]), true).nodes).toEqual([spanOf()]);
  });

  it('has an event for each attempt that was refused for now', () => {
    const failedAttempts = [
      { ms: 1, failure: 'LLM/RATE_LIMITED', waitMs: 2 },
      { ms: 3, failure: 'LLM/UNAVAILABLE', waitMs: 0 },
    ];
    const { moments, values } = spanOf({ failedAttempts });
    expect(values).toMatchObject({ 'patina.attempts': 3 });
    expect(moments).toEqual([
      {
        name: 'attempt failed',
        at: 17,
        values: { 'error.type': 'LLM/RATE_LIMITED', 'patina.wait_ms': 2 },
      },
      { name: 'attempt failed', at: 19, values: { 'error.type': 'LLM/UNAVAILABLE', 'patina.wait_ms': 0 } },
    ]);
  });

  it('has what else is known, and no secret in a name', () => {
    const more = {
      ...{ nodeId: 'a', firstMs: 2, failure: 'LLM/RATE_LIMITED' },
      model: { providerId: `p ${secret}`, model: `m ${secret}` },
      usage: usage(10, 5, { cachedTokens: 3, estimated: true }),
    };
    const span = spanOf(more, () => price);
    expect(span.failure).toBe('LLM/RATE_LIMITED');
    expect(span.values).toMatchObject({
      'gen_ai.request.model': 'm [key]',
      'gen_ai.provider.name': 'p [key]',
      'patina.cost_usd': expect.any(Number) as number,
      'gen_ai.usage.cache_read.input_tokens': 3,
      'patina.usage.estimated': true,
      'patina.first_token_ms': 2,
      'patina.node.id': 'a',
      'error.type': 'LLM/RATE_LIMITED',
    });
    expect(spanOf({}, () => null).values).not.toHaveProperty(['patina.cost_usd']);
  });
});
