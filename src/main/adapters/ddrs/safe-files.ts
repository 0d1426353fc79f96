import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { err, ok, type Result } from '#shared/result';

/** No document a person reads is longer. */
export const maxFileBytes = 2_000_000;

/** Neither followed at the last step, nor waited for: a link or a pipe in the folder is not a document. */
const readOnly = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

export interface ReadProblem {
  readonly rule: string;
  readonly reason: string;
}

const problem = (rule: string, reason: string) => err<ReadProblem>({ rule, reason });

/** A regular file's text; null when there is none. What is a link, no file, too large or no UTF-8 is a problem. */
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

/** Makes the folder; one that is a link inside the library is refused by throwing, as a full disk is. */
export function ownFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(folder).isSymbolicLink()) {
    throw Object.assign(new Error(`${folder} is a link`), { code: 'ELOOP' });
  }
  return folder;
}
