import { fork } from 'node:child_process';
import { emptyFolder } from './empty-folder';
import { kernelSupport } from './kernel-support';
import { ownNamespaces } from './own-namespaces';
import { workerArguments, WORKER_ENV, WORKER_V8_FLAGS } from './worker-process';
import type { StartWorker, WorkerExit } from './worker-process';

/**
 * Starts workers as forked Node processes, in their own namespaces where available, for the command line.
 * `bundle` is the worker's file.
 */
export function createChildSandboxProcess(bundle: string): StartWorker {
  return () => {
    const { command, ...namespaces } = ownNamespaces();
    const [execPath = process.execPath, ...execArgv] = [...command, process.execPath, ...WORKER_V8_FLAGS];
    const child = fork(bundle, workerArguments(kernelSupport().addon), {
      cwd: emptyFolder(),
      env: WORKER_ENV,
      execPath,
      execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = new Promise<WorkerExit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
      child.once('error', () => {
        if (child.pid === undefined) resolve({ code: null, signal: null });
      });
    });
    return {
      get pid() {
        return child.pid;
      },
      namespaces,
      post(message) {
        // If the channel closes in between, the exit event that follows reports it.
        if (child.connected) child.send(message, () => undefined);
      },
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => void ended.then(listener),
      kill() {
        // Stops reading output that is already buffered: a flood ends with its worker.
        if (child.connected) child.disconnect();
        child.kill('SIGKILL');
      },
    };
  };
}
