import { expect, it } from 'vitest';
import { findingOf } from './child-database-check';

it('names the work that failed, also when its process ended without an answer', () => {
  const message = (result: ReturnType<typeof findingOf>) => (result.ok ? null : result.error.message);
  expect(message(findingOf({ failed: 'ENOENT' }, 'backup'))).toBe('The backup could not be written: ENOENT');
  expect(message(findingOf(null, 'stage-restore'))).toBe(
    'The backup could not be read: its process ended early',
  );
  expect(findingOf({ problem: null }, 'check')).toEqual({ ok: true, value: null });
});
