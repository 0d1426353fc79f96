import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { ok } from '../src/shared/result';
import { createChildSandboxProcess } from '../src/main/adapters/sandbox/child-sandbox-process';
import { createQuickJsSandbox } from '../src/main/adapters/sandbox/quickjs-sandbox';
import { createSystemClock } from '../src/main/adapters/system/system-clock';
import { createMemoryArtifacts } from '../src/testing/in-process-sandbox';
import { median, report } from './lib/report';

const rounds = 200;
/** The worker as it was built for the app. */
const bundle = resolve(process.env['SANDBOX_PATH'] ?? 'out/main/sandbox-worker.js');
const unit = {
  engine: 'quickjs',
  code: "return { summary: 'x' };",
  params: {},
  allowed_tools: ['mcp://a.b'],
  budgets: {},
};
const never = new AbortController().signal;

const createSandbox = () =>
  createQuickJsSandbox({
    startProcess: createChildSandboxProcess(bundle),
    clock: createSystemClock(),
    artifacts: createMemoryArtifacts(),
    loadTokenCount: () => Promise.resolve((text) => text.length),
  });
type Sandbox = ReturnType<typeof createSandbox>;

async function timed(sandbox: Sandbox, code: string): Promise<number> {
  const began = performance.now();
  const { envelope } = await sandbox.execute({ ...unit, code }, () => Promise.resolve(ok(1)), never);
  if (!envelope.ok && envelope.error.code !== 'CPU_LIMIT') throw new Error(envelope.error.message);
  return performance.now() - began;
}

/** Lets the worker get ready for its next unit, as it does while a plan's next node is being prepared. */
const breathe = () => new Promise((resolve) => setTimeout(resolve, 25));

const cold: number[] = [];
for (let round = 0; round < 5; round += 1) {
  const sandbox = createSandbox();
  cold.push(await timed(sandbox, unit.code));
  await sandbox.close();
}
const sandbox = createSandbox();
await timed(sandbox, unit.code);
const warm: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  await breathe();
  warm.push(await timed(sandbox, unit.code));
}
const straight: number[] = [];
for (let round = 0; round < rounds / 4; round += 1) straight.push(await timed(sandbox, unit.code));
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

const p95 = [...warm].sort((a, b) => a - b)[Math.floor(warm.length * 0.95)] ?? 0;
report({ name: 'sandbox: first unit, from nothing', value: median(cold), goal: 200, unit: 'ms' });
report({ name: 'sandbox: warm unit, p50', value: median(warm), goal: 5, unit: 'ms' });
report({ name: 'sandbox: warm unit, p95', value: p95, goal: 20, unit: 'ms' });
report({ name: 'sandbox: unit straight after a unit, p50', value: median(straight), goal: 20, unit: 'ms' });
report({ name: 'sandbox: tool call, each of 1,000', value: calls / 1_000, goal: 1, unit: 'ms' });
report({
  name: 'sandbox: endless loop, past its 1,500 ms',
  value: (endless[0] ?? 0) - 1_500,
  goal: 50,
  unit: 'ms',
});
report({
  name: 'sandbox: native loop, past its 1,500 ms',
  value: (endless[1] ?? 0) - 1_500,
  goal: 100,
  unit: 'ms',
});
