import type { Grant } from '#shared/grant';
import { reachWords, whereWords } from '#shared/grant-words';
import type { App } from '../../app';
import { fail, print, type ExitCode, type Terminal } from '../output';

function line(grant: Grant): string {
  const place = grant.reach.kind === 'always' ? `\n    ${grant.reach.project}` : '';
  return `${grant.id}  ${grant.tool}: ${reachWords(grant)}, ${whereWords(grant)}${place}`;
}

/** `patina tools --grants`: the user's standing answers, the newest first. */
export function grantsCommand(app: App, terminal: Terminal): ExitCode {
  const grants = app.grants.list();
  if (!grants.ok) return fail(terminal, grants.error);
  const none = 'There are no standing answers: every write is asked for.';
  print(terminal, grants.value, () => grants.value.map(line).join('\n') || none);
  return 0;
}

/** `patina tools --revoke ID`: takes a standing answer back; what is left of them is printed. */
export function revokeCommand(app: App, terminal: Terminal, id: string): ExitCode {
  const revoked = app.grants.revoke([id]);
  return revoked.ok ? grantsCommand(app, terminal) : fail(terminal, revoked.error);
}
