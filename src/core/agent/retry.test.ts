import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appError, type AppError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { turnAt } from '#shared/session-state';
import { createAgentHarness, type AgentHarnessOptions } from '../../testing/agent-harness';
import { planOf, scriptNode, typesOf } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';
import { startMain } from '../../testing/main-harness';
import { sampleModel, sessionOf } from '../../testing/sample-session';
import { openPeerBehind } from '../../testing/mcp-peers/open-peers';
import { calls, text } from '../../testing/workflow-harness';

const busy = appError('TOOL', 'UNAVAILABLE', 'The box is busy.', { retryable: true });

/** A box that fails the given number of times; `put` writes. */
function flakyBox(failures: number, error: AppError = busy) {
  let left = failures;
  const answer = () => (left-- > 0 ? err(error) : ok('here'));
  return createInMemoryTools({
    'mcp://box.get': { call: answer },
    'mcp://box.put': { readOnly: false, call: () => ok('stored') },
    'mcp://box.set': { readOnly: false, call: answer },
  });
}

const get = 'const got = await tools.box.get({}); return { summary: "got", state: { got } };';
const oneStep = (code: string, more: object = {}) => planOf([scriptNode('a', code, more)]);

function harness(tools: ReturnType<typeof flakyBox>, more: Partial<AgentHarnessOptions> = {}) {
  const harness = createAgentHarness({ tools, ...more });
  const made = (uri: string): number => tools.calls.filter((call) => call.uri === uri).length;
  return { ...harness, made };
}

describe('a failed step', () => {
  it('[EXE-retry-read] is retried once without a model if it only read and the failure is temporary', async () => {
    const { run, facts, requests } = harness(flakyBox(1));
    const report = await run({ provided: { plan: oneStep(get) } });
    expect(report).toMatchObject({ outcome: 'done', nodes: [{ status: 'done', attempts: 2 }] });
    expect(requests).toEqual([]);
    expect(typesOf(facts).filter((type) => /^(node-|attempt-|tool-)/.test(type))).toEqual([
      ...['node-started', 'tool-called', 'attempt-failed', 'node-started', 'tool-called', 'node-ended'],
    ]);
    expect(facts.find((fact) => fact.type === 'attempt-failed')).toMatchObject({ error: busy, waitMs: 0 });
  });

  it('[EXE-retry-once] is not retried twice', async () => {
    const { run, made } = harness(flakyBox(2));
    const report = await run({ provided: { plan: oneStep(get) } });
    expect(report).toMatchObject({ outcome: 'failed', error: { code: 'UNAVAILABLE', node: 'a' } });
    expect(made('mcp://box.get')).toBe(2);
  });

  it.each([
    ['after a write that was made', `await tools.box.put({}); ${get}`, 1, 'mcp://box.get'],
    ['when the write itself failed', 'await tools.box.set({}); return { summary: "" };', 1, 'mcp://box.set'],
  ])(
    '[EXE-retry-write] is not retried %s, unless it declares itself idempotent',
    async (_when, code, count, uri) => {
      const silent = harness(flakyBox(1));
      const report = await silent.run({ approve: 'all', provided: { plan: oneStep(code) } });
      expect([report.outcome, silent.made(uri)]).toEqual([
        uri === 'mcp://box.get' ? 'partial' : 'failed',
        count,
      ]);
      const said = harness(flakyBox(1));
      const plan = oneStep(code, { idempotent: true });
      expect(await said.run({ approve: 'all', provided: { plan } })).toMatchObject({ outcome: 'done' });
      expect([said.made(uri), said.made('mcp://box.put')]).toEqual([2, uri === 'mcp://box.get' ? 1 : 0]);
    },
  );

  it('[EXE-retry-write] is not retried after a denied write: nobody is asked twice', async () => {
    const code = `try { await tools.box.put({}); } catch {} ${get}`;
    const { run, made } = harness(flakyBox(1));
    expect(await run({ approve: 'none', provided: { plan: oneStep(code) } })).toMatchObject({
      outcome: 'failed',
    });
    expect(made('mcp://box.get')).toBe(1);
  });

  it.each(['NOT_FOUND', 'INVALID_ARGUMENTS'] as const)(
    '[EXE-never-retried] is not retried after %s, whatever the step and its failure declare',
    async (code) => {
      const { run, made } = harness(flakyBox(1, appError('TOOL', code, 'No.', { retryable: true })));
      const report = await run({ provided: { plan: oneStep(get, { idempotent: true }) } });
      expect([report.outcome, made('mcp://box.get')]).toEqual(['failed', 1]);
    },
  );

  it('[EXE-retry-read] is not retried when the failure is permanent', async () => {
    const { run, made } = harness(flakyBox(1, appError('TOOL', 'FAILED', 'The box is shut.')));
    await run({ provided: { plan: oneStep(get) } });
    expect(made('mcp://box.get')).toBe(1);
  });
});

