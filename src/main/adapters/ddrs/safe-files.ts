import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { err, ok, type Result } from '#shared/result';

/** No document a person reads is longer. */
export const mostBytes = 2_000_000;

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
    if (stat.size > mostBytes) return problem('size', `It is larger than ${mostBytes / 1_000_000} MB.`);
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

/** On systems that can: what a folder holds is on disk as well. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // Windows cannot open a folder; there the rename itself is durable enough.
  }
}

function writeDraft(file: string, text: string): string {
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}.tmp`);
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeFileSync(handle, text, 'utf8');
    fsyncSync(handle);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  return draft;
}

/** Whole or not at all, flushed before it takes its name. Throws what the file system throws. */
export function writeWhole(file: string, text: string): void {
  const draft = writeDraft(file, text);
  try {
    renameSync(draft, file);
    syncFolder(path.dirname(file));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** The same for a file that must not be there yet; false when it is. */
export function writeNew(file: string, text: string): boolean {
  const draft = writeDraft(file, text);
  try {
    linkSync(draft, file);
    syncFolder(path.dirname(file));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
