import { describe, expect, it } from 'vitest';
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

  it('[H56] for a read-only folder is reported as such', () => {
    const error = failure('UNKNOWN_SQLITE_ERROR_1544', 'attempt to write a readonly database');
    expect(storageFailure('save the session', error, '/nowhere/sessions.db')).toMatchObject({
      code: 'STORAGE',
      hint: "Check the permissions of Patina's folder, then restart Patina.",
    });
  });
});
