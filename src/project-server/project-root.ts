import { constants, realpathSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { fileError } from './file-problem';
import { quoted, relativeToRoot } from './path-rules';

export interface ResolvedPath {
  /** The absolute path with every link resolved, inside the root. */
  readonly absolute: string;
  /** The requested path relative to the root, POSIX; `''` is the root. */
  readonly relative: string;
}

/** The only folder this server reads, and the only ways from a caller's text to the disk. */
export interface ProjectRoot {
  readonly path: string;
  /** Follows links and refuses one that leaves the root. TOOL/NOT_FOUND, TOOL/INVALID_ARGUMENTS. */
  locate(text: string): Result<ResolvedPath>;
  /** Opens a regular file for reading; the caller closes it. Never opens a FIFO or device. */
  openFile(text: string): Promise<Result<{ readonly handle: FileHandle; readonly size: number }>>;
}

/**
 * Resolves the root once, so that later changes to its links have no effect. A missing folder is
 * CONFIG/MISSING.
 */
export function createProjectRoot(folder: string): Result<ProjectRoot> {
  const resolved = resolveRoot(path.resolve(folder));
  if (!resolved.ok) return resolved;
  const root = resolved.value;
  const locate = (text: string): Result<ResolvedPath> => locateIn(root, path.resolve(folder), text);
  return ok({ path: root, locate, openFile: (text) => openIn(locate, text) });
}

function resolveRoot(absolute: string): Result<string> {
  try {
    const real = realpathSync.native(absolute);
    if (statSync(real).isDirectory()) return ok(real);
    return err(appError('CONFIG', 'MISSING', `${quoted(absolute)} is not a folder.`));
  } catch (error) {
    return err(appError('CONFIG', 'MISSING', fileError(absolute, error).message));
  }
}

function locateIn(root: string, alias: string, text: string): Result<ResolvedPath> {
  const requested = relativeToRoot(text, root);
  const relative = requested.ok || root === alias ? requested : relativeToRoot(text, alias);
  if (!relative.ok) return relative;
  try {
    const absolute = realpathSync.native(path.join(root, relative.value));
    if (isInside(root, absolute)) return ok({ absolute, relative: relative.value });
    const message = `${quoted(text)} is a link that leads outside the project folder.`;
    return err(appError('TOOL', 'INVALID_ARGUMENTS', message));
  } catch (error) {
    return err(fileError(text, error));
  }
}

function isInside(root: string, absolute: string): boolean {
  const relative = path.relative(root, absolute);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

/**
 * Flags for opening: follow no link at the last segment (the path is already resolved), and do not wait for a
 * writer.
 */
export const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function openIn(
  locate: ProjectRoot['locate'],
  text: string,
): Promise<Result<{ handle: FileHandle; size: number }>> {
  const place = locate(text);
  if (!place.ok) return place;
  let handle: FileHandle;
  try {
    handle = await open(place.value.absolute, READ_ONLY);
  } catch (error) {
    return err(fileError(text, error));
  }
  const stat = await handle.stat();
  if (stat.isFile()) return ok({ handle, size: stat.size });
  await handle.close();
  const what = stat.isDirectory() ? 'a folder, not a file' : 'not a regular file';
  return err(appError('TOOL', 'INVALID_ARGUMENTS', `${quoted(text)} is ${what}.`));
}
