import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
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

/** Room on a disk that SQLite needs to go on: its log grows by pages, and its index by 32 kB at once. */
const leastRoomBytes = 64 * 1024;

/**
 * The error's text, with SQLite's code of a full disk where the disk has no room: SQLite reports some writes that found none, such as
 * those to the log's index, as errors of the disk, by numbers for which the driver has no names.
 */
function textOnDisk(error: unknown, path: string): string {
  const text = failureText(error);
  if (!/SQLITE_IOERR|UNKNOWN_SQLITE_ERROR|disk I\/O error/.test(text)) return text;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < leastRoomBytes ? `SQLITE_FULL ${text}` : text;
  } catch {
    return text;
  }
}

/** What is in the way of a write to the file at `path`, and what to do about it, in words. */
export function unwritableBecause(
  error: unknown,
  path: string,
): { readonly reason: string; readonly hint: string } {
  const text = textOnDisk(error, path);
  const { message, hint } = causes.find((cause) => cause.matches.test(text)) ?? otherwise;
  return { reason: message, hint };
}

/** A HOST/STORAGE error: what could not be done to the file at `path`, why, and what to do about it. */
export function storageFailure(doing: string, error: unknown, path: string): AppError {
  const text = textOnDisk(error, path);
  const { message, hint, retryable } = causes.find((cause) => cause.matches.test(text)) ?? otherwise;
  return appError('HOST', 'STORAGE', `Could not ${doing}. ${message} (${text.slice(0, 200)})`, {
    hint,
    retryable,
  });
}
