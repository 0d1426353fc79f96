import picomatch from 'picomatch';
import { ok, type Result } from '#shared/result';
import type { TimeGuard } from './time-guard';

const GLOB_LIMIT_MS = 2_000;

/**
 * Keeps the paths that match a glob. A glob without a slash matches file names at any depth (`*.ts`); one
 * with a slash matches the path relative to `start`. Dot files count. Extended globs (`+(…)`) are plain
 * characters.
 */
export function filterByGlob(
  paths: readonly string[],
  glob: string | undefined,
  start: string,
  guard: TimeGuard,
): Result<readonly string[]> {
  if (glob === undefined) return ok(paths);
  const named = !glob.includes('/');
  const skip = start === '' ? 0 : start.length + 1;
  return guard(GLOB_LIMIT_MS, `The glob ${JSON.stringify(glob)}`, () => {
    const matches = picomatch(glob.replace(/^\.\//, ''), { dot: true, noextglob: true, nonegate: true });
    return paths.filter((path) => matches(named ? path.slice(path.lastIndexOf('/') + 1) : path.slice(skip)));
  });
}
