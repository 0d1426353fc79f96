import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { Json } from '#shared/json';
import { fullCounts, seededSample } from '../../../testing/full-counts';
import { hostileScripts } from '../../../testing/hostile-scripts/all-hostile-scripts';
import type { HostileScript } from '../../../testing/hostile-scripts/hostile-script';
import { createMemoryArtifacts } from '../../../testing/in-process-sandbox';
import { buildSandboxWorker } from '../../../testing/sandbox-worker-bundle';
import { createSystemClock } from '../system/system-clock';
import { createChildSandboxProcess } from './child-sandbox-process';
import { MAX_WORKER_MB } from './memory-poll';
import { createQuickJsSandbox } from './quickjs-sandbox';
import type { QuickJsSandbox } from './quickjs-sandbox';
import type { StartWorker } from './worker-process';

const BUDGETS = { cpu_ms: 250, mem_mb: 32 };
/** Maximum milliseconds that a script may compute past its budget: ten times the limit on an idle machine. */
const MOST_OVERSHOOT = { soft: 500, hard: 1_000 };
const shuffled = seededSample(hostileScripts, hostileScripts.length);
/** One script of each kind, and a few more that the seed selects. */
const sampled = shuffled.filter(
  ({ id }, at) => at < 8 || shuffled.findIndex((other) => other.id === id) === at,
);
const sample = fullCounts ? hostileScripts : sampled;

/** Workers whose last message and peak memory are recorded. */
function watched(start: StartWorker) {
  const seen = { peakMb: 0, said: '' };
  const pids = new Set<number>();
  const look = (): void => {
    for (const pid of pids) seen.peakMb = Math.max(seen.peakMb, peakOf(pid));
  };
  const startProcess: StartWorker = () => {
    const worker = start();
    worker.onMessage((message) => (seen.said = (message as { type: string }).type));
    worker.onExit(() => pids.delete(worker.pid ?? 0));
    if (worker.pid !== undefined) pids.add(worker.pid);
    return worker;
  };
  const timer = setInterval(look, 20);
  return { seen, startProcess, stop: () => clearInterval(timer) };
}

function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

it('[BOX-hostile] there are at least 80 hostile scripts, no two the same', () => {
  expect(new Set(hostileScripts.map(({ code }) => code)).size).toBeGreaterThanOrEqual(80);
});

describe('hostile scripts', () => {
  let sandbox: QuickJsSandbox;
  let watch: ReturnType<typeof watched>;
  const worst = { soft: 0, hard: 0 };
  beforeAll(async () => {
    watch = watched(createChildSandboxProcess(await buildSandboxWorker()));
    sandbox = createQuickJsSandbox({
      startProcess: watch.startProcess,
      clock: createSystemClock(),
      artifacts: createMemoryArtifacts(),
      loadTokenCount: () => Promise.resolve((text) => text.length / 4),
      startMs: 60_000,
      maxWorkers: 1,
    });
  }, 60_000);
  afterAll(async () => {
    await sandbox.close();
    watch.stop();
    const past = `${worst.soft.toFixed(0)} ms soft, ${worst.hard.toFixed(0)} ms hard`;
    process.stdout.write(`worst past a limit ${past}; worker at most ${watch.seen.peakMb.toFixed(0)} MB\n`);
  });

  async function run({ code, budgets }: Pick<HostileScript, 'code' | 'budgets'>) {
    const unit = {
      engine: 'quickjs',
      code,
      params: {},
      allowed_tools: ['mcp://files.read'],
      budgets: { ...BUDGETS, ...budgets },
    };
    const callTool = (_tool: string, args: Json) => Promise.resolve(ok(args));
    const { envelope, metrics } = await sandbox.execute(unit, callTool, new AbortController().signal);
    const end = envelope.ok ? envelope.value.summary : `${envelope.error.kind}/${envelope.error.code}`;
    return { end, past: (metrics?.cpu_ms ?? 0) - unit.budgets.cpu_ms };
  }

  it.each(sample.map((script) => [script.id, script.code, script] as const))(
    '[%s] %s',
    { timeout: 120_000 },
    async (_id, _code, script) => {
      const { end, past } = await run(script);
      expect(script.ends).toContain(end);
      const kind = watch.seen.said === 'failed' || watch.seen.said === 'done' ? 'soft' : 'hard';
      worst[kind] = Math.max(worst[kind], past);
      expect(past).toBeLessThan(MOST_OVERSHOOT[kind]);
      expect(await run({ code: "return { summary: 'next' }" })).toMatchObject({ end: 'next' });
    },
  );

  it.runIf(process.platform === 'linux')('[BOX-memory] no worker exceeded its memory limit', () => {
    expect(watch.seen.peakMb).toBeGreaterThan(0);
    expect(watch.seen.peakMb).toBeLessThanOrEqual(MAX_WORKER_MB);
  });
});
