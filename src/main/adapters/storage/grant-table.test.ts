import { expect, it } from 'vitest';
import type { Grant } from '#shared/grant';
import { must, newDatabasePath, openStore } from '../../../testing/stored-session';
import { openSqlite } from './sqlite';

const grant = (id: string, at: number): Grant => ({
  id,
  at,
  decision: 'allow',
  tool: 'mcp://fs.write',
  where: { path: { beginsWith: 'docs/' } },
  reach: { kind: 'always', project: '/p' },
});

it('[AGP-grant-survives] saved permissions survive a restart, newest first, and can be revoked', () => {
  const path = newDatabasePath();
  const first = openStore(path);
  must(first.grants.add([grant('g1', 1), grant('g2', 2)]));
  first.close();
  const again = openStore(path, { pid: 2 });
  expect(must(again.grants.list())).toEqual([grant('g2', 2), grant('g1', 1)]);
  must(again.grants.remove(['g2']));
  expect(must(again.grants.list()).map(({ id }) => id)).toEqual(['g1']);
  expect(again.grants.remove(['g1', 'g2'])).toMatchObject({ error: { kind: 'HOST', code: 'NOT_FOUND' } });
  expect(must(again.grants.list())).toHaveLength(1);
  expect(again.grants.add([grant('g3', 3), grant('g1', 1)])).toMatchObject({ error: { code: 'STORAGE' } });
  expect(must(again.grants.list())).toHaveLength(1);
});

it('an invalid row of permissions allows nothing', () => {
  const path = newDatabasePath();
  const store = openStore(path);
  must(store.grants.add([grant('g1', 1)]));
  store.close();
  const db = openSqlite(path);
  db.exec(`INSERT INTO grants VALUES ('g2', 2, '{"id":"g2","tool":"mcp://fs.write"}'), ('g3', 3, 'no json')`);
  db.close();
  expect(must(openStore(path).grants.list()).map(({ id }) => id)).toEqual(['g1']);
});
