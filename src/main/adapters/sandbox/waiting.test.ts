import { describe, expect, it, vi } from 'vitest';
import { appError } from '#shared/app-error';
import type { Json } from '#shared/json';
import { ok } from '#shared/result';
import type { Result } from '#shared/result';
import type { FromWorker, ToWorker } from '#shared/sandbox-protocol';
import {
  createInProcessSandbox,
  createMemoryArtifacts,
  noKernelSupport,
} from '../../../testing/in-process-sandbox';
import { createManualClock } from '../../../testing/manual-clock';
import { createQuickJsSandbox } from './quickjs-sandbox';
import type { WorkerProcess } from './worker-process';

const UNIT = {
  engine: 'quickjs',
  code: '',
  params: {},
  allowed_tools: ['mcp://a.b'],
  budgets: { cpu_ms: 100 },
};
const use = { cpuMs: 1, ticks: 1, memMb: 16 };
const PROBES = Array.from({ length: 22 }, (_, at) => ({ route: `route ${at}`, denied: true, detail: '' }));

/** A worker that the test controls: it sends only what the test tells it to, and exits only on command. */
function createPuppet() {
  const posted: ToWorker[] = [];
  let deliver: (message: unknown) => void = () => undefined;
  let killed = 0;
  let wake: (() => void)[] = [];
  const worker: WorkerProcess = {
    pid: undefined,
    namespaces: { ok: false, detail: '' },
    post: (message) => {
      posted.push(message);
      for (const call of wake.splice(0)) call();
    },
    onMessage: (next) => {
      deliver = next;
    },
    onExit: () => undefined,
    kill: () => void (killed += 1),
  };
  return {
    worker,
    posted,
    say: (message: FromWorker) => deliver(message),
    killed: () => killed,
    /** Resolves at the next message of that type to this worker. */
    async sent(type: ToWorker['type']) {
      for (;;) {
        const found = posted.find((message) => message.type === type);
        if (found) return found;
        await new Promise<void>((resolve) => (wake = [...wake, resolve]));
      }
    },
  };
}

function createTwoPuppets() {
  const puppets = [createPuppet(), createPuppet()] as const;
  const { clock, advance } = createManualClock();
  let started = 0;
  const sandbox = createQuickJsSandbox({
    startProcess: () => {
      const puppet = puppets[started] ?? puppets[1];
      started += 1;
      queueMicrotask(() => puppet.say({ type: 'ready', protocol: 1, probes: PROBES }));
      return puppet.worker;
    },
    clock,
    artifacts: createMemoryArtifacts(),
    loadTokenCount: () => Promise.resolve(() => 1),
    support: noKernelSupport,
    maxWorkers: 1,
    idleMs: 60_000,
  });
  return { puppets, clock, advance, sandbox, started: () => started };
}

const never = new AbortController().signal;
const nothing = () => Promise.resolve(ok(null));
const done = (run: number, summary: string): FromWorker => ({
  type: 'done',
  run,
  use,
  log: [],
  json: JSON.stringify({ summary, state: {}, artifacts: null }),
});

