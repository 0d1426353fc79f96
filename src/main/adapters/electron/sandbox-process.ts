import { utilityProcess } from 'electron';
import { emptyFolder } from '../sandbox/empty-folder';
import { kernelSupport } from '../sandbox/kernel-support';
import { missing, workerArguments, WORKER_ENV, WORKER_V8_FLAGS } from '../sandbox/worker-process';
import type { StartWorker, WorkerExit } from '../sandbox/worker-process';

/** Starts workers as Electron utility processes: the app's way. `bundle` is the worker's file. */
export function createUtilitySandboxProcess(bundle: string): StartWorker {
  return () => {
    const child = utilityProcess.fork(bundle, workerArguments(kernelSupport().addon), {
      cwd: emptyFolder(),
      env: WORKER_ENV,
      execArgv: [`--js-flags=${WORKER_V8_FLAGS.join(' ')}`],
      stdio: 'ignore',
      serviceName: 'Patina sandbox',
    });
    // Its code says 0 for a process that was killed, too.
    const ended = new Promise<WorkerExit>((resolve) => {
      child.once('exit', (code) => resolve({ code, signal: null }));
    });
    return {
      get pid() {
        return child.pid;
      },
      namespaces: missing('a utility process cannot be started in namespaces of its own'),
      post: (message) => child.postMessage(message),
      onMessage: (hear) => void child.on('message', hear),
      onExit: (hear) => void ended.then(hear),
      kill: () => void child.kill(),
    };
  };
}
