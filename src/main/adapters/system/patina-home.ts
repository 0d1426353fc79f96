import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/** `PATINA_HOME`, by default `~/.patina`; made when missing, for its owner only. Errors: CONFIG/INVALID with what is in the way. */
export function patinaHome(env: Readonly<Record<string, string | undefined>>): Result<string> {
  const home = resolve(env['PATINA_HOME'] || join(homedir(), '.patina'));
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return ok(home);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return err(
      appError('CONFIG', 'INVALID', `Patina's folder ${home} cannot be made: ${reason}`, {
        problems: [{ file: home, field: 'PATINA_HOME', rule: 'a folder that can be written', reason }],
        hint: 'Set PATINA_HOME to a folder you can write to.',
      }),
    );
  }
}
