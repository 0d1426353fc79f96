import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** `PATINA_HOME`, by default `~/.patina`; made when missing, readable by its owner only. */
export function patinaHome(env: Readonly<Record<string, string | undefined>>): string {
  const home = resolve(env['PATINA_HOME'] || join(homedir(), '.patina'));
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return home;
}
