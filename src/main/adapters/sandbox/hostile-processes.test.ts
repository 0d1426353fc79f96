import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '#shared/json';
import { ok } from '#shared/result';
import { createMemoryArtifacts, noKernelSupport } from '../../../testing/in-process-sandbox';
import { createSystemClock } from '../system/system-clock';
import { createChildSandboxProcess } from './child-sandbox-process';
import type { KernelSupport } from './kernel-support';
import { createQuickJsSandbox } from './quickjs-sandbox';
import type { QuickJsSandbox } from './quickjs-sandbox';
import type { StartWorker, WorkerProcess } from './worker-process';

/** A worker that follows the protocol until it receives a unit; then it runs the unit's code directly. */
const HOSTILE_WORKER = `
import { runInThisContext } from 'node:vm';
const post = (message) => process.send(message);
const use = { cpuMs: 1, ticks: 1, memMb: 16 };
const done = (run, summary) => post({ type: 'done', run, use, log: [], json: JSON.stringify({ summary, state: {}, artifacts: null }) });
globalThis.act = { post, use, done, process, last: undefined, completed: [] };
process.on('message', (message) => {
  if (message.type === 'ping') return post({ type: 'pong', beat: message.beat });
  if (message.type === 'complete-call') { act.completed.push(message); return act.onCompleteCall?.(message); }
  act.last = act.unit; act.unit = message;
  runInThisContext('((act, unit, run) => {' + message.code + '\\n})')(act, message, message.run);
});
post({ type: 'ready', protocol: 1, probes: Array.from({ length: 22 }, (_, n) => ({ route: 'route ' + n, denied: true, detail: '' })) });
`;

const bundle = join(mkdtempSync(join(tmpdir(), 'patina-hostile-')), 'worker.mjs');
writeFileSync(bundle, HOSTILE_WORKER);

let open: QuickJsSandbox[] = [];
afterEach(async () => {
  await Promise.all(open.map((sandbox) => sandbox.close()));
  open = [];
});

/** More compute than any lie needs on a slow machine, so that only the lie can end the worker. */
const AMPLE_CPU_MS = 60_000;

function createHostile() {
  const workers: WorkerProcess[] = [];
  const fork = createChildSandboxProcess(bundle);
  const startProcess: StartWorker = () => {
    const worker = fork();
    workers.push(worker);
    return worker;
  };
  const sandbox = createQuickJsSandbox({
    startProcess,
    clock: createSystemClock(),
    artifacts: createMemoryArtifacts(),
    loadTokenCount: () => Promise.resolve((text) => text.length),
    jail: () => Promise.resolve({ ok: true, detail: 'not under test' }),
    support: noKernelSupport,
    startMs: 60_000,
    maxWorkers: 1,
    heartbeat: { everyMs: 50, answerMs: 200 },
  });
  open.push(sandbox);
  const calls: { tool: string; args: Json }[] = [];
  const callTool = (tool: string, args: Json) => {
    calls.push({ tool, args });
    return Promise.resolve(ok(args));
  };
  const run = async (
    code: string,
    { signal = new AbortController().signal, cpuMs = AMPLE_CPU_MS } = {},
  ): Promise<string> => {
    const unit = {
      engine: 'quickjs',
      code,
      params: {},
      allowed_tools: ['mcp://a.b'],
      budgets: { cpu_ms: cpuMs },
    };
    const { envelope } = await sandbox.execute(unit, callTool, signal);
    return envelope.ok ? envelope.value.summary : `${envelope.error.kind}/${envelope.error.code}`;
  };
  return { run, calls, workers, sandbox };
}

const GOOD = "act.done(run, 'good'); act.post({ type: 'fresh', run });";
const call = (fields: string) =>
  `act.post({ type: 'turn', run, use: act.use, log: [], calls: [{ op: 'tool', call: 1, ${fields} }] })`;

