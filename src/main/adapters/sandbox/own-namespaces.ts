import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { missing, missingOn } from './worker-process';
import type { LayerStatus } from './worker-process';

/** A user, a network with nothing in it, and names of its own: nothing outside can be reached or named from there. */
const FLAGS = ['--user', '--map-current-user', '--net', '--ipc', '--uts'];
const PLACES = ['/usr/bin/unshare', '/bin/unshare'];

export interface Namespaces extends LayerStatus {
  /** Program and arguments to put before those of the worker; none where namespaces are not to be had. */
  readonly command: readonly string[];
}

let known: Namespaces | undefined;

/** Whether workers of the command line can have namespaces of their own here; asked of the system once. Linux only, by util-linux's unshare. */
export function ownNamespaces(): Namespaces {
  known ??= findNamespaces();
  return known;
}

function findNamespaces(): Namespaces {
  const none = (why: string): Namespaces => ({ command: [], ...missing(why) });
  if (process.platform !== 'linux') return { command: [], ...missingOn(process.platform) };
  // Electron as Node would need its own variables, which a worker is not given.
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
