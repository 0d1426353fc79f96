import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { fileError } from './file-problem';
import { quoted } from './path-rules';
import { READ_ONLY, type ProjectRoot } from './project-root';

/** The content of a file, or that it is too large for memory and must be streamed. */
export type SmallFile = { readonly kind: 'whole'; readonly bytes: Buffer } | { readonly kind: 'large' };

const MAX_BYTES = 1 << 20;

/**
 * Reads many small files fast: resolves and checks a file's folder once, then opens the file without
 * following a link. A link is resolved completely, with the usual check. One reader serves one call.
 */
export function createSmallFileReader(root: ProjectRoot): (file: string) => Result<SmallFile> {
  const folders = new Map<string, string | null>();
  const folderOf = (file: string): string | null => {
    const folder = path.posix.dirname(file);
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const place = root.locate(folder);
    const absolute = place.ok ? place.value.absolute : null;
    folders.set(folder, absolute);
    return absolute;
  };
  return (file) => {
    const folder = isPlain(file) ? folderOf(file) : null;
    const direct = folder === null ? null : openFile(path.join(folder, path.posix.basename(file)));
    if (direct?.fd !== undefined) return readOpened(file, direct.fd);
    const place = root.locate(file);
    if (!place.ok) return place;
    const resolved = openFile(place.value.absolute);
    return resolved.fd === undefined ? err(fileError(file, resolved.error)) : readOpened(file, resolved.fd);
  };
}

/** A relative path of ordinary names, as `list_files` returns them; any other path is resolved completely. */
function isPlain(file: string): boolean {
  return !/[\0\\:]|^\/|(^|\/)\.{0,2}(\/|$)/.test(file);
}

function openFile(absolute: string): { fd?: number; error?: unknown } {
  try {
    return { fd: openSync(absolute, READ_ONLY) };
  } catch (error) {
    return { error };
  }
}

function readOpened(file: string, fd: number): Result<SmallFile> {
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) {
      const what = stat.isDirectory() ? 'a folder, not a file' : 'not a regular file';
      return err(appError('TOOL', 'INVALID_ARGUMENTS', `${quoted(file)} is ${what}.`));
    }
    return ok(stat.size > MAX_BYTES ? { kind: 'large' } : readWhole(fd, stat.size));
  } catch (error) {
    return err(fileError(file, error));
  } finally {
    closeSync(fd);
  }
}

/**
 * Reads one byte more than the size, so that the same read detects the end; a file that has grown is
 * streamed.
 */
function readWhole(fd: number, size: number): SmallFile {
  const buffer = Buffer.allocUnsafe(size + 1);
  let read = 0;
  for (;;) {
    const count = readSync(fd, buffer, read, buffer.length - read, null);
    read += count;
    if (read === buffer.length) return { kind: 'large' };
    if (count === 0 || read === size) return { kind: 'whole', bytes: buffer.subarray(0, read) };
  }
}
