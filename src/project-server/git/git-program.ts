import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Finds git on the search path, as an absolute path outside `folder`; null when there is none. A bare name
 * would let Windows run `git.exe` from the current, untrusted folder.
 */
export function findGit(folder: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const name = process.platform === 'win32' ? 'git.exe' : 'git';
  const searched = environment.PATH ?? environment.Path ?? '';
  for (const place of searched.split(path.delimiter)) {
    if (!path.isAbsolute(place) || isWithin(folder, place)) continue;
    const program = path.join(place, name);
    if (isProgram(program)) return program;
  }
  return null;
}

function isWithin(folder: string, place: string): boolean {
  const relative = path.relative(folder, place);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
