import { execFile } from 'node:child_process';
import { missing, missingOn } from './worker-process';
import type { LayerStatus } from './worker-process';

/** Sets what the system itself forbids a worker; says how that went. */
export type JailWorker = (pid: number) => Promise<LayerStatus>;

/** More than any unit's budget: a backstop for a worker whose main process is gone. */
const CPU_SECONDS = 900;

/**
 * Takes from a started worker, for good, the right to a new descriptor, process or core file, and to let a file grow. It does
 * not stop what needs none of these (unlink, rename): the filter of system calls does. Linux only, by util-linux's prlimit; elsewhere the report says that there is no such wall.
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
