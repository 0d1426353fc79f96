import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { appError, type AppError } from '#shared/app-error';
import { maxAttachedFileBytes } from '#shared/context-item';
import { err, ok, type Result } from '#shared/result';
import type { AttachedFile, ReadAttachedFile } from '../../../core/ports/context-items';
import type { ListProjectFiles } from '../../../core/ports/project-files';

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

const tooLarge = (path: string, bytes: number): AppError =>
  appError(
    'HOST',
    'INVALID_INPUT',
    `${path} is too large: ${megabytes(bytes)}, at most ${megabytes(maxAttachedFileBytes)} can be attached.`,
    { hint: 'Attach a part of it, or let Agent Mode read it.' },
  );

/** Reads at most one byte more than the limit, because a file can grow while it is read. */
async function readWhole(handle: FileHandle, path: string): Promise<Result<Buffer>> {
  const { size } = await handle.stat();
  if (size > maxAttachedFileBytes) return err(tooLarge(path, size));
  const parts: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(256 * 1024), 0, 256 * 1024, bytes);
    if (bytesRead === 0) return ok(Buffer.concat(parts));
    bytes += bytesRead;
    if (bytes > maxAttachedFileBytes) return err(tooLarge(path, bytes));
    parts.push(buffer.subarray(0, bytesRead));
  }
}

function unreadable(path: string, fault: unknown): AppError {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return appError('HOST', 'NOT_FOUND', `There is no file ${path}.`, { hint: 'Check the path.' });
  return appError('HOST', 'INVALID_INPUT', `${path} cannot be read (${code}).`);
}

interface Located {
  readonly path: string;
  readonly ref: string;
}

/** Where a path leads; null when a relative one leaves its base. A path of another place counts by its name. */
function locate(named: string, base: string | null): Located | null {
  if (base === null) return isAbsolute(named) ? { path: named, ref: basename(named) } : null;
  const path = resolve(base, named);
  const inside = relative(base, path);
  if (inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside))
    return { path, ref: inside.split(sep).join('/') };
  return inside === '' || isAbsolute(named) ? { path, ref: basename(path) } : null;
}

const outside = (path: string): AppError =>
  appError('HOST', 'INVALID_INPUT', `${path} is outside the project folder.`, {
    hint: 'Give the whole path of a file elsewhere.',
  });

/** Reads what the user attaches, wherever it is: the path comes from the user. */
export function createReadAttachedFile(listFiles: ListProjectFiles): ReadAttachedFile {
  return async (named, base): Promise<Result<AttachedFile>> => {
    const found = locate(named, base);
    if (!found) return err(outside(named));
    const { path, ref } = found;
    try {
      // Without O_NONBLOCK, opening a pipe waits for its other end.
      const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
      try {
        const stat = await handle.stat();
        if (stat.isFile()) {
          const read = await readWhole(handle, ref);
          return read.ok ? ok({ type: 'file', ref, bytes: read.value }) : read;
        }
        if (!stat.isDirectory())
          return err(appError('HOST', 'INVALID_INPUT', `${named} is neither a file nor a folder.`));
      } finally {
        await handle.close();
      }
    } catch (fault) {
      const folder = fault instanceof Error && 'code' in fault && fault.code === 'EISDIR';
      if (!folder) return err(unreadable(named, fault));
    }
    const listed = await listFiles(path, AbortSignal.timeout(10_000));
    return listed.ok ? ok({ type: 'folder', ref, ...listed.value }) : listed;
  };
}
