import type { LockDeps } from '../main/adapters/system/write-lock';

/** The id of a process that does not run. */
export const deadPid = 4_000_001;

/** Locks of a test's own process, which waits for nobody. */
export const testLock: LockDeps = {
  pid: process.pid,
  processAlive: (pid) => pid !== deadPid,
  now: Date.now,
  wait: () => Promise.resolve(),
};
