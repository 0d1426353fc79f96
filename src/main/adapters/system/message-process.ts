import { fork, type Serializable } from 'node:child_process';

/** A process that works for main and is spoken to in messages. */
export interface MessageProcess<Sent> {
  readonly send: (message: Sent) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  /** Called once, even for a process that could not start. */
  readonly onExit: (listener: () => void) => void;
  readonly kill: () => void;
}
export type StartMessageProcess<Sent> = () => MessageProcess<Sent>;

/** Neither keys nor paths of the user reach the process. */
export const messageProcessEnv = { TZ: 'UTC', LANG: 'C.UTF-8' };

/** The process of the command line; `bundle` is its built entry. */
export const startChildProcess =
  <Sent extends Serializable>(bundle: string): StartMessageProcess<Sent> =>
  () => {
    const child = fork(bundle, [], {
      serialization: 'advanced',
      execArgv: [],
      env: messageProcessEnv,
      stdio: 'ignore',
    });
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      // A process that could not be started never exits.
      child.on('error', () => {
        if (child.pid === undefined) resolve();
      });
    });
    return {
      send: (message) => {
        if (child.connected) child.send(message, () => undefined);
      },
      onMessage: (listener) => void child.on('message', listener),
      onExit: (listener) => void ended.then(listener),
      kill: () => void child.kill('SIGKILL'),
    };
  };
