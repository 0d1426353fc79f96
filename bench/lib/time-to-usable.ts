import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/paths.mjs';
import type { Launch } from './launches';

const patienceMs = 60_000;

async function usableAt(child: ChildProcess): Promise<number> {
  const signal = AbortSignal.timeout(patienceMs);
  const said = once(child, 'message', { signal }).then(
    ([message]) => (message as { usableAt: number }).usableAt,
  );
  const gone = once(child, 'exit', { signal }).then(() => {
    throw new Error('The app ended before its window opened.');
  });
  return Promise.race([said, gone]);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}

/**
 * Starts an app without a driver and returns the milliseconds from the start of its process until its window accepts
 * typing.
 */
export async function timeToUsable({ executablePath, args, env }: Launch): Promise<number> {
  const started = performance.timeOrigin + performance.now();
  const child = spawn(executablePath, ['-r', join(ROOT, 'bench/lib/tell-usable.cjs'), ...args], {
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  try {
    return (await usableAt(child)) - started;
  } finally {
    await end(child);
  }
}
