import { expect, it } from 'vitest';
import { prepare } from './pack-template';

it('[BOX-template] the memory that is built in comes out the same each time', async () => {
  const once = await prepare();
  expect(await prepare()).toEqual(once);
  expect(once.start).not.toBe(once.completeCall);
});
