import { fork } from 'node:child_process';
import { emptyFolder } from './empty-folder';
import { WORKER_ENV, WORKER_V8_FLAGS } from './worker-process';
import type { StartWorker, WorkerExit } from './worker-process';

/** Starts workers as forked Node processes: the command line's way. `bundle` is the worker's file. */
export function createChildSandboxProcess(bundle: string): StartWorker {
  return () => {
    const child = fork(bundle, [], {
      cwd: emptyFolder(),
      env: WORKER_ENV,
      execArgv: WORKER_V8_FLAGS,
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
      post(message) {
        // A channel that closed in between shows as the exit that follows.
        if (child.connected) child.send(message, () => undefined);
      },
      onMessage: (hear) => void child.on('message', hear),
      onExit: (hear) => void ended.then(hear),
      kill: () => void child.kill('SIGKILL'),
    };
  };
}
