import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flipped, frameBytes, frameHeader, putDown } from '../../../testing/corrupt-database';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import { databaseProblem, structureProblem } from './check-database';
import { noteSound } from './database-users';
import { versionMark } from './migrate';
import { openSqlite } from './sqlite';

/** A database with sessions `a` and `b` after `sql`; its log is empty. */
function written(sql = 'SELECT 1'): string {
  const path = newDatabasePath();
  const store = openStore(path);
  for (const id of ['a', 'b']) {
    must(store.acquireLease(id));
    must(store.append(id, 0, turnFacts(20, 'x'.repeat(500))));
  }
  store.close();
  const db = openSqlite(path);
  db.exec(`PRAGMA writable_schema = ON; ${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
  db.close();
  return path;
}

const both = (path: string) => [databaseProblem(path, 'quick'), structureProblem(path)];

describe('[H55] the check of a database', () => {
  it('finds nothing in a sound one, also of another version, and changes nothing', () => {
    const path = written();
    const before = readFileSync(path);
    expect([...both(path), databaseProblem(path, 'complete')]).toEqual([null, null, null]);
    expect(readFileSync(path).equals(before)).toBe(true);
    for (const version of [5, 99]) {
      const other = written(
        `DROP TABLE grants; PRAGMA user_version = ${version}; PRAGMA application_id = ${versionMark(version)}`,
      );
      expect(both(other), `version ${version}`).toEqual([null, null]);
    }
    // Files that a version before the mark wrote.
    expect(both(written('PRAGMA application_id = 0'))).toEqual([null, null]);
  });

  it.each<readonly [string, string, string]>([
    ['a version number that its mark denies', 'PRAGMA user_version = 5', 'id IN (0,'],
    ['a missing table', 'DROP TABLE grants', 'missing IS NULL'],
    [
      'a changed definition',
      "UPDATE sqlite_schema SET sql = replace(sql, 'row TEXT', 'rot TEXT')",
      'missing IS NULL',
    ],
    ['a session whose events are gone', 'DELETE FROM events WHERE id > 8589934592', 'key IS NULL'],
    [
      'a session that leads to the events of another',
      "UPDATE events SET session_id = 'b' WHERE id = 4294967297",
      'key IS NULL',
    ],
    [
      'a session that is missing from an index',
      // The index keeps its root, so it lists what was in the table before.
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_leases_1') WHERE name = 'sqlite_autoindex_sessions_1'",
      "finding = 'ok'",
    ],
  ])('finds %s', (_name, sql, finding) => {
    for (const problem of both(written(sql))) expect(problem).toContain(finding);
  });

  it('finds no fault in deleted sessions without events, or in a gap between events', () => {
    expect(
      both(
        written(
          "UPDATE sessions SET last_seq = 0, id = 'deleted:b' WHERE id = 'b'; DELETE FROM events WHERE id > 8589934592",
        ),
      ),
    ).toEqual([null, null]);
    expect(both(written('DELETE FROM events WHERE id = 4294967300'))).toEqual([null, null]);
  });

  it('finds damage in any page only when it reads all of them', () => {
    const bytes = readFileSync(written());
    const page = Array.from({ length: bytes.length / 4_096 }, (_, index) => index * 4_096)
      .filter((at) => bytes[at] === 0x0d && bytes.subarray(at, at + 4_096).includes('reply-extended'))
      .at(-2)!;
    const path = putDown(flipped(bytes, page, 0xff), Buffer.alloc(0));
    expect(databaseProblem(path, 'quick')).toBeNull();
    expect(databaseProblem(path, 'complete')).toContain('SQLITE_');
    expect(structureProblem(path)).toContain('SQLITE_');
  });

  it('finds a file of other bytes, and a header that forbids writing', () => {
    const rubbish = putDown(Buffer.alloc(9_000, 'no database '), Buffer.alloc(0));
    expect(both(rubbish)).toEqual([
      expect.stringContaining('SQLITE_NOTADB'),
      expect.stringContaining('SQLITE_NOTADB'),
    ]);
    const bytes = readFileSync(written());
    bytes[18] = 7;
    expect(databaseProblem(putDown(bytes, Buffer.alloc(0)), 'quick')).toBe('its header forbids writing');
  });

  it('finds a folder in place of the file, and nothing where there is none', () => {
    const path = newDatabasePath();
    expect(databaseProblem(path, 'quick')).toBeNull();
    expect(existsSync(path)).toBe(false);
    expect(() => structureProblem(path)).toThrow();
    mkdirSync(path);
    expect(databaseProblem(path, 'quick')).toBe('a folder is in its place');
  });

  it.each<readonly [string, (path: string) => void, string | null]>([
    ['new', () => undefined, null],
    ['checked before', (path) => noteSound(path, null), 'the file is empty'],
    ['beside copies', (path) => void mkdirSync(join(dirname(path), 'copies')), 'the file is empty'],
  ])('judges an empty file that is %s', (_name, prepare, problem) => {
    const path = newDatabasePath();
    writeFileSync(path, '');
    prepare(path);
    expect(databaseProblem(path, 'quick')).toBe(problem);
  });
});

describe('[H55] the check of a log', () => {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, turnFacts(2)));
  must(store.append('s', 6, [{ type: 'reply-extended', turn: 0, text: 'the end' }]));
  const [database, log] = [readFileSync(path), readFileSync(`${path}-wal`)];
  const last = log.length - frameBytes;

  it.each<readonly [string, Buffer, Buffer, string | null]>([
    ['that is sound', database, log, null],
    ['that is empty', database, Buffer.alloc(0), null],
    ['without a frame', database, log.subarray(0, 40), null],
    ['that ends within its last frame', database, log.subarray(0, log.length - 1), null],
    [
      'whose first frame is damaged',
      database,
      flipped(log, 32 + frameHeader, 1),
      'the log is damaged before its last commit',
    ],
    ['whose header is damaged', database, flipped(log, 10, 1), 'the log is damaged before its last commit'],
    [
      'whose last commit is damaged',
      database,
      flipped(log, last + 16, 1),
      'the last commit in the log is damaged',
    ],
    ['whose database is empty', Buffer.alloc(0), log, 'the file is empty and its log is not'],
  ])('%s', (_name, bytes, wal, problem) => {
    const copy = putDown(bytes, wal);
    expect(databaseProblem(copy, 'quick')).toBe(problem);
  });
});
