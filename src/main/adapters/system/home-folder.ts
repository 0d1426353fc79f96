import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The path that a variable of the environment names, with a leading `~/` as the user's home: only a shell would expand it,
 * and a desktop's settings, a service file or a container has none. Undefined when it is not set, or empty.
 */
export function pathVariable(env: Environment, name: string): string | undefined {
  const value = env[name];
  if (value === undefined || value === '') return undefined;
  return value === '~' || /^~[/\\]/.test(value) ? join(homedir(), value.slice(1)) : value;
}

/** Patina's folder, and what is in the way when it cannot be made. */
export interface HomeFolder {
  readonly home: string;
  readonly obstacle: string | null;
}

/** `PATINA_HOME`, by default `~/.patina`; made when missing, for its owner only. */
export function makeHomeFolder(env: Environment): HomeFolder {
  const home = resolve(pathVariable(env, 'PATINA_HOME') ?? join(homedir(), '.patina'));
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return { home, obstacle: null };
  } catch (cause) {
    return { home, obstacle: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** Whether a file can be written in the folder now: asked by writing one, since a full disk allows all but that. */
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
      // It could not be made.
    }
  }
}
