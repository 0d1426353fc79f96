import { expect, it } from 'vitest';
import { prepare } from './pack-template';

it('[BOX-template] the built-in memory image is reproducible', async () => {
  const once = await prepare();
  expect(await prepare()).toEqual(once);
  expect(once.start).not.toBe(once.completeCall);
});
