import { randomBytes } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import type { Ids } from '../../../core/ports/ids';
import type { PathChangedAt } from '../../../core/ports/project-paths';

/** Ids of 96 random bits: unique across processes without coordination, safe in file names and URLs. */
export function createRandomIds(): Ids {
  return { next: (prefix) => `${prefix}_${randomBytes(12).toString('hex')}` };
}

/** The name of the logged-in user, for approvals and messages. */
export function userName(env: Readonly<Record<string, string | undefined>>): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no passwd entry.
    return env['USER'] ?? env['USERNAME'] ?? 'the user';
  }
}

/** Resolves links before it checks the location, so that no link leads outside the project. */
export const pathChangedAt: PathChangedAt = (project, relative) => {
  if (path.isAbsolute(relative) || relative.includes('\0')) return null;
  try {
    const root = realpathSync(project);
    const found = realpathSync(path.join(root, relative));
    const within = found === root || found.startsWith(root.endsWith(path.sep) ? root : root + path.sep);
    return within ? statSync(found).mtimeMs : null;
  } catch {
    return null;
  }
};
