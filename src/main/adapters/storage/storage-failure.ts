import { appError, type AppError } from '#shared/app-error';

interface Cause {
  readonly matches: RegExp;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
}

/** What people can do about each way a disk says no; the first match wins. */
const causes: readonly Cause[] = [
  {
    matches: /written by a newer Patina/,
    message: 'The sessions file is from a newer Patina.',
    hint: 'Update Patina to open it.',
    retryable: false,
  },
  {
    matches: /SQLITE_FULL|ENOSPC|EDQUOT/,
    message: 'The disk is full.',
    hint: 'Free some space, then try again.',
    retryable: true,
  },
  {
    matches: /SQLITE_BUSY|SQLITE_LOCKED/,
    message: 'Another program is using the sessions file.',
    hint: 'Try again; if it stays so, close other copies of Patina.',
    retryable: true,
  },
  {
    matches: /EROFS/,
    message: 'The disk that holds the sessions file is read-only.',
    hint: 'Make the disk writable, or copy the folder Patina keeps its files in to another one and name that with PATINA_HOME; then start Patina again.',
    retryable: true,
  },
  {
    matches: /SQLITE_READONLY|readonly database|EACCES|EPERM/,
    message: 'The sessions file cannot be written.',
    hint: 'Check the permissions of the folder Patina keeps its files in, then start Patina again.',
    retryable: true,
  },
  {
    matches: /SQLITE_CORRUPT|SQLITE_NOTADB|quick_check/,
    message: 'The sessions file is damaged.',
    hint: 'Restart Patina: it keeps the damaged file and saves what can be read.',
    retryable: false,
  },
  {
    matches: /SQLITE_CANTOPEN|Unable to open connection|ENOTDIR|EISDIR|ENOENT/,
    message: 'The sessions file cannot be opened.',
    hint: 'Check that the folder Patina keeps its files in exists and can be written.',
    retryable: true,
  },
];

const otherwise: Omit<Cause, 'matches'> = {
  message: 'The disk reported an error.',
  hint: 'Check the disk, then try again.',
  retryable: true,
};

/** The text by which causes are told apart: SQLite's or the system's code, and the message. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return `${code} ${error.message}`.trim();
}

/** Whether the error says that the file itself is broken, rather than out of reach. */
export function isCorruption(error: unknown): boolean {
  return /SQLITE_CORRUPT|SQLITE_NOTADB/.test(failureText(error));
}

/**
 * Whether a statement found what it looked for: a check that does not hold, or a table that is missing. The driver gives a number to
 * codes it has no name for (`UNKNOWN_SQLITE_ERROR_1544`: a folder that may not be written), and those are not meant.
 */
export function saysFinding(error: unknown): boolean {
  return /^SQLITE_(CONSTRAINT_CHECK|ERROR)\b/.test(failureText(error));
}

/** Whether the error says that the file or its folder cannot be written: no permission, a read-only disk, a full one. */
export function saysUnwritable(error: unknown): boolean {
  return /SQLITE_READONLY|readonly database|EROFS|EACCES|EPERM|SQLITE_FULL|ENOSPC|EDQUOT|SQLITE_CANTOPEN|Unable to open connection|SQLITE_IOERR_(SHM|WRITE|TRUNCATE|FSYNC)/.test(
    failureText(error),
  );
}

/** What is in the way of a write, and what to do about it, in words. */
export function unwritableBecause(error: unknown): { readonly reason: string; readonly hint: string } {
  const text = failureText(error);
  const { message, hint } = causes.find((cause) => cause.matches.test(text)) ?? otherwise;
  return { reason: message, hint };
}

/** A HOST/STORAGE error: what could not be done, why, and what to do about it. */
export function storageFailure(doing: string, error: unknown): AppError {
  const text = failureText(error);
  const { message, hint, retryable } = causes.find((cause) => cause.matches.test(text)) ?? otherwise;
  return appError('HOST', 'STORAGE', `Could not ${doing}. ${message} (${text.slice(0, 200)})`, {
    hint,
    retryable,
  });
}