describe('a step whose failure says when to retry', () => {
  const inAMinute: AppError = { ...busy, retryAfterMs: 60_000 };

  it('[EXE-retry-wait] waits that long and is shown as waiting', async () => {
    const { run, seen, time, facts, made } = harness(flakyBox(1, inAMinute), {
      budgets: { run: { wall_ms: 90_000 } },
    });
    const failed = seen('attempt-failed');
    const done = run({ provided: { plan: oneStep(get) } });
    expect(await failed).toMatchObject({ waitMs: 60_000 });
    await new Promise(setImmediate);
    const state = sessionOf([
      { type: 'message-sent', turn: 0, text: 'Do it', runMode: 'agent', model: sampleModel },
      ...facts,
    ]);
    const [node] = turnAt(state, 0)?.run?.nodes ?? [];
    expect(node).toMatchObject({ status: 'running', failedAttempts: [{ retried: false }] });
    time.advance(59_000);
    expect(made('mcp://box.get')).toBe(1);
    time.advance(1_000);
    expect(await done).toMatchObject({ outcome: 'done' });
  });

  it('[EXE-retry-wait] is not retried, and says when it may work, if the run ends sooner', async () => {
    const { run, made } = harness(flakyBox(1, inAMinute), { budgets: { run: { wall_ms: 30_000 } } });
    const report = await run({ provided: { plan: oneStep(get) } });
    expect(report.error?.hint).toContain('could work in 60 s, but the run has only 30 s left');
    expect(made('mcp://box.get')).toBe(1);
  });

  it('[EXE-retry-wait] can be stopped while it waits', async () => {
    const { run, seen, stop, made, time } = harness(flakyBox(1, inAMinute), {
      budgets: { run: { wall_ms: 90_000 } },
    });
    const failed = seen('attempt-failed');
    const done = run({ provided: { plan: oneStep(get) } });
    await failed;
    stop.abort();
    expect(await done).toMatchObject({ outcome: 'cancelled', nodes: [{ status: 'cancelled' }] });
    time.advance(90_000);
    expect(made('mcp://box.get')).toBe(1);
    expect(time.timers()).toBe(0);
  });

  it('[EXE-retry-wait] waits for the user’s own rate limit as for any other', async () => {
    const limited = { allow: ['mcp://*'], rateLimits: { 'mcp://box.get': 1 } };
    const { run, seen, time, made } = harness(flakyBox(0), {
      capabilities: limited,
      budgets: { run: { wall_ms: 90_000 } },
    });
    await run({ provided: { plan: oneStep(get) } });
    const failed = seen('attempt-failed');
    const done = run({ provided: { plan: oneStep(get) } });
    expect((await failed).error).toMatchObject({ code: 'RATE_LIMITED', layer: 'rate' });
    await new Promise(setImmediate);
    time.advance(60_000);
    expect(await done).toMatchObject({ outcome: 'done' });
    expect(made('mcp://box.get')).toBe(2);
  });
});

describe('over real processes and HTTP', () => {
  let folder: string;
  const inFolder = (name: string): string => join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'patina-retry-'));
    for (const name of ['home/mcp', 'project/.patina']) mkdirSync(inFolder(name), { recursive: true });
    writeFileSync(inFolder('calls'), '');
    const args = [resolve('src/testing/mcp-peers/flaky-server.mjs'), inFolder('calls')];
    const mcpServers = { flaky: { command: process.execPath, args, trusted: true } };
    writeFileSync(inFolder('home/mcp/registry.json'), JSON.stringify({ mcpServers }));
    writeFileSync(
      inFolder('project/.patina/capabilities.json'),
      JSON.stringify({ allow: ['mcp://flaky.*'] }),
    );
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const start = (replies: Parameters<typeof startMain>[0] & object) =>
    startMain({ ...replies, at: inFolder('home'), project: inFolder('project') });

  it('[EXE-retry-read] needs no second model turn when a server dies at the first call', async () => {
    const code = "const r = await tools.flaky.get({}); return { summary: 'got', state: { r } };";
    const harness = await start({ replies: [calls('submit_plan', planOf([scriptNode('a', code)]))] });
    try {
      const { run } = await harness.say('get it from the flaky server', { runMode: 'agent' });
      expect(run).toMatchObject({ status: 'done', nodes: [{ failedAttempts: [{ retried: true }] }] });
      expect(harness.model.chats()).toHaveLength(1);
      expect(readFileSync(inFolder('calls'), 'utf8')).toBe('call\ncall\n');
    } finally {
      await harness.close();
    }
  }, 60_000);

  it('[EXE-retry-llm] repeats a model step once whose reply is cut off', async () => {
    const plan = planOf([{ id: 'say', title: 'Say', kind: 'llm', prompt: 'Say hello.' }], '{{say.text}}');
    const broken = { text: 'hello to all of you', fault: { type: 'drop' as const, after: 2 } };
    const harness = await start({ replies: [calls('submit_plan', plan), broken, text('hello')] });
    try {
      const { run } = await harness.say('say hello in a step', { runMode: 'agent' });
      expect(run).toMatchObject({ status: 'done', answer: 'hello' });
      expect(harness.model.chats()).toHaveLength(3);
    } finally {
      await harness.close();
    }
  }, 60_000);

  it.each([
    ['0', 'done', 2],
    ['3600', 'failed', 1],
  ] as const)(
    '[MCP-retry-after] [EXE-retry-wait] with a busy server that asks for %s s, the run is %s after %i calls',
    async (asked, status, made) => {
      let asks = 0;
      const peer = await openPeerBehind((_asked, response, _body, pass) => {
        asks += 1;
        if (asks > 1) pass();
        else response.writeHead(429, { 'retry-after': asked }).end('one at a time');
      });
      const mcpServers = { peer: { url: peer.url, trusted: true } };
      writeFileSync(inFolder('home/mcp/registry.json'), JSON.stringify({ mcpServers }));
      const allow = JSON.stringify({ allow: ['mcp://peer.*'] });
      writeFileSync(inFolder('project/.patina/capabilities.json'), allow);
      const code =
        "const r = await tools.peer.add({ a: 1, b: 2 }); return { summary: 'added', state: { r } };";
      const harness = await start({ replies: [calls('submit_plan', planOf([scriptNode('a', code)]))] });
      try {
        const { run } = await harness.say('add with the busy server', { runMode: 'agent' });
        expect([run?.status, asks]).toEqual([status, made]);
        if (status === 'failed') expect(run?.error?.hint).toContain('A retry could work in 3600 s');
      } finally {
        await harness.close();
        peer.close();
      }
    },
    60_000,
  );
});
