import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { AppError } from '#shared/app-error';
import { must, newDatabasePath, openStore } from '../../../testing/stored-session';
import { saysFinding, storageFailure } from './storage-failure';

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
