import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FromWorker } from '#shared/sandbox-protocol';
import { createChildSandboxProcess, ownNamespaces } from '../main/adapters/sandbox/child-sandbox-process';
import { applyRlimits } from '../main/adapters/sandbox/kernel-jail';
import type { WorkerProcess } from '../main/adapters/sandbox/worker-process';
import { buildSandboxWorker } from '../testing/sandbox-worker-bundle';

const started: WorkerProcess[] = [];
afterEach(() => started.splice(0).forEach((worker) => worker.kill()));

function runs(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Records a process's system calls until `stop`, one line per call. */
async function trace(pid: number) {
  const file = join(mkdtempSync(join(tmpdir(), 'patina-strace-')), 'calls');
  const args = ['-f', '-p', String(pid), '-e', 'trace=%network,%file,%process', '-o', file];
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise<void>((resolve) => strace.stderr.once('data', () => resolve()));
  return async (): Promise<readonly string[]> => {
    const ended = new Promise((resolve) => strace.once('exit', resolve));
    strace.kill('SIGINT');
    await ended;
    return readFileSync(file, 'utf8').split('\n');
  };
}

/** Successful calls that would have been a route out: they opened, connected, executed or bound something. */
const worked = (lines: readonly string[], names: string): readonly string[] =>
  lines.filter((line) => new RegExp(`\\b(${names})\\(.*= (\\d+|-1 EINPROGRESS)`).test(line));

async function attempt(bundle: string, beat: number, jailed: boolean) {
  const worker = createChildSandboxProcess(bundle)();
  started.push(worker);
  const { pid = 0 } = worker;
  const ask = async (said: number): Promise<unknown> => {
    const answer = new Promise<unknown>((resolve) => worker.onMessage(resolve));
    worker.post({ type: 'ping', beat: said });
    return answer;
  };
  await ask(0);
  const stop = await trace(pid);
  if (jailed) expect(await applyRlimits(pid)).toMatchObject({ ok: true });
  const ready = FromWorker.parse(await ask(beat));
  return { probes: ready.type === 'ready' ? ready.probes : [], calls: await stop(), pid };
}

const traced = process.platform === 'linux' && runs('strace', '-V') && runs('prlimit', '--version');

describe.runIf(traced)('a worker built to escape, observed in the kernel', () => {
  it('[BOX-strace] [H24] opens, connects and runs things without the lockdown, and nothing with it', async () => {
    const bundle = await buildSandboxWorker('src/testing/attempting-worker.ts');
    const control = await attempt(bundle, 1, false);
    expect(worked(control.calls, 'openat').length).toBeGreaterThan(0);
    expect(worked(control.calls, 'socket').length).toBeGreaterThan(0);
    expect(worked(control.calls, 'clone|clone3|vfork').length).toBeGreaterThan(0);
    const locked = await attempt(bundle, 2, true);
    expect(locked.probes.length).toBe(control.probes.length);
    expect(locked.probes.filter(({ denied }) => !denied)).toEqual([]);
    expect(
      worked(locked.calls, 'openat|open|socket|connect|bind|listen|execve|clone|clone3|vfork|fork'),
    ).toEqual([]);
  }, 120_000);
});

describe.runIf(ownNamespaces().ok)('a worker in its own namespaces', () => {
  const CONNECTS = `
    const net = require('node:net');
    process.on('message', ({ beat }) => {
      net.connect({ host: '127.0.0.1', port: beat }).on('connect', () => process.send('reached')).on('error', ({ code }) => process.send(code));
    });`;

  it('[BOX-namespaces] reaches no network, while a process beside it does', async () => {
    const { createServer } = await import('node:net');
    const { writeFileSync } = await import('node:fs');
    const { fork } = await import('node:child_process');
    const file = join(mkdtempSync(join(tmpdir(), 'patina-connects-')), 'connects.cjs');
    writeFileSync(file, CONNECTS);
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const beat = (server.address() as { port: number }).port;
    const beside = fork(file);
    const outside = new Promise((resolve) => beside.once('message', resolve));
    beside.send({ beat });
    expect(await outside).toBe('reached');
    beside.kill();
    const worker = createChildSandboxProcess(file)();
    started.push(worker);
    const inside = new Promise((resolve) => worker.onMessage(resolve));
    worker.post({ type: 'ping', beat });
    expect(['ENETUNREACH', 'ECONNREFUSED', 'EADDRNOTAVAIL']).toContain(await inside);
    server.close();
  });
});
