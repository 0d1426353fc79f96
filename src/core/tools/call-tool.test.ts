import { describe, expect, it } from 'vitest';
import { Capabilities } from '#shared/capabilities';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { createManualClock } from '../../testing/manual-clock';
import { createApprovalBatcher, createApprovals } from './approvals';
import { createSlots, toolsByName, type CallScope } from './call-scope';
import { createToolCalls } from './call-tool';
import { createFactBuffer } from './fact-buffer';
import { createRunWrites } from './node-writes';
import { createTaintTracker } from './taint-tracker';
import { createSchemaCheck } from './schema-check';

async function setUp(tools: ReturnType<typeof createInMemoryTools>, more: Partial<CallScope> = {}) {
  const time = createManualClock();
  const commits: (readonly SessionFact[])[] = [];
  let next = 0;
  const ids = { next: (prefix: string) => `${prefix}_${(next += 1)}` };
  const { clock } = time;
  const calls = createToolCalls({
    clock,
    ids,
    checkSchema: createSchemaCheck(),
    servers: () => Promise.resolve({ tools: tools.tools }),
  });
  const facts = createFactBuffer(
    clock,
    (batch) => commits.push(batch) > 0,
    () => undefined,
  );
  const listing = await calls.list('/srv/project');
  if (!listing.ok) throw new Error(listing.error.message);
  const onWaiting = () => () => undefined;
  let attempts = 0;
  const scope: CallScope = {
    actor: 'script',
    sessionId: null,
    turn: 0,
    project: '/srv/project',
    tools: toolsByName(listing.value),
    declared: ['mcp://box.get'],
    lists: {},
    capabilities: Capabilities.parse({ allow: ['mcp://box.*'] }),
    approve: 'none',
    approvals: createApprovalBatcher({
      clock,
      ids,
      facts,
      onWaiting,
      approvals: createApprovals(),
      approve: 'none',
    }),
    recorder: {
      turn: 0,
      runId: 'run_1',
      nodeId: 'a',
      facts,
      origins: createTaintTracker([]),
      writes: createRunWrites().attempt('unit'),
    },
    budget: {
      callsLeft: () => ({ inNode: 100 - attempts, inRun: 100 }),
      onAttempt: () => void (attempts += 1),
      onBreach: () => undefined,
      onWaiting,
      acquireSlot: createSlots(),
    },
    ...more,
  };
  const call = async (tool: string, args = {}) =>
    (await calls.callTool(scope, { tool, arguments: args }, new AbortController().signal)).result;
  return { call, commits, time, facts };
}

const quick = () =>
  createInMemoryTools({
    'mcp://box.get': { call: () => ok('x') },
    'mcp://box.other': { call: () => ok('y') },
  });

describe('tools/call', () => {
  it('writes the records of reads in batches, in the order in which they ended', async () => {
    const { call, commits, time } = await setUp(quick());
    await call('mcp://box.get', { n: 1 });
    await call('mcp://box.get', { n: 2 });
    expect(commits).toEqual([]);
    time.advance(100);
    expect(commits).toHaveLength(1);
    expect(commits[0]?.map((fact) => fact.type === 'tool-called' && fact.call.argumentsPreview)).toEqual([
      '{"n":1}',
      '{"n":2}',
    ]);
  });

  it('records waiting facts before a fact that is recorded at once', async () => {
    const { call, commits, facts } = await setUp(quick());
    await call('mcp://box.get');
    facts.record([{ type: 'node-started', turn: 0, runId: 'run_1', nodeId: 'b' }]);
    expect(commits.map((batch) => batch.map(({ type }) => type))).toEqual([['tool-called', 'node-started']]);
  });

  it('does not reach a tool that the step does not declare, and records the refusal [H30]', async () => {
    const tools = quick();
    const { call, facts, commits } = await setUp(tools);
    expect(await call('mcp://box.other')).toMatchObject({
      error: { code: 'CAPABILITY_DENIED', layer: 'binding' },
    });
    expect(await call('mcp://box.gte')).toMatchObject({ error: { code: 'NOT_FOUND' } });
    facts.flush();
    expect(tools.calls).toEqual([]);
    expect(commits[0]).toMatchObject([{ call: { outcome: 'failed' } }, { call: { outcome: 'failed' } }]);
  });

  it('runs at most 32 calls of a node at once', async () => {
    let open = 0;
    let most = 0;
    const release: (() => void)[] = [];
    const tools = createInMemoryTools({
      'mcp://box.get': {
        call: async () => {
          most = Math.max(most, (open += 1));
          await new Promise<void>((resolve) => release.push(resolve));
          open -= 1;
          return ok('x');
        },
      },
    });
    const { call } = await setUp(tools);
    const all = Array.from({ length: 70 }, () => call('mcp://box.get'));
    let ended = false;
    const done = Promise.all(all).then(() => (ended = true));
    while (!ended) {
      release.shift()?.();
      await Promise.resolve();
    }
    await done;
    expect(most).toBe(32);
    expect(tools.calls).toHaveLength(70);
  });

  it('[CFG-rate] enforces a rate over a moving minute', async () => {
    const capabilities = Capabilities.parse({ allow: ['mcp://box.*'], rateLimits: { 'mcp://box.get': 2 } });
    const { call, time } = await setUp(quick(), { capabilities });
    await call('mcp://box.get');
    time.advance(30_000);
    await call('mcp://box.get');
    expect(await call('mcp://box.get')).toMatchObject({
      error: { code: 'RATE_LIMITED', retryAfterMs: 30_000 },
    });
    time.advance(30_000);
    expect((await call('mcp://box.get')).ok).toBe(true);
    expect((await call('mcp://box.get')).ok).toBe(false);
  });

  it('[AGP-rate-queue] refuses a call whose rate was used up while it waited in the queue', async () => {
    const release: (() => void)[] = [];
    const tools = createInMemoryTools({
      'mcp://box.get': { call: () => new Promise((resolve) => release.push(() => resolve(ok('x')))) },
    });
    const capabilities = Capabilities.parse({ allow: ['mcp://box.*'], rateLimits: { 'mcp://box.get': 32 } });
    const { call } = await setUp(tools, { capabilities });
    const all = Array.from({ length: 33 }, () => call('mcp://box.get'));
    while (release.length < 32) await Promise.resolve();
    for (const one of release) one();
    const results = await Promise.all(all);
    expect(results.at(-1)).toMatchObject({ error: { code: 'RATE_LIMITED', layer: 'rate' } });
    expect(tools.calls).toHaveLength(32);
  });

  it.each([[[1]], ['text'], [7]])('refuses arguments that are not an object: %j', async (args) => {
    const tools = quick();
    const { call } = await setUp(tools);
    expect(await call('mcp://box.get', args as never)).toMatchObject({
      error: { code: 'INVALID_ARGUMENTS' },
    });
    expect(tools.calls).toEqual([]);
  });
});
