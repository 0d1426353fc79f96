import picomatch from 'picomatch';
import { stat } from 'node:fs/promises';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { fileError } from './file-problem';
import { quoted } from './path-rules';
import type { ToolContext } from './tool';
import { walk, type Walk } from './walk';
import type { TimeGuard } from './time-guard';

const GLOB_LIMIT_MS = 2_000;

/**
 * Keeps the paths that match a glob. A glob without a slash matches file names at any depth (`*.ts`); one
 * with a slash matches the path relative to `start`. Dot files count. Extended globs (`+(…)`) are plain
 * characters.
 */
function filterByGlob(
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

export interface FileQuery {
  readonly path: string;
  readonly glob?: string | undefined;
  readonly includeIgnored: boolean;
}

/**
 * The files that match a query. TOOL/NOT_FOUND for a missing folder, TOOL/INVALID_ARGUMENTS for a path that
 * is not a folder or lies outside the root.
 */
export async function findFiles(query: FileQuery, context: ToolContext): Promise<Result<Walk>> {
  const place = context.root.locate(query.path);
  if (!place.ok) return place;
  const folder = await isFolder(query.path, place.value.absolute);
  if (!folder.ok) return folder;
  const start = place.value.relative;
  const { includeIgnored } = query;
  const found = await walk({ root: context.root.path, start, includeIgnored, signal: context.signal });
  if (found.incomplete) {
    const message = `${quoted(query.path)} holds more than ${found.files.length} files: name a smaller folder.`;
    return err(appError('TOOL', 'INVALID_ARGUMENTS', message));
  }
  const files = filterByGlob(found.files, query.glob, start, context.guard);
  return files.ok ? ok({ ...found, files: files.value }) : files;
}

async function isFolder(request: string, absolute: string): Promise<Result<null>> {
  try {
    if ((await stat(absolute)).isDirectory()) return ok(null);
    return err(appError('TOOL', 'INVALID_ARGUMENTS', `${quoted(request)} is a file, not a folder.`));
  } catch (error) {
    return err(fileError(request, error));
  }
}