describe('a hostile worker', () => {
  it.each([
    ['[H28] an unknown type', "act.post({ type: 'root', run })"],
    ['[H28] a result for another run', "act.done(run + 1, 'forged')"],
    [
      '[H28] a call number used twice',
      `${call("tool: 'mcp://a.b', json: '{}'")}; act.onCompleteCall = () => { ${call("tool: 'mcp://a.b', json: '{}'")} }`,
    ],
    ['[H30] a call of a tool it was not given', call("tool: 'mcp://a.secret', json: '{}'")],
    [
      '[H32] a value that contains itself',
      "const m = { type: 'done', run, use: act.use, log: [] }; m.json = m; act.post(m)",
    ],
    ['[H35] an approval', "act.post({ type: 'approval-answered', run, approved: true })"],
    ['[H29] 200,000 messages', "for (let n = 0; n < 200000; n++) act.post({ type: 'pong', beat: n })"],
    ['[H29] a message over the cap of 32 MB', "act.done(run, 'x'.repeat(33 * 1024 * 1024))"],
    ['waiting for nothing', "act.post({ type: 'turn', run, use: act.use, log: [], calls: [] })"],
  ])('%s ends unit and worker, and the next unit runs', async (_what, code) => {
    const { run, calls } = createHostile();
    expect(await run(code)).toBe('SANDBOX/PROTOCOL_VIOLATION');
    expect(calls.filter(({ tool }) => tool !== 'mcp://a.b')).toEqual([]);
    expect(await run(GOOD)).toBe('good');
  });

  it('[H30] keys that reach a prototype never reach a tool', async () => {
    const { run, calls } = createHostile();
    const args = '{"__proto__":{"admin":true},"constructor":1,"path":"a"}';
    await run(`${call(`tool: 'mcp://a.b', json: '${args}'`)}; act.onCompleteCall = () => { ${GOOD} }`);
    expect(calls[0]?.args).toStrictEqual({ path: 'a' });
  });

  it('[H31] a second result is ignored, and three messages out of turn end the worker', async () => {
    const { run, workers } = createHostile();
    expect(
      await run(`act.done(run, 'first'); act.done(run, 'second'); act.post({ type: 'fresh', run });`),
    ).toBe('first');
    expect(await run(GOOD)).toBe('good');
    expect(workers).toHaveLength(1);
    await run(`act.done(run, 'x'); for (let n = 0; n < 3; n++) act.done(run, 'y');`);
    expect(await run(GOOD)).toBe('good');
    expect(workers).toHaveLength(2);
  });
});

describe('a worker that exits', () => {
  it.each([
    ['exit code 0', 'act.process.exit(0)'],
    ['exit code 1', 'act.process.exit(1)'],
    ['an abort', 'act.process.abort()'],
    ['a kill from outside', "act.process.kill(act.process.pid, 'SIGKILL')"],
    ['a stop', "act.process.kill(act.process.pid, 'SIGSTOP')"],
    [
      'a stop while it waits for a tool',
      `${call("tool: 'mcp://a.b', json: '{}'")}; act.onCompleteCall = () => act.process.kill(act.process.pid, 'SIGSTOP')`,
    ],
  ])('[H33] with %s is a crash and never a result', async (_how, code) => {
    const { run } = createHostile();
    expect(await run(code)).toBe('SANDBOX/PROC_CRASH');
    expect(await run(GOOD)).toBe('good');
  });

  it('[H10] only when it is killed is ended at the compute budget', async () => {
    const { run } = createHostile();
    expect(await run('for (;;);', { cpuMs: 1_000 })).toBe('BUDGET/CPU_LIMIT');
    expect(await run(GOOD)).toBe('good');
  });

  it('[H36] gets no late tool result, and neither does the next worker', async () => {
    const { run, workers } = createHostile();
    const stop = new AbortController();
    const cancelled = run(call("tool: 'mcp://a.b', json: '{}'"), { signal: stop.signal });
    stop.abort();
    expect(await cancelled).toBe('HOST/CANCELLED');
    const count = "act.done(run, 'completed ' + act.completed.length); act.post({ type: 'fresh', run });";
    expect(await run(count)).toBe('completed 0');
    expect(workers.length).toBeGreaterThan(0);
  });

  it.runIf(process.platform === 'linux')(
    '[SBX-memory] is killed when it uses too much memory while a reply is due',
    async () => {
      const { run } = createHostile();
      expect(await run('act.taken = new Uint8Array(400e6).fill(1)')).toBe('BUDGET/MEMORY_LIMIT');
      expect(await run(GOOD)).toBe('good');
    },
  );

  it('before it starts is a typed error', async () => {
    const sandbox = createQuickJsSandbox({
      startProcess: createChildSandboxProcess('/nonexistent/worker.js'),
      clock: createSystemClock(),
      artifacts: createMemoryArtifacts(),
      loadTokenCount: () => Promise.resolve(() => 0),
      startMs: 60_000,
    });
    open.push(sandbox);
    const unit = { engine: 'quickjs', code: '', params: {}, allowed_tools: [], budgets: {} };
    const { envelope } = await sandbox.execute(
      unit,
      () => Promise.resolve(ok(1)),
      new AbortController().signal,
    );
    expect(envelope).toMatchObject({ ok: false, error: { kind: 'SANDBOX', code: 'START_FAILED' } });
  });
});

