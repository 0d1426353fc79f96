import { describe, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { Json } from '#shared/json';
import type { SessionFact } from '#shared/session-event';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { forever, planOf, scriptNode } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { runOf } from '../../testing/sample-session';

const late = appError('TOOL', 'TIMEOUT', 'Too late.', { retryable: true, outcome: 'unknown' });
const gone = appError('TOOL', 'UNAVAILABLE', 'It exited.', { retryable: true, outcome: 'unknown' });
const refused = appError('TOOL', 'UNAVAILABLE', 'Nothing answers.', { retryable: true });

/** A shop whose first write ends with this result, and whose later writes succeed. */
function shop(first: Result<Json> | Promise<Result<Json>>) {
  let count = 0;
  return createInMemoryTools({
    'mcp://box.get': { call: () => ok({ value: 1 }) },
    'mcp://box.put': { readOnly: false, call: () => ((count += 1) === 1 ? first : ok('stored')) },
  });
}

const written = (tools: ReturnType<typeof shop>) =>
  tools.calls.filter(({ uri }) => uri === 'mcp://box.put').map(({ args }) => args['n']);

const putting = (code: string, more: object = {}) =>
  planOf([scriptNode('write', code, { tools: ['mcp://box.put', 'mcp://box.get'], ...more })]);
const once = putting('return { summary: await tools.box.put({ n: 1 }) };', { idempotent: true });

function createHarness(tools: ReturnType<typeof shop>, more: Partial<AgentHarnessOptions> = {}) {
  return createAgentHarness({ tools, budgets: { run: { replans: 1 } }, ...more });
}

const submit = (value: unknown) => [
  {
    type: 'tool-call' as const,
    call: { id: 'c', name: 'submit_plan', argumentsJson: JSON.stringify(value) },
  },
  { type: 'end' as const, inputTokens: 100, outputTokens: 50 },
];

describe('a write with an unknown outcome', () => {
  it.each([
    ['was too slow', late],
    ['lost its server', gone],
  ])('[AGX-unseen] because it %s is neither retried nor planned around', async (_what, error) => {
    const tools = shop(err(error));
    const harness = createHarness(tools, { replies: [submit(once), submit(once)] });
    const report = await harness.run({ approve: 'all' });
    expect(report).toMatchObject({ outcome: 'failed', error: { code: error.code, outcome: 'unknown' } });
    expect(report.error?.message).toContain('Whether it happened is unknown.');
    expect(harness.requests).toHaveLength(1);
    expect(written(tools)).toEqual([1]);
    const run = runOf(harness.facts);
    expect(run.writes).toMatchObject([{ outcome: 'unknown' }]);
    expect(run.nodes.at(-1)?.calls).toMatchObject([{ outcome: 'unknown' }]);
    // The write was approved; only its outcome is unknown, and the answer leaves that to the error.
    expect(report.nodes.map(({ id, status }) => [id, status])).toEqual([
      ['approve_write', 'done'],
      ['write', 'failed'],
    ]);
    expect(report.answer).not.toContain('Whether it happened');
  });

  it('[AGX-unseen] pauses the run until the user states the outcome, also for a run from one of its nodes', async () => {
    const tools = shop(err(late));
    const first = createHarness(tools);
    const { runId } = await first.run({ provided: { plan: once }, approve: 'all' });
    for (const from of [undefined, 'write']) {
      const provided = { prior: runOf(first.facts), ...(from !== undefined && { from }) };
      const held = await createHarness(tools).run({ provided, approve: 'all' });
      expect(held).toMatchObject({ outcome: 'failed', error: { kind: 'HOST', code: 'STATE' } });
    }
    expect(written(tools)).toEqual([1]);
    const callId = runOf(first.facts).writes[0]?.callId ?? '';
    const settled: SessionFact = { type: 'write-settled', turn: 0, runId, callId, outcome: 'failed' };
    const prior = runOf([...first.facts, settled]);
    expect((await createHarness(tools).run({ provided: { prior }, approve: 'all' })).outcome).toBe('done');
    expect(written(tools)).toEqual([1, 1]);
  });

  it('[AGX-unseen] is not repeated by a script that retries, whoever approves', async () => {
    const code = `for (const _ of [1, 2, 3]) {
  try { return { summary: await tools.box.put({ n: 1 }) }; } catch (error) { log(error.code); }
}
return { summary: 'gave up' };`;
    const tools = shop(err(late));
    const harness = createHarness(tools);
    const report = await harness.run({ provided: { plan: putting(code) }, approve: 'all' });
    expect(report.nodes.at(-1)).toMatchObject({ status: 'done', summary: 'gave up' });
    expect(written(tools)).toEqual([1]);
    expect(runOf(harness.facts).writes.map(({ outcome }) => outcome)).toEqual(['unknown']);
  });

  it('[AGX-unseen] is one still in progress when a budget ends its step', async () => {
    const code = `const put = tools.box.put({ n: 1 });
for (const n of [1, 2]) await tools.box.get({ n });
return { summary: await put };`;
    let reached = (): void => undefined;
    const underWay = new Promise<void>((resolve) => (reached = resolve));
    const tools = createInMemoryTools({
      'mcp://box.get': { call: () => underWay.then(() => ok({})) },
      'mcp://box.put': { readOnly: false, call: () => (reached(), forever()) },
    });
    const plan = putting(code, { budgets: { tool_calls: 2 } });
    const harness = createHarness(tools, { replies: [submit(plan), submit(plan)] });
    const report = await harness.run({ approve: 'all' });
    expect(report.error).toMatchObject({ kind: 'BUDGET', code: 'TOOL_CALLS' });
    expect(harness.requests).toHaveLength(1);
    expect(runOf(harness.facts).writes).toMatchObject([{ outcome: 'unknown' }]);
  });

  it('[AGX-unseen] is one that the user stops halfway', async () => {
    const tools = shop(forever());
    const harness = createHarness(tools);
    const intended = harness.seen('write-intended');
    const done = harness.run({ provided: { plan: once }, approve: 'all' });
    await intended;
    harness.stop.abort();
    expect((await done).outcome).toBe('cancelled');
    expect(runOf(harness.facts).writes).toMatchObject([{ outcome: 'unknown' }]);
  });
});

describe('a write that was never sent', () => {
  it('[AGX-unseen] failed, and is retried by a step that may retry', async () => {
    const tools = shop(err(refused));
    const harness = createHarness(tools);
    expect((await harness.run({ provided: { plan: once }, approve: 'all' })).outcome).toBe('done');
    expect(written(tools)).toEqual([1, 1]);
    expect(runOf(harness.facts).writes.map(({ outcome }) => outcome)).toEqual(['failed', 'done']);
  });
});
