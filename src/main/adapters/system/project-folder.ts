import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { parse, resolve } from 'node:path';

/** Whether a folder may be a project: it exists and is neither a root nor the home folder itself. */
export function isProjectFolder(folder: string): boolean {
  const path = resolve(folder);
  if (path === parse(path).root || path === resolve(homedir())) return false;
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The first candidate that may be a project, as an absolute path. */
export function firstProjectFolder(candidates: readonly (string | null | undefined)[]): string | null {
  const found = candidates.find((folder) => folder && isProjectFolder(folder));
  return found ? resolve(found) : null;
}