describe('compute time', () => {
  it('[H22] does not count ten minutes of waiting for an answer', async () => {
    const { clock, advance } = createManualClock();
    const sandbox = createInProcessSandbox({ clock, heartbeat: { everyMs: 3_600_000, answerMs: 1 } });
    const callTool = (): Promise<Result<Json>> => {
      queueMicrotask(() => advance(600_000));
      return new Promise((resolve) => clock.after(600_000, () => resolve(ok('yes'))));
    };
    // In this process the script's compute is time by the clock, which a busy machine stretches.
    const budgets = { cpu_ms: 60_000 };
    const unit = { ...UNIT, budgets, code: "return { summary: await tools.a.b({ question: 'may I?' }) }" };
    const { envelope } = await sandbox.execute(unit, callTool, never);
    expect(envelope).toMatchObject({ ok: true, value: { summary: 'yes', metrics: { tool_calls: 1 } } });
  });

  it('ends a worker 50 ms after the compute budget when a reply is due', async () => {
    const { puppets, advance, sandbox } = createTwoPuppets();
    const run = sandbox.execute(UNIT, nothing, never);
    await puppets[0].sent('run');
    advance(149);
    expect(puppets[0].killed()).toBe(0);
    advance(1);
    expect(puppets[0].killed()).toBe(1);
    expect((await run).envelope).toMatchObject({ error: { kind: 'BUDGET', code: 'CPU_LIMIT' } });
  });

  it('adds up what the worker reported, across its turns', async () => {
    const { puppets, advance, sandbox } = createTwoPuppets();
    const run = sandbox.execute(UNIT, nothing, never);
    await puppets[0].sent('run');
    const calls = [{ op: 'tool' as const, call: 1, tool: 'mcp://a.b', json: '{}' }];
    puppets[0].say({ type: 'turn', run: 1, use: { ...use, cpuMs: 90 }, log: [], calls });
    advance(5_000 - 1);
    await puppets[0].sent('complete-call');
    advance(59);
    expect(puppets[0].killed()).toBe(0);
    advance(1);
    expect((await run).envelope).toMatchObject({ error: { kind: 'BUDGET', code: 'CPU_LIMIT' } });
  });

  it('[BOX-warm] starts before the unit, because one worker is started ahead', async () => {
    const { puppets, started, sandbox } = createTwoPuppets();
    sandbox.warm();
    sandbox.warm();
    expect(started()).toBe(1);
    const run = sandbox.execute(UNIT, nothing, never);
    await puppets[0].sent('run');
    puppets[0].say(done(1, 'one'));
    expect((await run).envelope).toMatchObject({ value: { summary: 'one' } });
    expect(started()).toBe(1);
  });

  it('[BOX-warm] ends a worker started ahead that nobody uses', async () => {
    const { puppets, advance, sandbox } = createTwoPuppets();
    sandbox.warm();
    await vi.waitFor(async () => expect((await sandbox.health()).workers).toBe(1), 15_000);
    advance(60_000);
    expect(puppets[0].killed()).toBe(1);
  });

  it('keeps a worker warm, and ends it when idle', async () => {
    const { puppets, advance, sandbox } = createTwoPuppets();
    const run = sandbox.execute(UNIT, nothing, never);
    await puppets[0].sent('run');
    puppets[0].say(done(1, 'one'));
    await run;
    puppets[0].say({ type: 'fresh', run: 1 });
    advance(59_999);
    expect((await sandbox.health()).workers).toBe(1);
    advance(1);
    expect(puppets[0].killed()).toBe(1);
    expect((await sandbox.health()).workers).toBe(0);
  });
});

