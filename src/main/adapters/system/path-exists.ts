import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { PathExists } from '../../../core/ports/project-paths';

/** Resolves links before it checks the location, so that no link leads outside the project. */
export const pathExists: PathExists = (project, relative) => {
  if (path.isAbsolute(relative) || relative.includes('\0')) return false;
  try {
    const root = realpathSync(project);
    const found = realpathSync(path.join(root, relative));
    return found === root || found.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
  } catch {
    return false;
  }
};
