import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ok } from '#shared/result';
import { createChildSandboxProcess } from '../main/adapters/sandbox/child-sandbox-process';
import { kernelSupport } from '../main/adapters/sandbox/kernel-support';
import { readProcessFacts } from '../main/adapters/sandbox/process-facts';
import { createQuickJsSandbox } from '../main/adapters/sandbox/quickjs-sandbox';
import { createSystemClock } from '../main/adapters/system/system-clock';
import { createMemoryArtifacts } from '../testing/in-process-sandbox';
import { cannotInject, EPERM, injectEscapes, makeTargets, untouched } from '../testing/inject-system-call';
import { buildSandboxWorker } from '../testing/sandbox-worker-bundle';

const endings: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** Resolves as soon as a process uses CPU time. */
async function spinning(pid: number): Promise<void> {
  const before = readProcessFacts(pid)?.cpuMs ?? 0;
  await vi.waitFor(() => expect(readProcessFacts(pid)?.cpuMs).toBeGreaterThan(before + 50), 20_000);
}

/** A real worker that runs an endless script. */
async function startSpinningWorker(): Promise<number> {
  const start = createChildSandboxProcess(await buildSandboxWorker());
  const pids: number[] = [];
  const sandbox = createQuickJsSandbox({
    startProcess: () => {
      const worker = start();
      if (worker.pid !== undefined) pids.push(worker.pid);
      return worker;
    },
    clock: createSystemClock(),
    artifacts: createMemoryArtifacts(),
    loadTokenCount: () => Promise.resolve(() => 0),
    startMs: 60_000,
  });
  endings.push(() => sandbox.close());
  sandbox.warm();
  await vi.waitFor(async () => expect((await sandbox.health()).workers).toBe(1), 60_000);
  const budgets = { cpu_ms: 120_000, max_ops: Number.MAX_SAFE_INTEGER };
  const unit = { engine: 'quickjs', code: 'for (;;);', params: {}, allowed_tools: [], budgets };
  void sandbox.execute(unit, () => Promise.resolve(ok(1)), new AbortController().signal);
  const [pid = 0] = pids;
  await spinning(pid);
  return pid;
}

function startNode(code: string): number {
  const child = spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
  endings.push(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}

const reason = cannotInject();

describe.skipIf(reason !== null)(`system calls injected into a process (${reason ?? 'as root'})`, () => {
  it('[SBX-system-calls] all work in an ordinary process', async () => {
    const folder = makeTargets(process.getuid?.() ?? 0);
    const pid = startNode('for (;;);');
    await spinning(pid);
    const results = injectEscapes(pid, startNode('setInterval(() => undefined, 1e9)'), folder);
    expect(Object.entries(results).filter(([, result]) => result < 0)).toEqual([]);
    expect(untouched(folder)).toBe(false);
  }, 60_000);

  it('[SBX-system-calls] [SBX-linux] none works in a worker that runs an endless script', async () => {
    const folder = makeTargets(process.getuid?.() ?? 0);
    const pid = await startSpinningWorker();
    const results = injectEscapes(pid, process.pid, folder);
    expect(Object.entries(results).filter(([, result]) => result !== -EPERM)).toEqual([]);
    expect(untouched(folder)).toBe(true);
    // The attempts did not harm it: it still computes.
    await spinning(pid);
  }, 120_000);
});

describe.runIf(process.platform === 'linux')('main', () => {
  it('has the protections that this system offers', () => {
    expect(kernelSupport().main).toMatchObject({ ok: true });
  });
});
