import { describe, expect, it } from 'vitest';
import type { SessionEvent, SessionFact } from '#shared/session-event';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { interruptedTrace } from './interrupted-trace';

const runId = 'run-1';
const place = { turn: 0, runId };
const plan = planOf([scriptNode('read', 'return 1;'), scriptNode('write', 'return 2;')]);
const usage = { modelTurns: 1, inputTokens: 10, outputTokens: 5 };
const facts: readonly SessionFact[] = [
  { type: 'run-started', ...place, goal: 'Use sk-live-0123456789abcdef' },
  { type: 'plan-made', ...place, plan, planHash: 'hash', source: 'model', usage },
  { type: 'node-started', ...place, nodeId: 'read' },
  { type: 'node-ended', ...place, nodeId: 'read', status: 'done', summary: '', cached: false, usage },
  { type: 'node-started', ...place, nodeId: 'write' },
  { type: 'node-started', ...place, runId: 'another', nodeId: 'other' },
];
const events = (all: readonly SessionFact[]): readonly SessionEvent[] =>
  all.map((fact, index) => ({ sessionId: 's', seq: index + 1, at: 1_000 + index, v: 1, ...fact }));

describe('[TEL-interrupted] the trace of a run whose process died', () => {
  it('has a summary and its nodes; running nodes end at their last event', () => {
    const trace = interruptedTrace(events(facts), runId, []);
    expect(trace?.run).toMatchObject({ startedAt: 1_000, endedAt: 1_004 });
    expect(trace?.run.values).toMatchObject({
      'patina.run.outcome': 'interrupted',
      'patina.goal': 'Use [key]',
      'patina.plan.hash': 'hash',
      'patina.model_turns': 2,
      'gen_ai.usage.input_tokens': 20,
    });
    expect(trace?.nodes.map(({ name, values }) => [name, values['patina.node.status']])).toEqual([
      ['node read', 'done'],
      ['node write', 'cancelled'],
    ]);
  });

  it('[TEL-model-span] [TEL-cost] counts each model call once, with its span, and not again in the totals of steps', () => {
    const model = { providerId: 'p', model: '/home/ada/models/small.gguf' };
    const call = { type: 'model-called' as const, ...place, model, usage, ms: 2, firstMs: 1 };
    const called: readonly SessionFact[] = [
      ...facts,
      { ...call, part: 'plan' },
      { ...call, part: 'node', nodeId: 'write', failure: 'LLM/UNAVAILABLE' },
    ];
    const million = { input: 1e6, output: 0 };
    const trace = interruptedTrace(events(called), runId, [], () => million);
    expect(trace?.run.values).toMatchObject({
      'patina.model_turns': 2,
      'gen_ai.usage.input_tokens': 20,
      'patina.cost_usd': 20,
    });
    const spans = trace?.nodes.filter(({ name }) => name.startsWith('model '));
    expect(spans).toMatchObject([
      { name: 'model plan', startedAt: 1_004, endedAt: 1_006, values: { 'patina.first_token_ms': 1 } },
      { name: 'model node', values: { 'patina.node.id': 'write' }, failure: 'LLM/UNAVAILABLE' },
    ]);
    expect(JSON.stringify(trace)).not.toContain('ada');
  });

  it('begins where the run last resumed', () => {
    const resumed: readonly SessionFact[] = [
      ...facts,
      { type: 'run-interrupted', ...place },
      { type: 'run-resumed', ...place, kept: ['read'] },
      { type: 'node-started', ...place, nodeId: 'write' },
    ];
    const trace = interruptedTrace(events(resumed), runId, []);
    expect(trace?.run).toMatchObject({ startedAt: 1_007, endedAt: 1_008 });
    expect(trace?.nodes.map(({ name }) => name)).toEqual(['node write']);
    expect(trace?.run.values['patina.model_turns']).toBe(0);
  });

  it('has no nodes and no plan before there was one', () => {
    const trace = interruptedTrace(events(facts.slice(0, 1)), runId, []);
    expect(trace).toMatchObject({ nodes: [], run: { startedAt: 1_000, endedAt: 1_000 } });
    expect(trace?.run.values).not.toHaveProperty('patina.plan.hash');
    expect(trace?.run.values['patina.model_turns']).toBe(0);
  });

  it('has the last plan of the run', () => {
    const replanned: readonly SessionFact[] = [
      ...facts,
      { type: 'plan-made', ...place, plan, planHash: 'second', source: 'model' },
      { type: 'plan-made', turn: 0, runId: 'another', plan, planHash: 'other', source: 'model' },
    ];
    expect(interruptedTrace(events(replanned), runId, [])?.run.values['patina.plan.hash']).toBe('second');
  });

  it('does not exist without such a run', () => {
    expect(interruptedTrace(events(facts), 'nobody', [])).toBeNull();
    expect(interruptedTrace(events(facts.slice(1)), runId, [])).toBeNull();
    expect(interruptedTrace([], runId, [])).toBeNull();
  });
});
