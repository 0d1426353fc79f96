import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { callerFolder, pathArgument } from './caller-paths';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'patina-root-')));
afterEach(() => rmSync(`${root}-link`, { force: true }));

it('[CLI-caller-paths] the caller’s folder is where npm was called, otherwise the working folder', () => {
  const caller = '/home/someone/work';
  const place = (cwd: string, env: Record<string, string | undefined>) => callerFolder({ cwd, env, root });
  expect(place(root, { INIT_CWD: caller })).toBe(caller);
  expect(place(root, { INIT_CWD: '' })).toBe(root);
  expect(place(root, {})).toBe(root);
  expect(place('/elsewhere', { INIT_CWD: caller })).toBe('/elsewhere');
  symlinkSync(root, `${root}-link`);
  expect(place(`${root}-link`, { INIT_CWD: caller })).toBe(caller);
});

it('[CLI-caller-paths] an empty path is refused: no other folder replaces it', () => {
  expect(pathArgument('--home', ' ')).toMatchObject({
    error: { kind: 'HOST', code: 'INVALID_INPUT', message: '--home is empty.' },
  });
  expect(pathArgument('--home', './h')).toEqual({ ok: true, value: resolve('h') });
});
