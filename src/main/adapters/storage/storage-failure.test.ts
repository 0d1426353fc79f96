import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AppError } from '#shared/app-error';
import { must, newDatabasePath, openStore } from '../../../testing/stored-session';
import { failureText, isCorruption, saysFinding, saysUnwritable, storageFailure } from './storage-failure';

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

describe('an error of the database driver', () => {
  it.each([
    ['SQLITE_CONSTRAINT_CHECK', "CHECK constraint failed: finding = 'ok'", true],
    ['SQLITE_ERROR', 'no such table: sessions', true],
    ['UNKNOWN_SQLITE_ERROR_1544', 'attempt to write a readonly database', false],
    ['UNKNOWN_SQLITE_ERROR_522', 'disk I/O error', false],
    ['SQLITE_BUSY', 'database is locked', false],
  ])('[H55] [H56] %s means damage: %s: %s', (code, message, found) => {
    expect(saysFinding(failure(code, message))).toBe(found);
  });

  it.each<readonly [code: string, message: string, cause: string, hint: string, retryable: boolean]>([
    ['', 'written by a newer Patina', 'The sessions file is from a newer Patina.', 'Update Patina', false],
    ['SQLITE_FULL', 'full', 'The disk is full.', 'Free some space', true],
    ['ENOSPC', 'no space left', 'The disk is full.', 'Free some space', true],
    ['EDQUOT', 'quota exceeded', 'The disk is full.', 'Free some space', true],
    ['SQLITE_BUSY', 'locked', 'Another program is using the sessions file.', 'close other copies', true],
    ['SQLITE_LOCKED', 'locked', 'Another program is using the sessions file.', 'close other copies', true],
    ['EROFS', 'read-only', 'The disk that holds the sessions file is read-only.', 'PATINA_HOME', true],
    ['SQLITE_READONLY', 'no', 'The sessions file cannot be written.', 'Check the permissions', true],
    ['EACCES', 'permission denied', 'The sessions file cannot be written.', 'Check the permissions', true],
    ['EPERM', 'not permitted', 'The sessions file cannot be written.', 'Check the permissions', true],
    ['SQLITE_CORRUPT', 'malformed', 'The sessions file is damaged.', 'Restart Patina', false],
    ['SQLITE_NOTADB', 'not a database', 'The sessions file is damaged.', 'Restart Patina', false],
    ['', 'quick_check: page 3', 'The sessions file is damaged.', 'Restart Patina', false],
    [
      'SQLITE_CANTOPEN',
      'no',
      'The sessions file cannot be opened.',
      "Check that Patina's folder exists",
      true,
    ],
    ['', 'Unable to open connection: 14', 'The sessions file cannot be opened.', 'Check that', true],
    ['ENOTDIR', 'not a directory', 'The sessions file cannot be opened.', 'Check that', true],
    ['EISDIR', 'a directory', 'The sessions file cannot be opened.', 'Check that', true],
    ['ENOENT', 'no such file', 'The sessions file cannot be opened.', 'Check that', true],
    ['SQLITE_IOERR', 'disk I/O error', 'The disk reported an error.', 'Check the disk', true],
  ])('[H56] %s (%s) is reported with its cause and what to do', (code, message, cause, hint, retryable) => {
    const reported = storageFailure('save the session', failure(code, message), '/nowhere/sessions.db');
    expect(reported).toMatchObject({ kind: 'HOST', code: 'STORAGE', retryable });
    expect(reported.message).toBe(`Could not save the session. ${cause} (${`${code} ${message}`.trim()})`);
    expect(reported.hint).toContain(hint);
  });

  it('[H56] is reported with no more than the beginning of a long text', () => {
    const { message } = storageFailure('save', failure('SQLITE_IOERR', 'x'.repeat(999)), '/nowhere/s.db');
    expect(message).toBe(`Could not save. The disk reported an error. (SQLITE_IOERR ${'x'.repeat(187)})`);
    expect(failureText(new Error('plain'))).toBe('plain');
    expect(failureText('no error object')).toBe('no error object');
  });

  it.each([
    ['SQLITE_READONLY', '', true, false],
    ['UNKNOWN_SQLITE_ERROR_1544', 'attempt to write a readonly database', true, false],
    ['EROFS', '', true, false],
    ['EACCES', '', true, false],
    ['EPERM', '', true, false],
    ['SQLITE_FULL', '', true, false],
    ['ENOSPC', '', true, false],
    ['EDQUOT', '', true, false],
    ['SQLITE_CANTOPEN', '', true, false],
    ['', 'Unable to open connection', true, false],
    ['SQLITE_IOERR_SHMOPEN', '', true, false],
    ['SQLITE_IOERR_WRITE', '', true, false],
    ['SQLITE_IOERR_TRUNCATE', '', true, false],
    ['SQLITE_IOERR_FSYNC', '', true, false],
    ['SQLITE_IOERR_READ', '', false, false],
    ['SQLITE_BUSY', '', false, false],
    ['SQLITE_CORRUPT', '', false, true],
    ['SQLITE_NOTADB', '', false, true],
  ])('[H56] %s %s: unwritable %s, damaged %s', (code, message, unwritable, damaged) => {
    const error = failure(code, message);
    expect([saysUnwritable(error), isCorruption(error)]).toEqual([unwritable, damaged]);
  });

  it('[H56] a file in place of the folder of the processes is named', () => {
    const path = newDatabasePath();
    writeFileSync(`${path}.users`, '');
    const store = openStore(path);
    const listed = store.list();
    expect(listed).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'STORAGE', retryable: true } });
    const { message, hint } = (listed as { readonly error: AppError }).error;
    expect(message).toContain('A folder that Patina needs has the name of a file.');
    expect(message).toContain(`${path}.users is not a folder`);
    expect(message).not.toContain('EEXIST');
    expect(hint).toContain('Move that file');
    rmSync(`${path}.users`);
    expect(must(store.list())).toEqual([]);
    store.close();
  });

  it('[H56] for a read-only folder is reported as such', () => {
    const error = failure('UNKNOWN_SQLITE_ERROR_1544', 'attempt to write a readonly database');
    expect(storageFailure('save the session', error, '/nowhere/sessions.db')).toMatchObject({
      code: 'STORAGE',
      hint: "Check the permissions of Patina's folder, then restart Patina.",
    });
  });
});
