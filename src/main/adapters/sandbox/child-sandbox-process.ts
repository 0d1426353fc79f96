import { fork, spawnSync } from 'node:child_process';
import { emptyFolder } from './empty-folder';
import { kernelSupport } from './kernel-support';
import {
  workerArguments,
  WORKER_ENV,
  WORKER_V8_FLAGS,
  type StartWorker,
  type WorkerExit,
  missing,
  missingOn,
  type LayerStatus,
} from './worker-process';
import { existsSync } from 'node:fs';

/** Separate user, network, IPC and UTS namespaces: the worker cannot reach or name anything outside them. */
const FLAGS = ['--user', '--map-current-user', '--net', '--ipc', '--uts'];
const PLACES = ['/usr/bin/unshare', '/bin/unshare'];

interface Namespaces extends LayerStatus {
  /** Program and arguments to prepend to the worker's; empty where namespaces are unavailable. */
  readonly command: readonly string[];
}

let known: Namespaces | undefined;

/**
 * Whether workers of the command line can have their own namespaces here; checked once. Linux only, through
 * util-linux's unshare.
 */
export function ownNamespaces(): Namespaces {
  known ??= findNamespaces();
  return known;
}

function findNamespaces(): Namespaces {
  const none = (why: string): Namespaces => ({ command: [], ...missing(why) });
  if (process.platform !== 'linux') return { command: [], ...missingOn(process.platform) };
  // Running Electron as Node would need its own environment variables, which workers do not get.
  if (process.versions.electron !== undefined) return none('the app starts utility processes');
  const program = PLACES.find((place) => existsSync(place));
  if (program === undefined) return none('unshare is not installed');
  const tried = spawnSync(program, [...FLAGS, '--', '/bin/true'], {
    stdio: 'ignore',
    timeout: 2_000,
  });
  if (tried.status !== 0) return none('this system does not let unshare make them');
  return {
    command: [program, ...FLAGS, '--'],
    ok: true,
    detail: 'a network, user, ipc and host name of its own',
  };
}

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
