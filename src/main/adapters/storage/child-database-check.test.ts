import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { DatabaseTask } from '../../../core/ports/database-check';
import { createChildDatabaseCheck, findingOf } from './child-database-check';

it.each<readonly [DatabaseTask, string]>([
  ['check', 'The sessions file could not be checked'],
  ['copy', 'The daily copy could not be made'],
  ['erase', 'The deleted sessions could not be erased from the file'],
  ['session', 'The events of the session could not be checked'],
  ['backup', 'The backup could not be written'],
  ['stage-restore', 'The backup could not be read'],
])('names the failed work %s, also when its process ended without an answer', (task, what) => {
  const error = (reason: string) => ({
    ok: false,
    error: { kind: 'HOST', code: 'STORAGE', message: `${what}: ${reason}`, retryable: true },
  });
  expect(findingOf({ failed: 'ENOENT' }, task)).toMatchObject(error('ENOENT'));
  expect(findingOf(null, task)).toMatchObject(error('its process ended early'));
  expect(findingOf({ problem: null }, task)).toEqual({ ok: true, value: null });
  expect(findingOf({ problem: 'page 3' }, task)).toEqual({ ok: true, value: 'page 3' });
});

/** A check whose process runs this code instead of the real one. */
const checkWith = (code: string) => {
  const bundle = join(mkdtempSync(join(tmpdir(), 'patina-check-')), 'check.cjs');
  writeFileSync(bundle, code);
  return createChildDatabaseCheck(bundle);
};
const early = { ok: false, error: { message: expect.stringContaining('ended early') as string } };

it('answers what its process answers, which is told the file, the work and its subject', async () => {
  const start = checkWith(
    'process.send({ problem: JSON.stringify(process.argv.slice(2)) }, () => process.disconnect())',
  );
  expect(await start('/p', 'session', 's').finding).toEqual({ ok: true, value: '["/p","session","s"]' });
  expect(await start('/p').finding).toEqual({ ok: true, value: '["/p","check",""]' });
});

it('answers when its process ends without an answer, and ends it on request', async () => {
  expect(await checkWith('')('/p').finding).toMatchObject(early);
  const endless = checkWith('setInterval(() => undefined, 1_000)')('/p');
  endless.cancel();
  expect(await endless.finding).toMatchObject(early);
});
