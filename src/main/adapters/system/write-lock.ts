import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { appError } from '#shared/app-error';
import { err, type Result } from '#shared/result';

export interface LockDeps {
  readonly pid: number;
  readonly processAlive: (pid: number) => boolean;
  readonly now: () => number;
  /** Waits briefly before the next attempt. */
  readonly wait: () => Promise<void>;
}

/** How long a lock is respected, and how often one that is taken is asked for again. */
export interface LockLimits {
  readonly oldMs: number;
  readonly maxAttempts: number;
}

/** A change takes milliseconds, a request at most 15 s, so a lock of this age belongs to no live process. */
const shortWork: LockLimits = { oldMs: 30_000, maxAttempts: 250 };

/** Work of any length: the lock lasts as long as its process, and nobody waits for it. */
export const longWork: LockLimits = { oldMs: Infinity, maxAttempts: 1 };

function holderOf(file: string): { readonly text: string; readonly ageFrom: number } | null {
  try {
    return { text: readFileSync(file, 'utf8'), ageFrom: statSync(file).mtimeMs };
  } catch {
    return null;
  }
}

/**
 * Moves the lock of a dead process away; puts it back if another process has taken the lock in the meantime.
 */
function takeAway(file: string, text: string): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (readFileSync(aside, 'utf8') !== text) linkSync(aside, file);
  } catch {
    // The lock is gone or taken again; the next attempt finds out which.
  } finally {
    rmSync(aside, { force: true });
  }
}

function tryLock(file: string, text: string, deps: Omit<LockDeps, 'wait'>, oldMs: number): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const holder = holderOf(file);
  if (holder === null) return false;
  const [pid = ''] = holder.text.split(' ');
  const dead = /^\d+$/.test(pid) && !deps.processAlive(Number(pid));
  if (dead || deps.now() - holder.ageFrom > oldMs) takeAway(file, holder.text);
  return false;
}

function release(file: string, text: string): void {
  if (holderOf(file)?.text === text) rmSync(file, { force: true });
}

/**
 * Runs `work` while nothing else, in this or another process, has the lock. A lock whose owner has died, or that is
 * older than `limits` allow (half a minute by default), is taken over. Returns HOST/STORAGE when the lock cannot be
 * acquired.
 */
export async function withLock<T>(
  file: string,
  deps: LockDeps,
  work: () => Result<T> | Promise<Result<T>>,
  limits = shortWork,
): Promise<Result<T>> {
  const text = `${deps.pid} ${randomUUID()}`;
  let tries = 0;
  while (!tryLock(file, text, deps, limits.oldMs)) {
    tries += 1;
    if (tries > limits.maxAttempts) return err(locked(file));
    await deps.wait();
  }
  try {
    return await work();
  } finally {
    release(file, text);
  }
}

/** Does the same for work that cannot wait for events; `wait` blocks the process for some milliseconds. */
export function withLockSync<T>(
  file: string,
  deps: Omit<LockDeps, 'wait'> & { readonly wait: () => void },
  work: () => Result<T>,
): Result<T> {
  const text = `${deps.pid} ${randomUUID()}`;
  let tries = 0;
  while (!tryLock(file, text, deps, shortWork.oldMs)) {
    tries += 1;
    if (tries > shortWork.maxAttempts) return err(locked(file));
    deps.wait();
  }
  try {
    return work();
  } finally {
    release(file, text);
  }
}

function locked(file: string) {
  const hint = `If no other Patina is running, remove ${file}.`;
  return appError('HOST', 'STORAGE', 'Another Patina keeps this folder locked.', { hint });
}
