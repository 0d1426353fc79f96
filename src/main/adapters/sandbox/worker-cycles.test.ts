import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ok } from '#shared/result';
import { collectGarbage } from '../../../testing/collect-garbage';
import { fullCounts, timesOf } from '../../../testing/full-counts';
import { createMemoryArtifacts } from '../../../testing/in-process-sandbox';
import { buildSandboxWorker } from '../../../testing/sandbox-worker-bundle';
import { createSystemClock } from '../system/system-clock';
import { createChildSandboxProcess } from './child-sandbox-process';
import { createQuickJsSandbox } from './quickjs-sandbox';
import type { WorkerProcess } from './worker-process';

const warmUps = timesOf(3, 50);
const cycles = timesOf(8, 500);

const openDescriptors = (): number => readdirSync('/proc/self/fd').length;

async function residentBytes(): Promise<number> {
  await collectGarbage();
  return process.memoryUsage().rss;
}

/** A sandbox whose worker is killed after each unit. */
async function createCycle() {
  const fork = createChildSandboxProcess(await buildSandboxWorker());
  let worker: WorkerProcess | null = null;
  const sandbox = createQuickJsSandbox({
    startProcess: () => (worker = fork()),
    clock: createSystemClock(),
    artifacts: createMemoryArtifacts(),
    loadTokenCount: () => Promise.resolve((text) => text.length / 4),
    startMs: 60_000,
    maxWorkers: 1,
  });
  const unit = {
    engine: 'quickjs',
    code: "return { summary: 'ran' }",
    params: {},
    allowed_tools: [],
    budgets: { cpu_ms: 1_000 },
  };
  const cycle = async (): Promise<string> => {
    const callTool = () => Promise.resolve(ok(null));
    const { envelope } = await sandbox.execute(unit, callTool, new AbortController().signal);
    const gone = new Promise<void>((resolve) => worker?.onExit(() => resolve()));
    worker?.kill();
    await gone;
    return envelope.ok ? envelope.value.summary : JSON.stringify(envelope.error);
  };
  return { cycle, close: sandbox.close };
}

const linux = process.platform === 'linux';

it.runIf(linux)(
  `[H61] ${cycles} workers started and killed leave no descriptor and no memory behind`,
  async () => {
    const runCycles = async (count: number): Promise<void> => {
      const { cycle, close } = await createCycle();
      for (let at = 0; at < count; at += 1) expect(await cycle()).toBe('ran');
      await close();
    };
    await runCycles(warmUps);
    const before = { rss: await residentBytes(), descriptors: openDescriptors() };
    await runCycles(cycles);
    const rss = await residentBytes();
    // The pipes of the last worker may close after it.
    await expect.poll(openDescriptors, { timeout: 30_000 }).toBeLessThanOrEqual(before.descriptors * 1.05);
    // A handful of cycles proves nothing about memory: the heap grows in larger steps than they cause.
    if (fullCounts) expect(rss).toBeLessThanOrEqual(before.rss * 1.05);
  },
  3_600_000,
);
