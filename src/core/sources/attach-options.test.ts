import { expect, it } from 'vitest';
import { createAttachOptions } from './attach-options';

it('[CTX-menu-words] what can be attached has no words of a language', async () => {
  const session = { header: { id: 'ses_1', displayName: 'Talk' }, aliases: [], keywords: [] };
  const options = createAttachOptions(
    (_state, { source }) =>
      Promise.resolve({
        items: 'providerId' in source && source.providerId === 'sessions' ? [session] : [],
        offset: 0,
        total: 1,
        status: { state: 'ready' },
      }),
    () => Promise.resolve([]),
    () => null,
  );
  expect((await options(null, '')).map(({ kind, name, about }) => [kind, name, about])).toEqual([
    ['diff', 'diff', ''],
    ['diff', 'staged', ''],
    ['session', 'Talk', ''],
  ]);
});