describe('a worker without a system-call filter', () => {
  /** Reports the probes that the real filter would report, from a worker without a filter. */
  const LIAR = HOSTILE_WORKER.replace('length: 22', 'length: 40')
    .replace("'route ' + n", "'system call ' + n")
    .replace("type: 'ready',", "type: 'ready', kernel: { ok: true, detail: 'installed' },");
  const required: KernelSupport = {
    addon: undefined,
    noFilter: undefined,
    main: { ok: true, detail: 'not under test' },
  };

  it.each([
    ['says that it has one', LIAR],
    ['says nothing', HOSTILE_WORKER],
  ])('[SBX-required] and %s runs nothing where the filter is required', async (_what, source) => {
    const file = join(mkdtempSync(join(tmpdir(), 'patina-unfiltered-')), 'worker.mjs');
    writeFileSync(file, source);
    const sandbox = createQuickJsSandbox({
      startProcess: createChildSandboxProcess(file),
      clock: createSystemClock(),
      artifacts: createMemoryArtifacts(),
      loadTokenCount: () => Promise.resolve(() => 0),
      support: () => required,
      startMs: 60_000,
    });
    open.push(sandbox);
    const unit = { engine: 'quickjs', code: GOOD, params: {}, allowed_tools: [], budgets: {} };
    const callTool = () => Promise.resolve(ok(1));
    const { envelope } = await sandbox.execute(unit, callTool, new AbortController().signal);
    expect(envelope).toMatchObject({ ok: false, error: { kind: 'SANDBOX', code: 'START_FAILED' } });
    expect(!envelope.ok && envelope.error.message).toContain('system calls are not filtered');
    const layers = await sandbox.selfTest();
    expect(layers).toMatchObject([{ name: 'worker', ok: false }]);
  });
});

describe('the environment of a worker', () => {
  it('[H25] contains none of ours', async () => {
    process.env['PATINA_SENTINEL'] = 'sentinel-7d1';
    const { run, workers } = createHostile();
    const seen = await run(
      "act.done(run, JSON.stringify(act.process.env)); act.post({ type: 'fresh', run });",
    );
    delete process.env['PATINA_SENTINEL'];
    expect(seen).not.toContain('sentinel');
    expect(
      Object.keys(JSON.parse(seen) as object)
        .filter((name) => name !== 'NODE_CHANNEL_SERIALIZATION_MODE')
        .sort(),
    ).toEqual(['LANG', 'TZ']);
    if (process.platform === 'linux') {
      expect(readFileSync(`/proc/${workers[0]?.pid}/environ`, 'latin1')).not.toContain('sentinel');
    }
  });
});
