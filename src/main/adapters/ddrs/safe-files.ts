import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { err, ok, type Result } from '#shared/result';
import { codeOf } from '../system/file-error';

/** Longer than any document a person reads. */
export const maxFileBytes = 2_000_000;

/** Neither follows a link at the last path segment nor blocks on a pipe: neither one is a document. */
const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export interface ReadProblem {
  readonly rule: string;
  readonly reason: string;
}

const problem = (rule: string, reason: string) => err<ReadProblem>({ rule, reason });

/**
 * Reads a regular file; null when it does not exist. A link, a non-file, an oversized file or invalid UTF-8
 * is a problem.
 */
export function readText(file: string): Result<string | null, ReadProblem> {
  let handle: number;
  try {
    if (lstatSync(file).isSymbolicLink()) return problem('link', 'It is a link; links are not followed.');
    handle = openSync(file, readOnly);
  } catch (error) {
    const code = codeOf(error);
    return code === 'ENOENT' ? ok(null) : problem('readable', `It cannot be read (${code}).`);
  }
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return problem('file', 'It is not a file.');
    if (stat.size > maxFileBytes) return problem('size', `It is larger than ${maxFileBytes / 1_000_000} MB.`);
    const bytes = readFileSync(handle);
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (error) {
    const reason =
      error instanceof TypeError ? 'It is not UTF-8 text.' : `It cannot be read (${codeOf(error)}).`;
    return problem('readable', reason);
  } finally {
    closeSync(handle);
  }
}

/** Creates the folder. Throws when it is a link inside the library, as it does for a full disk. */
export function ownFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(folder).isSymbolicLink()) {
    throw Object.assign(new Error(`${folder} is a link`), { code: 'ELOOP' });
  }
  return folder;
}
