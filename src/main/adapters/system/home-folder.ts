import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The path that an environment variable names, with a leading `~/` expanded to the user's home: only a shell
 * would expand it, and desktop settings, service files and containers have no shell. Undefined when the
 * variable is unset or empty.
 */
export function pathVariable(env: Environment, name: string): string | undefined {
  const value = env[name];
  if (value === undefined || value === '') return undefined;
  return value === '~' || /^~[/\\]/.test(value) ? join(homedir(), value.slice(1)) : value;
}

/** Patina's folder, and the reason when it cannot be created. */
export interface HomeFolder {
  readonly home: string;
  readonly obstacle: string | null;
}

/** May be a folder that many use, such as the one for temporary files. */
const writableByOthers = 0o022;

/**
 * Closes an existing folder to others if it is Patina's own or still empty. A folder that has other content
 * keeps its mode, because it may have another purpose.
 */
function makePrivate(home: string, own: boolean): void {
  try {
    const { mode } = statSync(home);
    if ((mode & 0o077) === 0 || (!own && (mode & writableByOthers) !== 0)) return;
    if (own || readdirSync(home).length === 0) chmodSync(home, 0o700);
  } catch {
    // A folder of another user, or on a disk without modes, stays as it is; its files are private.
  }
}

/** `PATINA_HOME`, by default `~/.patina`; created when missing, for its owner only. */
export function makeHomeFolder(env: Environment): HomeFolder {
  const own = join(homedir(), '.patina');
  const home = resolve(pathVariable(env, 'PATINA_HOME') ?? own);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    makePrivate(home, home === own);
    return { home, obstacle: null };
  } catch (cause) {
    return { home, obstacle: cause instanceof Error ? cause.message : String(cause) };
  }
}

/**
 * Whether a file can be written in the folder now. Writes one to find out, since a full disk permits
 * everything else.
 */
export function canWrite(folder: string): boolean {
  const probe = join(folder, `.probe-${process.pid}`);
  try {
    writeFileSync(probe, Buffer.alloc(4_096), { mode: 0o600 });
    return true;
  } catch {
    return false;
  } finally {
    try {
      rmSync(probe, { force: true });
    } catch {
      // The file was never created.
    }
  }
}

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
