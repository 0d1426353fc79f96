import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { appError, type AppError } from '#shared/app-error';

interface Cause {
  readonly matches: RegExp;
  readonly message: string;
  readonly hint: string;
  readonly retryable: boolean;
}

/** What users can do about each kind of disk failure; the first match wins. */
const causes: readonly Cause[] = [
  {
    matches: /written by a newer Patina/,
    message: 'The sessions file is from a newer Patina.',
    hint: 'Update Patina to open it.',
    retryable: false,
  },
  {
    matches: /^NOT_A_FOLDER/,
    message: 'A folder that Patina needs has the name of a file.',
    hint: 'Move that file somewhere else, then try again.',
    retryable: true,
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
    hint: 'Try again. If this continues, close other copies of Patina.',
    retryable: true,
  },
  {
    matches: /EROFS/,
    message: 'The disk that holds the sessions file is read-only.',
    hint: "Make the disk writable, or copy Patina's folder to another disk and set PATINA_HOME to the copy. Then restart Patina.",
    retryable: true,
  },
  {
    matches: /SQLITE_READONLY|readonly database|EACCES|EPERM/,
    message: 'The sessions file cannot be written.',
    hint: "Check the permissions of Patina's folder, then restart Patina.",
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
    hint: "Check that Patina's folder exists and is writable.",
    retryable: true,
  },
];

const otherwise: Omit<Cause, 'matches'> = {
  message: 'The disk reported an error.',
  hint: 'Check the disk, then try again.',
  retryable: true,
};

/** The text that identifies the cause: the code of SQLite or the system, and the message. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return `${code} ${error.message}`.trim();
}

/** Whether the error means that the file itself is damaged, rather than inaccessible. */
export function isCorruption(error: unknown): boolean {
  return /SQLITE_CORRUPT|SQLITE_NOTADB/.test(failureText(error));
}

/**
 * Whether a check statement failed because of its finding: a failed check or a missing table. The driver
 * numbers codes that it has no name for (`UNKNOWN_SQLITE_ERROR_1544`: a folder without write permission);
 * those do not count.
 */
export function saysFinding(error: unknown): boolean {
  return /^SQLITE_(CONSTRAINT_CHECK|ERROR)\b/.test(failureText(error));
}

/**
 * Whether the error means that the file or its folder cannot be written: no permission, a read-only disk, a
 * full disk.
 */
export function saysUnwritable(error: unknown): boolean {
  return /SQLITE_READONLY|readonly database|EROFS|EACCES|EPERM|SQLITE_FULL|ENOSPC|EDQUOT|SQLITE_CANTOPEN|Unable to open connection|SQLITE_IOERR_(SHM|WRITE|TRUNCATE|FSYNC)/.test(
    failureText(error),
  );
}

/** Free disk space that SQLite needs to continue: its log grows by pages, and its index by 32 kB at once. */
const minFreeBytes = 64 * 1024;

/**
 * The error's text, with SQLite's disk-full code when the disk has no space: SQLite reports some writes that
 * found no space, such as those to the log's index, as disk errors with numbers that the driver cannot name.
 */
function textOnDisk(error: unknown, path: string): string {
  const text = failureText(error);
  if (!/SQLITE_IOERR|UNKNOWN_SQLITE_ERROR|disk I\/O error/.test(text)) return text;
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < minFreeBytes ? `SQLITE_FULL ${text}` : text;
  } catch {
    return text;
  }
}

/** Why the file at `path` cannot be written, and how to fix it, as text. */
export function unwritableBecause(
  error: unknown,
  path: string,
): { readonly reason: string; readonly hint: string } {
  const text = textOnDisk(error, path);
  const { message, hint } = causes.find((cause) => cause.matches.test(text)) ?? otherwise;
  return { reason: message, hint };
}

/** A HOST/STORAGE error: what failed for the file at `path`, why, and how to fix it. */
export function storageFailure(doing: string, error: unknown, path: string): AppError {
  const text = textOnDisk(error, path);
  const { message, hint, retryable } = causes.find((cause) => cause.matches.test(text)) ?? otherwise;
  return appError('HOST', 'STORAGE', `Could not ${doing}. ${message} (${text.slice(0, 200)})`, {
    hint,
    retryable,
  });
}
