import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from '@playwright/test';
import { test } from '../fixtures/command-line';

const endless = JSON.stringify({
  engine: 'quickjs',
  code: 'while(true){}',
  params: {},
  allowed_tools: [],
  budgets: { cpu_ms: 200, mem_mb: 32 },
});

/** The worker's file for each build of the engine. */
const engines = ['sandbox-worker.js', 'sandbox-worker-emscripten.js'];

for (const file of engines) {
  test(`[BOX-engines] [BOX-spent] exec stops an endless unit in ${file} and says what it had spent`, async ({
    patina,
  }) => {
    const bundle = resolve('out/main', file);
    expect(existsSync(bundle)).toBe(true);
    const looped = await patina(['exec', '--json'], { env: { SANDBOX_PATH: bundle }, input: endless });
    expect(looped.json()).toMatchObject({ kind: 'BUDGET', code: 'CPU_LIMIT' });
    expect(looped.code).toBe(1);
    const { cpu_ms } = looped.json()['metrics'] as { cpu_ms: number };
    expect(cpu_ms).toBeGreaterThanOrEqual(200);
    // Compute, not wall time: ten times the 50 ms it may take on a quiet machine.
    expect(cpu_ms).toBeLessThanOrEqual(700);
  });
}

test('[BOX-layers] doctor tries every layer of the sandbox and says which hold here', async ({
  patina,
  project,
}) => {
  const doctor = await patina(['doctor', '--json', '--project', project]);
  const checks = doctor.json()['checks'] as { name: string; ok: boolean; detail: string }[];
  const layers = checks.filter(({ name }) => name.startsWith('sandbox '));
  expect(layers.map(({ name }) => name.slice('sandbox '.length))).toEqual([
    'engine',
    'compute limit',
    'memory limit',
    'stack limit',
    'watchdog',
    'process',
    'environment',
    'lockdown',
    'system calls',
    'kernel limits',
    'namespaces',
    'memory poll',
    'messages',
    'main process',
  ]);
  // A layer that this system cannot give is not reported as one that holds.
  const unshared = spawnSync('unshare', ['--user', '--map-current-user', '--net', 'true']).status === 0;
  expect(layers.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(
    unshared ? [] : ['sandbox namespaces'],
  );
});
