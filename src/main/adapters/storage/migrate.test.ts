import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import { migrate, versionMark } from './migrate';
import { openSqlite } from './sqlite';

const steps = ['CREATE TABLE a (x)', 'ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2)'];
const rows = (path: string, sql: string): unknown => {
  const db = openSqlite(path);
  const [row] = db.prepare(sql).all() as Record<string, unknown>[];
  return row;
};

it('[SES-migrate] migrates a file step by step and keeps a copy of the old one; a new file needs none', () => {
  const path = newDatabasePath();
  const copyPath = (from: number): string => `${path}.v${from}.bak`;
  const db = openSqlite(path);
  migrate(db, { migrations: steps.slice(0, 1), copyPath });
  expect(existsSync(copyPath(0))).toBe(false);
  db.exec('INSERT INTO a VALUES (7)');
  expect(migrate(db, { migrations: steps, copyPath })).toBeNull();
  expect(rows(path, 'SELECT count(*) AS n, sum(x) AS x FROM a')).toMatchObject({ n: 2, x: 8 });
  expect(rows(copyPath(1), 'SELECT count(*) AS n, sum(x) AS x FROM a')).toMatchObject({ n: 1, x: 7 });
  expect(rows(path, 'PRAGMA user_version')).toMatchObject({ user_version: 2 });
});

it('leaves the file unchanged when a step fails', () => {
  const path = newDatabasePath();
  const db = openSqlite(path);
  const broken = [steps[0]!, 'INSERT INTO a VALUES (1); INSERT INTO nowhere VALUES (1)'];
  expect(() => migrate(db, { migrations: broken, copyPath: (from) => `${path}.v${from}` })).toThrow(
    'nowhere',
  );
  expect(rows(path, 'SELECT count(*) AS n FROM a')).toMatchObject({ n: 0 });
  expect(rows(path, 'PRAGMA user_version')).toMatchObject({ user_version: 1 });
});

it('does not touch a file of a newer Patina, and says so', () => {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.acquireLease('s'));
  must(store.append('s', 0, turnFacts(0)));
  store.close();
  const db = openSqlite(path);
  db.exec('ALTER TABLE sessions RENAME COLUMN last_seq TO newest; PRAGMA user_version = 99');
  db.exec(`PRAGMA application_id = ${versionMark(99)}`);
  db.close();
  const refused = openStore(path, { pid: 2 }).list();
  expect(refused).toMatchObject({ ok: false, error: { code: 'STORAGE', hint: 'Update Patina to open it.' } });
  expect(readdirSync(dirname(path)).some((name) => name.includes('corrupt'))).toBe(false);
  expect(rows(path, 'SELECT newest FROM sessions')).toMatchObject({ newest: 4 });
});
