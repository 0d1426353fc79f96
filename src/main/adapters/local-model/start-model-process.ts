import { fork } from 'node:child_process';
import type { ToModelProcess } from './messages';

/** A process that runs one local model. */
export interface ModelProcess {
  readonly send: (message: ToModelProcess) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  readonly onExit: (listener: () => void) => void;
  readonly kill: () => void;
}
export type StartLocalModel = () => ModelProcess;

/** Neither keys nor paths of the user reach the process. */
export const modelProcessEnv = { TZ: 'UTC', LANG: 'C.UTF-8' };

/** The process of the command line; `bundle` is the built `model-process.js`. */
export const startChildModel =
  (bundle: string): StartLocalModel =>
  () => {
    const child = fork(bundle, [], {
      serialization: 'advanced',
      execArgv: [],
      env: modelProcessEnv,
      stdio: 'ignore',
    });
    child.on('error', () => undefined);
    return {
      send: (message) => {
        if (child.connected) child.send(message, () => undefined);
      },
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => void child.once('exit', listener),
      kill: () => void child.kill('SIGKILL'),
    };
  };
