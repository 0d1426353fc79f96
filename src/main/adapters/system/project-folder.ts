import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/** Whether there is a folder now; false when it cannot be reached, as on a network that is gone. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/**
 * Whether a folder may be a project: it can be reached and is neither a root nor the home folder itself. Never
 * throws.
 */
export function isProjectFolder(folder: string): boolean {
  // `resolve` reads an empty name as the working folder, which nobody named.
  if (folder.trim() === '') return false;
  const path = resolve(folder);
  if (path === parse(path).root || path === resolve(homedir())) return false;
  return isFolder(path);
}

/** The first candidate that may be a project, as an absolute path. */
export function firstProjectFolder(candidates: readonly (string | null | undefined)[]): string | null {
  const found = candidates.find((folder) => folder && isProjectFolder(folder));
  return found ? resolve(found) : null;
}

/** The folder as an absolute path; HOST/INVALID_INPUT when it cannot be a project. */
export function checkProject(folder: string): Result<string> {
  if (isProjectFolder(folder)) return ok(resolve(folder));
  return err(
    appError('HOST', 'INVALID_INPUT', `${folder.trim() || 'An empty name'} cannot be the project folder.`, {
      hint: 'Choose an existing folder that is neither the root nor your home folder.',
    }),
  );
}

const projectOption = '--project';

/**
 * `--project DIR` or `--project=DIR` on the app's command line, as an absolute path; empty when it names none, null
 * without the option.
 */
export function projectArgument(argv: readonly string[]): string | null {
  const at = argv.findIndex((word) => word === projectOption || word.startsWith(`${projectOption}=`));
  const word = argv[at];
  if (word === undefined) return null;
  const value = word === projectOption ? argv[at + 1] : word.slice(projectOption.length + 1);
  return value?.trim() ? resolve(value) : '';
}

/**
 * The folder of the repository that contains a project, and the project's path in it with `/`; the project
 * itself and '' when it is not part of a larger one.
 */
export function repositoryOf(project: string): { readonly root: string; readonly prefix: string } {
  const alone = { root: project, prefix: '' };
  try {
    const start = realpathSync(project);
    let folder = start;
    while (!existsSync(join(folder, '.git'))) {
      const above = dirname(folder);
      if (above === folder || !isProjectFolder(above)) return alone;
      folder = above;
    }
    return folder === start ? alone : { root: folder, prefix: relative(folder, start).split(sep).join('/') };
  } catch {
    return alone;
  }
}
