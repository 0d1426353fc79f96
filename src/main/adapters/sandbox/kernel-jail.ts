import { execFile } from 'node:child_process';
import { missing, missingOn } from './worker-process';
import type { LayerStatus } from './worker-process';

/** Sets the kernel limits of a worker; reports the outcome. */
export type JailWorker = (pid: number) => Promise<LayerStatus>;

/** More than any unit's budget: a fallback for a worker whose main process is gone. */
const CPU_SECONDS = 900;

/**
 * Permanently denies a started worker new descriptors, processes and core files, and the growth of any file.
 * Calls that need none of these (unlink, rename) are blocked by the system call filter instead. Linux only,
 * through util-linux's prlimit; elsewhere the report says that this layer is missing.
 */
export const applyRlimits: JailWorker = (pid) => {
  if (process.platform !== 'linux') return Promise.resolve(missingOn(process.platform));
  const limits = ['--nofile=0', '--nproc=0', '--fsize=0', '--core=0', `--cpu=${CPU_SECONDS}`];
  return new Promise((resolve) => {
    execFile('prlimit', ['--pid', String(pid), ...limits], { timeout: 2_000 }, (error) => {
      if (error === null)
        resolve({ ok: true, detail: 'prlimit: no new descriptors or processes, no file growth, no core' });
      else resolve(missing(isNotFound(error) ? 'prlimit is not installed' : `prlimit: ${error.message}`));
    });
  });
};

function isNotFound(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
