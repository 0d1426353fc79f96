import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { missing, missingOn } from './worker-process';
import type { LayerStatus } from './worker-process';

/** Separate user, network, IPC and UTS namespaces: the worker cannot reach or name anything outside them. */
const FLAGS = ['--user', '--map-current-user', '--net', '--ipc', '--uts'];
const PLACES = ['/usr/bin/unshare', '/bin/unshare'];

export interface Namespaces extends LayerStatus {
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
