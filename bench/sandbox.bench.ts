import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ok } from '../src/shared/result';
import { createChildSandboxProcess } from '../src/main/adapters/sandbox/child-sandbox-process';
import { createQuickJsSandbox } from '../src/main/adapters/sandbox/quickjs-sandbox';
import { createSystemClock } from '../src/main/adapters/system/system-clock';
import { createMemoryArtifacts } from '../src/testing/in-process-sandbox';
import { median, report } from './lib/report';
import { bareStart, burnPast } from './lib/sandbox-floors';
import { measureRawQuickJs, measureRun, slowly, TWENTY_CALLS } from './lib/sandbox-peers';

const rounds = 200;
/** The worker as it was built. */
const bundle = resolve('out/main/sandbox-worker.js');
const unit = {
  engine: 'quickjs',
  code: "return { summary: 'x' };",
  params: {},
  allowed_tools: ['mcp://a.b'],
  budgets: {},
};
const never = new AbortController().signal;

const createSandbox = (bundle: string) =>
  createQuickJsSandbox({
    startProcess: createChildSandboxProcess(bundle),
    clock: createSystemClock(),
    artifacts: createMemoryArtifacts(),
    loadTokenCount: () => Promise.resolve((text) => text.length),
  });
type Sandbox = ReturnType<typeof createSandbox>;
type Call = Parameters<Sandbox['execute']>[1];

const atOnce: Call = () => Promise.resolve(ok(1));

async function timed(sandbox: Sandbox, code: string, call: Call = atOnce): Promise<number> {
  const began = performance.now();
  const { envelope } = await sandbox.execute({ ...unit, code }, call, never);
  if (!envelope.ok) throw new Error(envelope.error.message);
  return performance.now() - began;
}

/** Milliseconds past its limit until a script that never ends is ended: of compute, and by the clock. */
async function overshoot(sandbox: Sandbox, code: string) {
  await timed(sandbox, unit.code);
  await breathe();
  const began = performance.now();
  const { envelope, metrics } = await sandbox.execute({ ...unit, code }, atOnce, never);
  if (envelope.ok || envelope.error.code !== 'CPU_LIMIT') throw new Error(`It was not ended: ${code}`);
  return { compute: (metrics?.cpu_ms ?? 0) - COMPUTE, clock: performance.now() - began - COMPUTE };
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Lets the worker prepare for its next unit, as it does while a plan's next node is being prepared. */
const breathe = () => after(25);
/** Milliseconds until a model begins to write the plan of a run, as the agent bench has it. */
const MODEL_BEGINS = 800;
/** Milliseconds of compute that endless scripts get. */
const COMPUTE = 1_500;

const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;

/** First units: from nothing, and in a run whose worker was started as it began. */
async function measureFirst(bundle: string) {
  const first = { cold: [] as number[], begun: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    const cold = createSandbox(bundle);
    first.cold.push(await timed(cold, unit.code));
    await cold.close();
    const begun = createSandbox(bundle);
    begun.warm();
    await after(MODEL_BEGINS);
    first.begun.push(await timed(begun, unit.code));
    await begun.close();
  }
  return first;
}

async function measureCalls(sandbox: Sandbox) {
  const twenty: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    await breathe();
    twenty.push(await timed(sandbox, `${TWENTY_CALLS} return { summary: '' };`, () => slowly(ok(1))));
  }
  const calls = await timed(
    sandbox,
    "for (let n = 0; n < 1000; n += 1) await tools.a.b({}); return { summary: '' };",
  );
  return { twenty, calls };
}

async function measure(bundle: string) {
  const first = await measureFirst(bundle);
  const sandbox = createSandbox(bundle);
  await timed(sandbox, unit.code);
  const warm: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await breathe();
    warm.push(await timed(sandbox, unit.code));
  }
  const straight: number[] = [];
  for (let round = 0; round < rounds / 4; round += 1) straight.push(await timed(sandbox, unit.code));
  const calls = await measureCalls(sandbox);
  const soft = await overshoot(sandbox, 'while (true) {}');
  const hard = await overshoot(sandbox, "new Array(1e9) + ''");
  await sandbox.close();
  return { ...first, ...calls, warm, straight, soft, hard };
}

const peer = await measureRun(rounds / 4);
const raw = median(await measureRawQuickJs(rounds / 4));
report({ name: 'run 2.1.5: first, from nothing', value: peer.cold, goal: 200, unit: 'ms' });
report({ name: 'run 2.1.5: p50', value: median(peer.warm), goal: 5, unit: 'ms' });
report({ name: 'run 2.1.5: p95', value: p95(peer.warm), goal: 20, unit: 'ms' });
report({ name: 'run 2.1.5: 20 calls of 100 ms at once', value: peer.calls, goal: 125, unit: 'ms' });
report({ name: 'raw QuickJS: new machine and one line, p50', value: raw, goal: 5, unit: 'ms' });
const starts: number[] = [];
for (let round = 0; round < 5; round += 1) starts.push(await bareStart());
const floors = { start: median(starts), burn: await burnPast(COMPUTE) };
process.stdout.write(
  `a bare process starts in ${floors.start.toFixed(0)} ms here, and burns ${COMPUTE} ms of compute in ${floors.burn.toFixed(0)} ms more\n`,
);
const measured = await measure(bundle);
const reportTime = (what: string, value: number, goal: number): void =>
  report({ name: what, value, goal, unit: 'ms' });
reportTime('first unit, from nothing', median(measured.cold), 200);
reportTime(`first unit of a run, ${MODEL_BEGINS} ms after it began`, median(measured.begun), 200);
reportTime('warm unit, p50', median(measured.warm), 5);
reportTime('warm unit, p95', p95(measured.warm), 20);
reportTime('unit straight after a unit, p50', median(measured.straight), 20);
reportTime('20 calls of 100 ms at once, p50', median(measured.twenty), 125);
reportTime('tool call, each of 1,000', measured.calls / 1_000, 1);
reportTime(`endless loop, compute past its ${COMPUTE} ms`, measured.soft.compute, 50);
reportTime(`native loop, compute past its ${COMPUTE} ms`, measured.hard.compute, 100);
// A busy machine adds a delay for every process: the floor above shows how much.
process.stdout.write(
  `    by the clock ${measured.soft.clock.toFixed(0)} and ${measured.hard.clock.toFixed(0)} ms past\n`,
);
