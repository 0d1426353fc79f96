import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { makeHomeFolder } from './home-folder';

/** Patina's folder for the command line. Errors: CONFIG/INVALID with the obstacle. */
export function patinaHome(env: Readonly<Record<string, string | undefined>>): Result<string> {
  const { home, obstacle } = makeHomeFolder(env);
  if (obstacle === null) return ok(home);
  return err(
    appError('CONFIG', 'INVALID', `Patina's folder ${home} cannot be created: ${obstacle}`, {
      problems: [
        { file: home, field: 'PATINA_HOME', rule: 'a folder that can be written', reason: obstacle },
      ],
      hint: 'Set PATINA_HOME to a folder you can write to.',
    }),
  );
}
