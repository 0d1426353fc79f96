import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { must } from '../testing/stored-session';
import { createNodeHost } from './adapters/cli/node-host';
import { compose } from './compose';

const home = mkdtempSync(join(tmpdir(), 'patina-published-'));
afterEach(() => rmSync(home, { recursive: true, force: true }));

it('a published workflow that does not hold stops the start with its file, field and reason', () => {
  mkdirSync(join(home, 'workflows', 'published'), { recursive: true });
  writeFileSync(
    join(home, 'workflows', 'published', 'bad_one.json'),
    JSON.stringify({ schema: 1, rows: [] }),
  );
  const app = compose(must(createNodeHost(resolve('out/main'), { home })));
  expect(app).toMatchObject({ ok: false, error: { kind: 'CONFIG', code: 'INVALID' } });
  const [problem] = app.ok ? [] : (app.error.problems ?? []);
  expect(problem).toMatchObject({
    file: expect.stringContaining('bad_one.json') as string,
    field: expect.stringContaining('rows') as string,
    reason: expect.any(String) as string,
  });
});
