import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { onModel, test } from '../fixtures/command-line';

test('[CLI-json] a model that was set up and cannot be used is told; no other answers for it', async ({
  patina,
  home,
}) => {
  const address = { env: onModel({ baseUrl: 'ftp://127.0.0.1/v1' }) };
  const asked = await patina(['ask', 'hello', '--json'], address);
  expect([asked.code, asked.json()]).toMatchObject([
    3,
    { kind: 'CONFIG', code: 'INVALID', message: expect.stringContaining('OPENAI_BASE_URL') },
  ]);

  await writeFile(join(home, 'providers.json'), '{"providers":[');
  const broken = await patina(['ask', 'hello', '--json']);
  expect([broken.code, broken.json()]).toMatchObject([
    3,
    { kind: 'CONFIG', problems: [{ file: join(home, 'providers.json') }] },
  ]);
  expect(await readFile(join(home, 'providers.json'), 'utf8')).toBe('{"providers":[');
  expect((await patina(['session', 'list', '--json'])).json()).toEqual([]);
  const recipe = await patina(['agent', 'count TODO and FIXME by folder', '--json']);
  expect([recipe.code, recipe.json()]).toMatchObject([0, { outcome: 'done' }]);
});

test('[H55] the command line, too, says that a database was damaged', async ({ patina, home }) => {
  await writeFile(join(home, 'sessions.db'), 'nothing that could be a database '.repeat(100));
  const list = await patina(['session', 'list', '--json']);
  expect([list.code, list.json()]).toEqual([0, []]);
  expect(list.stderr).toContain('The session database was damaged');
});
