import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

const separators = /[\\/]+/;

const isAbsolute = (path: string): boolean =>
  path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('\\\\');

/** Whether backslashes separate folders: only if the project's own path uses them. */
const usesBackslash = (project: string): boolean => /^[A-Za-z]:/.test(project) || project.startsWith('\\\\');

function split(path: string, project: string): readonly string[] {
  return path
    .split(usesBackslash(project) ? separators : /\/+/)
    .filter((part) => part !== '' && part !== '.');
}

function withoutPrefix(parts: readonly string[], prefix: readonly string[]): readonly string[] | null {
  return prefix.every((part, index) => parts[index] === part) ? parts.slice(prefix.length) : null;
}

/**
 * Makes a path relative to the project, with `/` between folders (`.` is the project itself); a path outside
 * is HOST/INVALID_INPUT.
 */
export function pathInProject(written: string, project: string): Result<string> {
  const outside = err(
    appError('HOST', 'INVALID_INPUT', `"${written}" is outside the project folder.`, {
      hint: 'Use a path inside the project, like ./docs, or open the other folder as a project.',
    }),
  );
  if (written.startsWith('~') || written.includes('\0')) return outside;
  const parts = split(written, project);
  const inside = isAbsolute(written) ? withoutPrefix(parts, split(project, project)) : parts;
  if (inside === null) return outside;
  const remaining: string[] = [];
  for (const part of inside) {
    if (part !== '..') remaining.push(part);
    else if (remaining.pop() === undefined) return outside;
  }
  return ok(remaining.join('/') || '.');
}

/**
 * Replaces the project's absolute path with `.` wherever it is a whole path, so that the text is the same on
 * every machine.
 */
export function withoutProjectPath(text: string, project: string): string {
  const root = project.replace(/[\\/]+$/, '');
  if (root === '') return text;
  return text
    .split(root)
    .reduce((before, after) => `${before}${/^($|[\\/\s"'`,;:)\]}])/.test(after) ? '.' : root}${after}`);
}
