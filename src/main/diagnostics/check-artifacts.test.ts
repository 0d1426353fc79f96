import { expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { checkArtifacts } from './doctor';

const gigabyte = 1024 ** 3;
const shelf = (...sizes: readonly number[]) => ({
  list: () => ok(sizes.map((bytes, at) => ({ handle: `artifact://sha256/${at}`, bytes, at }))),
});

it('[ART-size] the doctor reports artifacts that exceed a gigabyte, or that cannot be listed', () => {
  expect(checkArtifacts(shelf())).toEqual([]);
  expect(checkArtifacts(shelf(gigabyte))).toEqual([]);
  const [large] = checkArtifacts(shelf(gigabyte, gigabyte / 2));
  expect(large).toMatchObject({ name: 'artifacts', ok: true });
  expect(large?.detail).toContain('1.5 GB in 2 files');
  const list = () => err(appError('HOST', 'STORAGE', 'The artifact could not be listed (EACCES).'));
  expect(checkArtifacts({ list })).toMatchObject([
    { ok: false, detail: 'The artifact could not be listed (EACCES).' },
  ]);
});
