import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { createAgentHarness } from '../../testing/agent-harness';
import { forever, planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { runOf } from '../../testing/sample-session';
import { closing } from '../ports/closing';
import { readPriorRun } from './prior-run';

const plan = planOf(
  [
    scriptNode('look', 'return { summary: "looked", state: { ...(await tools.box.get({})) } };'),
    scriptNode(
      'write',
      `const first = await tools.box.put({ n: 1 }); const second = await tools.box.put({ n: 2 });
return { summary: first + ' ' + second };`,
      { deps: ['look'] },
    ),
  ],
  'Done.',
);

/** Reads once, then writes twice; the second write hangs while `hangs` is true. */
function shop() {
  let hangs = true;
  let second = (): void => undefined;
  const reached = new Promise<void>((resolve) => (second = resolve));
  const tools = createInMemoryTools({
    'mcp://box.get': { call: () => ok({ value: 1 }) },
    'mcp://box.put': {
      readOnly: false,
      call: ({ n }) => {
        if (n !== 2 || !hangs) return ok(`put ${JSON.stringify(n)}`);
        second();
        return forever();
      },
    },
  });
  return { tools, reached, repair: () => void (hangs = false) };
}

const written = (tools: ReturnType<typeof shop>['tools']) =>
  tools.calls.filter(({ uri }) => uri === 'mcp://box.put').map(({ args }) => args['n']);

/** A run whose process dies during its second write. */
async function killedInAWrite() {
  const made = shop();
  const harness = createAgentHarness({ tools: made.tools });
  void harness.run({ provided: { plan }, approve: 'all' });
  await made.reached;
  made.repair();
  const { runId } = harness.facts.find((fact) => fact.type === 'run-started') ?? { runId: '' };
  const facts: SessionFact[] = [...harness.facts, { type: 'run-interrupted', turn: 0, runId }];
  return { ...made, facts, runId };
}

describe('resuming a run', () => {
  it('[AGX-unknown-write] is refused while the outcome of a write is unknown', async () => {
    const { tools, facts } = await killedInAWrite();
    const prior = runOf(facts);
    expect(prior.writes.map(({ outcome }) => outcome)).toEqual(['done', 'unknown']);
    const report = await createAgentHarness({ tools }).run({ provided: { prior }, approve: 'all' });
    expect(report).toMatchObject({ outcome: 'failed', error: { kind: 'HOST', code: 'STATE' } });
    expect(written(tools)).toEqual([1, 2]);
  });

  it.each([
    ['happened', 'done', [1, 2], 'put 1 null'],
    ['did not happen', 'failed', [1, 2, 2], 'put 1 put 2'],
  ] as const)('[AGX-resume] never repeats a write that %s', async (_what, outcome, made, summary) => {
    const { tools, facts, runId } = await killedInAWrite();
    const callId = runOf(facts).writes[1]?.callId ?? '';
    const settled: SessionFact = { type: 'write-settled', turn: 0, runId, callId, outcome };
    const again = createAgentHarness({ tools });
    const report = await again.run({ provided: { prior: runOf([...facts, settled]) }, approve: 'all' });
    expect(report.outcome).toBe('done');
    expect(report.runId).toBe(runId);
    expect(report.nodes.map(({ id, status }) => [id, status])).toEqual([
      ['look', 'done'],
      ['approve_write', 'done'],
      ['write', 'done'],
    ]);
    expect(report.nodes.at(-1)?.summary).toBe(summary);
    expect(written(tools)).toEqual(made);
    expect(tools.calls.filter(({ uri }) => uri === 'mcp://box.get')).toHaveLength(1);
    expect(runOf([...facts, settled, ...again.facts]).status).toBe('done');
  });

  it('[AGX-resume] applies an earlier answer to exactly that call, once', async () => {
    const made = shop();
    made.repair();
    const first = createAgentHarness({ tools: made.tools });
    const asked = first.seen('approval-requested');
    void first.run({ provided: { plan }, approve: 'ask' });
    const { approvalId, hash, runId } = await asked;
    const answered = { turn: 0, runId, approvalId, hash, approved: true };
    const facts: SessionFact[] = [
      ...first.facts,
      { type: 'run-interrupted', turn: 0, runId },
      { type: 'approval-answered', ...answered },
    ];
    const again = createAgentHarness({ tools: made.tools });
    const next = again.seen('approval-requested');
    const done = again.run({ provided: { prior: runOf(facts) }, approve: 'ask' });
    const second = await next;
    expect(second.arguments).toEqual({ n: 2 });
    again.agent.answer([{ approvalId: second.approvalId, hash: second.hash, approved: true }]);
    expect((await done).outcome).toBe('done');
    expect(written(made.tools)).toEqual([1, 2]);
  });

  it('[AGX-resume] does not apply an earlier answer to a later stage that uses the id of the step again', async () => {
    const made = shop();
    const first = createAgentHarness({ tools: made.tools });
    const asked = first.seen('approval-requested');
    void first.run({ provided: { plan }, approve: 'ask' });
    const { approvalId, hash, runId } = await asked;
    const about = { turn: 0, runId };
    const answered: SessionFact = {
      type: 'approval-answered',
      ...{ ...about, approvalId, hash, approved: true },
    };
    const planned = first.facts.flatMap((fact) => (fact.type === 'plan-made' ? [fact] : []));
    const interrupted: SessionFact = { type: 'run-interrupted', ...about };
    const answersOf = (more: readonly SessionFact[]) => {
      const prior = readPriorRun(runOf([...first.facts, answered, ...more, interrupted]));
      return prior.ok ? prior.value.writes.get('write')?.answers : prior;
    };
    expect(answersOf([])).toEqual([{ hash, approved: true }]);
    expect(answersOf(planned.map((fact) => ({ ...fact, stage: 2 })))).toEqual([]);
  });

  it('[AGX-from-here] from a node reruns that node and its dependents, and asks again', async () => {
    const made = shop();
    made.repair();
    const first = createAgentHarness({ tools: made.tools });
    await first.run({ provided: { plan }, approve: 'all' });
    const again = createAgentHarness({ tools: made.tools });
    const report = await again.run({
      provided: { prior: runOf(first.facts), from: 'write' },
      approve: 'all',
    });
    expect(report.outcome).toBe('done');
    expect(written(made.tools)).toEqual([1, 2, 1, 2]);
    expect(made.tools.calls.filter(({ uri }) => uri === 'mcp://box.get')).toHaveLength(1);
    expect(again.facts.filter(({ type }) => type === 'approval-requested')).toHaveLength(2);
  });

  it('[AGX-from-here] makes each write of a rerun again when the rerun was interrupted between any two facts', async () => {
    const made = shop();
    made.repair();
    const first = createAgentHarness({ tools: made.tools });
    const { runId } = await first.run({ provided: { plan }, approve: 'all' });
    const rerun = createAgentHarness({ tools: made.tools });
    await rerun.run({ provided: { prior: runOf(first.facts), from: 'write' }, approve: 'all' });
    for (let end = 1; end < rerun.facts.length; end += 1) {
      const facts: SessionFact[] = [...first.facts, ...rerun.facts.slice(0, end)];
      const prior = runOf([...facts, { type: 'run-interrupted', turn: 0, runId }]);
      if (prior.writes.some(({ outcome }) => outcome === 'unknown')) continue;
      const left = shop();
      left.repair();
      const last = createAgentHarness({ tools: left.tools });
      expect(await last.run({ provided: { prior }, approve: 'all' })).toMatchObject({ outcome: 'done' });
      const before = prior.writes.map((one) => (one.arguments as { n: number }).n);
      expect([end, ...before, ...written(left.tools)]).toEqual([end, 1, 2, 1, 2]);
    }
  });

  it('[AGX-close] is possible after Patina ends: the run is interrupted, not cancelled', async () => {
    const made = shop();
    const harness = createAgentHarness({ tools: made.tools });
    const done = harness.run({ provided: { plan }, approve: 'all' });
    await made.reached;
    harness.stop.abort(closing);
    await done;
    expect(harness.facts.at(-1)?.type).toBe('run-interrupted');
    expect(runOf(harness.facts).status).toBe('interrupted');
  });
});