describe('the end of a unit', () => {
  it('[H34] after a cancel ignores a late answer', async () => {
    const { puppets, sandbox } = createTwoPuppets();
    const stop = new AbortController();
    const cancelled = sandbox.execute(UNIT, nothing, stop.signal);
    await puppets[0].sent('run');
    stop.abort();
    expect((await cancelled).envelope).toMatchObject({ error: { kind: 'HOST', code: 'CANCELLED' } });
    puppets[0].say(done(1, 'late'));
    const next = sandbox.execute(UNIT, nothing, never);
    await puppets[1].sent('run');
    puppets[0].say(done(2, 'forged'));
    puppets[1].say(done(2, 'right'));
    expect((await next).envelope).toMatchObject({ value: { summary: 'right' } });
  });

  it('[H36] drops a tool result that arrives after its worker has exited', async () => {
    const { puppets, sandbox } = createTwoPuppets();
    const stop = new AbortController();
    let answer: (result: Result<Json>) => void = () => undefined;
    const slow = (): Promise<Result<Json>> => new Promise((resolve) => (answer = resolve));
    const cancelled = sandbox.execute(UNIT, slow, stop.signal);
    await puppets[0].sent('run');
    const calls = [{ op: 'tool' as const, call: 1, tool: 'mcp://a.b', json: '{}' }];
    puppets[0].say({ type: 'turn', run: 1, use, log: [], calls });
    stop.abort();
    await cancelled;
    const next = sandbox.execute(UNIT, nothing, never);
    await puppets[1].sent('run');
    answer(ok('late'));
    puppets[1].say(done(2, 'right'));
    await next;
    expect(
      [...puppets[0].posted, ...puppets[1].posted].filter(({ type }) => type === 'complete-call'),
    ).toEqual([]);
  });

  it('with an abort whose reason is one of our errors has that error', async () => {
    const { puppets, sandbox } = createTwoPuppets();
    const stop = new AbortController();
    const run = sandbox.execute(UNIT, nothing, stop.signal);
    await puppets[0].sent('run');
    stop.abort(appError('BUDGET', 'WALL_CLOCK', 'the run took too long'));
    expect((await run).envelope).toMatchObject({ error: { kind: 'BUDGET', code: 'WALL_CLOCK' } });
  });

  it('by closing ends running and waiting units', async () => {
    const { sandbox, puppets } = createTwoPuppets();
    const running = sandbox.execute(UNIT, nothing, never);
    await puppets[0].sent('run');
    const waiting = sandbox.execute(UNIT, nothing, never);
    await sandbox.close();
    expect((await running).envelope.ok).toBe(false);
    expect((await waiting).envelope.ok).toBe(false);
  });
});

describe('a worker without lockdown', () => {
  it.each([
    ['has an open route', [...PROBES, { route: 'fetch', denied: false, detail: 'worked' }]],
    ['tried nothing', []],
  ])('[H23] that %s runs nothing', async (_what, probes) => {
    const puppet = createPuppet();
    const sandbox = createQuickJsSandbox({
      startProcess: () => {
        queueMicrotask(() => puppet.say({ type: 'ready', protocol: 1, probes }));
        return puppet.worker;
      },
      clock: createManualClock().clock,
      artifacts: createMemoryArtifacts(),
      loadTokenCount: () => Promise.resolve(() => 1),
      support: noKernelSupport,
    });
    const { envelope } = await sandbox.execute(UNIT, nothing, never);
    expect(envelope).toMatchObject({ error: { kind: 'SANDBOX', code: 'START_FAILED' } });
    expect(puppet.posted).toEqual([]);
    expect(puppet.killed()).toBe(1);
  });
});

describe('a worker that is not ready in time', () => {
  it('[SBX-slow-start] ends its unit with an error that may pass, and is killed', async () => {
    const puppet = createPuppet();
    const { clock, advance } = createManualClock();
    const sandbox = createQuickJsSandbox({
      startProcess: () => {
        setImmediate(() => advance(100));
        return puppet.worker;
      },
      clock,
      artifacts: createMemoryArtifacts(),
      loadTokenCount: () => Promise.resolve(() => 1),
      support: noKernelSupport,
      startMs: 100,
    });
    const { envelope } = await sandbox.execute(UNIT, nothing, never);
    expect(envelope).toMatchObject({ error: { kind: 'SANDBOX', code: 'START_FAILED', retryable: true } });
    expect(puppet.killed()).toBe(1);
  });
});

describe('a unit refused before anything starts', () => {
  it.each([
    [{ engine: 'rhai' }, 'SANDBOX/UNSUPPORTED'],
    [{ code: '/'.repeat(33_000) }, 'CODE/FORBIDDEN'],
  ])('%j is %s', async (more, expected) => {
    const { sandbox } = createTwoPuppets();
    const { envelope } = await sandbox.execute({ ...UNIT, ...more }, nothing, never);
    expect(!envelope.ok && `${envelope.error.kind}/${envelope.error.code}`).toBe(expected);
    expect((await sandbox.health()).workers).toBe(0);
  });
});
