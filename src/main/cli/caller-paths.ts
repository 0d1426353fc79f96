import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

export interface CallerPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Patina's own root folder. */
  readonly root: string;
}

function sameFolder(one: string, other: string): boolean {
  try {
    return realpathSync.native(one) === realpathSync.native(other);
  } catch {
    return false;
  }
}

/**
 * The folder from which a person called a command. npm runs a script in the root of its project and names the
 * caller's folder in INIT_CWD. In any other folder, INIT_CWD belongs to a script that runs Patina, and the
 * working folder is the caller's.
 */
export function callerFolder({ cwd, env, root }: CallerPlace): string {
  const named = env['INIT_CWD'];
  return named !== undefined && named !== '' && sameFolder(cwd, root) ? named : cwd;
}

/**
 * Changes to the caller's folder, so that every relative path means what the caller meant. Errors:
 * HOST/NOT_FOUND when the folder no longer exists.
 */
export function enterCallerFolder(root: string): Result<string> {
  const folder = callerFolder({ cwd: process.cwd(), env: process.env, root });
  try {
    process.chdir(folder);
    return ok(folder);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    const message = `Patina cannot use ${folder}, the folder it was called from (${code}).`;
    return err(appError('HOST', 'NOT_FOUND', message, { hint: 'Run it from a folder that you can read.' }));
  }
}

/** Resolves a path argument against the caller's folder. Errors: HOST/INVALID_INPUT when it is empty. */
export function pathArgument(name: string, entered: string): Result<string> {
  if (entered.trim() !== '') return ok(resolve(entered));
  const hint = 'Give a path, relative to the folder you are in or absolute.';
  return err(appError('HOST', 'INVALID_INPUT', `${name} is empty.`, { hint }));
}
