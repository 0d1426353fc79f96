import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { FromWorker } from '#shared/sandbox-protocol';
import { buildSandboxWorker } from '../testing/sandbox-worker-bundle';
import { createChildSandboxProcess } from '../main/adapters/sandbox/child-sandbox-process';
import { applyRlimits } from '../main/adapters/sandbox/kernel-jail';
import type { WorkerProcess } from '../main/adapters/sandbox/worker-process';

const started: WorkerProcess[] = [];
afterEach(() => started.splice(0).forEach((worker) => worker.kill()));

/** Starts an entry as a worker and returns the results of its probes. */
async function probesOf(entry: string) {
  const worker = createChildSandboxProcess(await buildSandboxWorker(entry))();
  started.push(worker);
  const message = await new Promise<unknown>((resolve, reject) => {
    worker.onMessage(resolve);
    worker.onExit((exit) => reject(new Error(`ended: ${JSON.stringify(exit)}`)));
  });
  const ready = FromWorker.parse(message);
  return { worker, probes: ready.type === 'ready' ? ready.probes : [] };
}

it('[H23] [BOX-walls] [SBX-system-calls] [SBX-linux] every escape works without the lockdown, and none with it', async () => {
  const control = await probesOf('src/testing/unhardened-worker.ts');
  const locked = await probesOf('src/sandbox-worker/index.ts');
  const routes = locked.probes.map(({ route }) => route);
  expect(routes.length).toBeGreaterThanOrEqual(22);
  expect(control.probes.map(({ route }) => route)).toEqual(routes);
  // V8's own flag prevents code generation from text in both; the environment has two harmless names.
  const denied = control.probes.filter((probe) => probe.denied).map(({ route }) => route);
  expect(denied).toEqual(['eval', 'AsyncFunction']);
  expect(locked.probes.filter((probe) => !probe.denied)).toEqual([]);
}, 60_000);

it.each([
  { beat: 1, denied: false },
  { beat: 2, denied: true },
])(
  '[H23] a network client created earlier is blocked by the lockdown: $denied',
  async ({ beat, denied }) => {
    const worker = createChildSandboxProcess(await buildSandboxWorker('src/testing/attempting-worker.ts'))();
    started.push(worker);
    const said = new Promise<unknown>((resolve) => worker.onMessage(resolve));
    worker.post({ type: 'ping', beat });
    const ready = FromWorker.parse(await said);
    const probes = ready.type === 'ready' ? ready.probes : [];
    expect(probes.find(({ route }) => route === 'held fetch')).toMatchObject({ denied });
  },
  60_000,
);

it.runIf(process.platform === 'linux' && hasPrlimit())(
  '[H24] [SBX-limits] the kernel limits let a worker open, start and write nothing, and its port works',
  async () => {
    const { worker } = await probesOf('src/sandbox-worker/index.ts');
    const pid = worker.pid ?? 0;
    const open = readdirSync(`/proc/${pid}/fd`).length;
    expect(await applyRlimits(pid)).toMatchObject({ ok: true });
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
    for (const name of ['open files', 'processes', 'file size', 'core file size'])
      expect(limits).toMatch(new RegExp(`Max ${name}\\s+0\\s+0`));
    const pong = new Promise<unknown>((resolve) => worker.onMessage(resolve));
    worker.post({ type: 'ping', beat: 7 });
    expect(await pong).toEqual({ type: 'pong', beat: 7 });
    expect(readdirSync(`/proc/${pid}/fd`).length).toBe(open);
  },
  60_000,
);

/** An ordinary process without a lockdown: it tries everything requested and reports the outcome. */
const OPENER = `
const { openSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const net = require('node:net');
const code = (attempt) => { try { attempt(); return 'worked'; } catch (error) { return error.code; } };
process.on('message', () => {
  const files = code(() => openSync(__filename, 'r'));
  const processes = code(() => { const { error } = spawnSync(process.execPath, ['--version']); if (error) throw error; });
  net.createServer().on('error', (error) => process.send([files, processes, error.code]))
    .listen(0, '127.0.0.1', () => process.send([files, processes, 'worked']));
});
`;

it.runIf(process.platform === 'linux' && hasPrlimit())(
  '[H24] the kernel limits alone stop files, processes and sockets of a process that could open them before',
  async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'patina-opener-')), 'opener.cjs');
    writeFileSync(file, OPENER);
    const worker = createChildSandboxProcess(file)();
    started.push(worker);
    const ask = async (): Promise<unknown> => {
      const answer = new Promise((resolve) => worker.onMessage(resolve));
      worker.post({ type: 'ping', beat: 1 });
      return answer;
    };
    expect(await ask()).toEqual(['worked', 'worked', 'worked']);
    await applyRlimits(worker.pid ?? 0);
    expect(await ask()).toEqual(['EMFILE', 'EMFILE', 'EMFILE']);
  },
);

function hasPrlimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
