import { expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { trackSecrets } from './known-secrets';

it('[TEL-stored] known secrets are the stored and the resolved values, and no others', () => {
  const kept = new Map([
    ['used', 'canary-used'],
    ['unused', 'canary-unused'],
  ]);
  const secrets = trackSecrets({
    place: () => null,
    status: () => ({ available: true }),
    get: (ref) => {
      const value = kept.get(ref);
      return value === undefined ? err(appError('CONFIG', 'MISSING', ref)) : ok(value);
    },
    set: (ref, value) => (kept.set(ref, value), ok(null)),
    remove: (ref) => (kept.delete(ref), ok(null)),
  });
  expect(secrets.known()).toEqual([]);
  expect(secrets.get('used')).toEqual(ok('canary-used'));
  expect(secrets.get('nobody').ok).toBe(false);
  secrets.set('new', 'canary-new', { unprotected: false });
  // A removed secret was seen all the same.
  secrets.remove('used');
  expect(secrets.known()).toEqual(['canary-used', 'canary-new']);
});
