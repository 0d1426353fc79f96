import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { must } from '../../testing/stored-session';
import { createNodeHost } from '../adapters/cli/node-host';
import type { DoctorCheck } from '../app';
import { doctorCommand, doctorOfRefusedStart } from '../cli/commands/doctor';
import type { Terminal } from '../cli/output';
import { compose } from '../compose/compose';

const home = mkdtempSync(join(tmpdir(), 'patina-published-'));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const breakOne = (): void => {
  mkdirSync(join(home, 'workflows', 'published'), { recursive: true });
  writeFileSync(
    join(home, 'workflows', 'published', 'bad_one.json'),
    JSON.stringify({ schema: 1, rows: [] }),
  );
};
const host = () => must(createNodeHost(resolve('out/main'), { home, project: home }));

it('[T6-8-1-startup] an invalid published workflow stops nothing: a notice has its file, field and reason', async () => {
  breakOne();
  const app = must(compose(host()));
  const notice = app.notices.all().find(({ id }) => id === 'workflow-files');
  expect(notice?.detail).toMatch(/bad_one\.json: rows: /);
  expect(notice?.hint).toContain('Fix these files');
  rmSync(join(home, 'workflows', 'published', 'bad_one.json'));
  await app.close();
  const repaired = must(compose(host()));
  expect(repaired.notices.all().map(({ id }) => id)).not.toContain('workflow-files');
  await repaired.close();
});

it('[T6-8-1-doctor] the doctor reports the same in its own format, with its other findings', async () => {
  breakOne();
  const app = must(compose({ ...host(), env: { PATINA_DISCOVERY: 'off' } }));
  const said: string[] = [];
  const terminal = { json: true, out: (text: string) => void said.push(text) } as unknown as Terminal;
  expect(await doctorCommand(app, terminal)).toBe(3);
  const { ok, checks } = JSON.parse(said.join('')) as { ok: boolean; checks: readonly DoctorCheck[] };
  expect(ok).toBe(false);
  expect(checks.find(({ name }) => name === 'workflows')).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/bad_one\.json: rows: [^:]/) as string,
    error: { kind: 'CONFIG', code: 'INVALID' },
  });
  expect(checks.find(({ name }) => name === 'sessions')).toMatchObject({ ok: true });
  await app.close();
});

it('[T6-8-1-doctor] a refused start is also a finding of the doctor', () => {
  const said: string[] = [];
  const terminal = { json: true, out: (text: string) => void said.push(text) } as unknown as Terminal;
  const error = appError('CONFIG', 'INVALID', 'A mode is not valid.');
  expect(doctorOfRefusedStart(error, terminal)).toBe(3);
  expect(JSON.parse(said.join(''))).toMatchObject({
    ok: false,
    checks: [{ name: 'start', ok: false, error }],
  });
});
