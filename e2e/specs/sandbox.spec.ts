import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from '@playwright/test';
import { EPERM, injectEscapes, makeTargets, untouched } from '../../src/testing/inject-system-call';
import { commandFile, test } from '../fixtures/command-line';
import {
  cannotRunAsNormalUser,
  lockedWorkerOf,
  NORMAL_USER,
  normalUserFolder,
} from '../fixtures/normal-user';

const endless = JSON.stringify({
  engine: 'quickjs',
  code: 'while(true){}',
  params: {},
  allowed_tools: [],
  budgets: { cpu_ms: 200, mem_mb: 32 },
});

test('[BOX-engines] [BOX-spent] exec stops an endless unit in the worker that SANDBOX_PATH names and reports its usage', async ({
  patina,
}, testInfo) => {
  const bundle = testInfo.outputPath('worker.mjs');
  copyFileSync(resolve('out/main/sandbox-worker.js'), bundle);
  const looped = await patina(['exec', '--json'], { env: { SANDBOX_PATH: bundle }, input: endless });
  expect(looped.json()).toMatchObject({ kind: 'BUDGET', code: 'CPU_LIMIT' });
  expect(looped.code).toBe(1);
  const { cpu_ms } = looped.json()['metrics'] as { cpu_ms: number };
  expect(cpu_ms).toBeGreaterThanOrEqual(200);
  // Compute, not wall time: ten times the 50 ms that it may use on a quiet machine.
  expect(cpu_ms).toBeLessThanOrEqual(700);
});

test('[BOX-layers] doctor tests every layer of the sandbox and reports which are active', async ({
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
  // A layer that this system does not support is not reported as active.
  const unshared = spawnSync('unshare', ['--user', '--map-current-user', '--net', 'true']).status === 0;
  expect(layers.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(
    unshared ? [] : ['sandbox namespaces'],
  );
});

test("[SBX-system-calls] [SBX-main] system calls injected into a normal user's worker are refused, and main cannot be traced", async () => {
  const reason = cannotRunAsNormalUser(commandFile);
  const user = reason === null ? { uid: NORMAL_USER, gid: NORMAL_USER } : {};
  const folder = normalUserFolder();
  const project = join(folder, 'project');
  mkdirSync(project);
  const unit = join(folder, 'unit.json');
  const budgets = { cpu_ms: 60_000, max_ops: Number.MAX_SAFE_INTEGER };
  writeFileSync(
    unit,
    JSON.stringify({ engine: 'quickjs', code: 'for (;;);', params: {}, allowed_tools: [], budgets }),
  );
  const command = spawn(
    process.execPath,
    [commandFile, '--home', join(folder, 'home'), '--project', project, '--json', 'exec', '--unit', unit],
    {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, PATINA_DISCOVERY: 'off' },
      stdio: 'ignore',
      ...user,
    },
  );
  const main = command.pid ?? 0;
  try {
    await expect.poll(() => lockedWorkerOf(main), { timeout: 30_000 }).toBeDefined();
    // Where nothing can be injected, the kernel's status of the worker must do.
    test.info().annotations.push({ type: 'injected', description: reason ?? 'as a normal user' });
    if (reason !== null) return;
    const targets = makeTargets(NORMAL_USER);
    const results = injectEscapes(lockedWorkerOf(main) ?? 0, main, targets);
    expect(Object.entries(results).filter(([, result]) => result !== -EPERM)).toEqual([]);
    expect(untouched(targets)).toBe(true);
    // The system assigns what belongs to a process that is not dumpable to root.
    expect(statSync(`/proc/${main}/environ`).uid).toBe(0);
  } finally {
    command.kill('SIGKILL');
  }
});
