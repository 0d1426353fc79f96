/**
 * A failure that set-up expects and can explain. The user sees one line, never a stack trace.
 * @param {string} line what went wrong and what to do, in one or two sentences
 * @param {unknown} [cause]
 */
export function problem(line, cause) {
  const error = new Error(line, { cause });
  error.name = 'Problem';
  return error;
}

/** @param {unknown} error @returns {error is Error} */
export function isProblem(error) {
  return error instanceof Error && error.name === 'Problem';
}

/** @param {unknown} error @returns {string} the system's code (`ENOSPC`), or an empty string */
export function codeOf(error) {
  if (typeof error !== 'object' || error === null) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Turns a file system error into a sentence; returns any other error unchanged.
 * @param {unknown} error
 * @param {string} doing the current operation, as in "unpacking Electron"
 * @param {string} where the folder concerned
 */
export function explainDisk(error, doing, where) {
  if (isProblem(error)) return error;
  const code = codeOf(error) || (/ENOSPC|No space left/.exec(String(error)) ? 'ENOSPC' : '');
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return problem(`No space left on the disk while ${doing} (${where}). Free some and start again.`, error);
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return problem(`No permission to write ${where} while ${doing}. Make it yours and start again.`, error);
  }
  if (code === 'EROFS') return problem(`${where} is read-only: ${doing} cannot go on.`, error);
  return error;
}
