import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ok } from '../src/shared/result';
import { createChildSandboxProcess } from '../src/main/adapters/sandbox/child-sandbox-process';
import { createQuickJsSandbox } from '../src/main/adapters/sandbox/quickjs-sandbox';
import { createSystemClock } from '../src/main/adapters/system/system-clock';
import { createMemoryArtifacts } from '../src/testing/in-process-sandbox';
import { median, report } from './lib/report';
import { measureRawQuickJs, measureRun, slowly, TWENTY_CALLS } from './lib/sandbox-peers';

const rounds = 200;
/** The workers as they were built, one for each build of the engine; the first is the default. */
const engines = [
  { name: 'wasi', bundle: resolve('out/main/sandbox-worker.js') },
  { name: 'emscripten', bundle: resolve('out/main/sandbox-worker-emscripten.js') },
];
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
  if (!envelope.ok && envelope.error.code !== 'CPU_LIMIT') throw new Error(envelope.error.message);
  return performance.now() - began;
}

/** Lets the worker get ready for its next unit, as it does while a plan's next node is being prepared. */
const breathe = () => new Promise((resolve) => setTimeout(resolve, 25));

const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;

async function measure(bundle: string) {
  const cold: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const sandbox = createSandbox(bundle);
    cold.push(await timed(sandbox, unit.code));
    await sandbox.close();
  }
  const sandbox = createSandbox(bundle);
  await timed(sandbox, unit.code);
  const warm: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await breathe();
    warm.push(await timed(sandbox, unit.code));
  }
  const straight: number[] = [];
  for (let round = 0; round < rounds / 4; round += 1) straight.push(await timed(sandbox, unit.code));
  const twenty = await timed(sandbox, `${TWENTY_CALLS} return { summary: '' };`, () => slowly(ok(1)));
  const calls = await timed(
    sandbox,
    "for (let n = 0; n < 1000; n += 1) await tools.a.b({}); return { summary: '' };",
  );
  const endless: number[] = [];
  for (const code of ['while (true) {}', "new Array(1e9) + ''"]) {
    await timed(sandbox, unit.code);
    await breathe();
    endless.push(await timed(sandbox, code));
  }
  await sandbox.close();
  return { cold, warm, straight, twenty, calls, soft: endless[0] ?? 0, hard: endless[1] ?? 0 };
}

const peer = await measureRun(rounds / 4);
const raw = median(await measureRawQuickJs(rounds / 4));
report({ name: 'run 2.1.5: first, from nothing', value: peer.cold, goal: 200, unit: 'ms' });
report({ name: 'run 2.1.5: p50', value: median(peer.warm), goal: 5, unit: 'ms' });
report({ name: 'run 2.1.5: p95', value: p95(peer.warm), goal: 20, unit: 'ms' });
report({ name: 'run 2.1.5: 20 calls of 100 ms at once', value: peer.calls, goal: 125, unit: 'ms' });
report({ name: 'raw QuickJS: new machine and one line, p50', value: raw, goal: 5, unit: 'ms' });
for (const { name, bundle } of engines) {
  const of = await measure(bundle);
  const line = (what: string, value: number, goal: number): void =>
    report({ name: `${name}: ${what}`, value, goal, unit: 'ms' });
  line('first unit, from nothing', median(of.cold), 200);
  line('warm unit, p50', median(of.warm), 5);
  line('warm unit, p95', p95(of.warm), 20);
  line('unit straight after a unit, p50', median(of.straight), 20);
  line('20 calls of 100 ms at once', of.twenty, 125);
  line('tool call, each of 1,000', of.calls / 1_000, 1);
  line('endless loop, past its 1,500 ms', of.soft - 1_500, 50);
  line('native loop, past its 1,500 ms', of.hard - 1_500, 100);
}
