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

it('[ITEM-menu-names] a path that has the typed characters comes before one that has only their letters', async () => {
  const paths = ['docs/v2', 'src/a-d.ts', 'a/-dash.txt'];
  const options = createAttachOptions(
    (_state, { source }) =>
      Promise.resolve({
        items: ('providerId' in source && source.providerId === 'project_files' ? paths : []).map((id) => ({
          header: { id, displayName: id },
          aliases: [],
          keywords: [],
        })),
        offset: 0,
        total: paths.length,
        status: { state: 'ready' },
      }),
    () => Promise.resolve([]),
    () => null,
  );
  const files = async (text: string) =>
    (await options(null, text)).filter(({ kind }) => kind === 'file').map(({ name }) => name);
  expect(await files('-d')).toEqual(['a/-dash.txt', 'src/a-d.ts', 'docs/v2']);
  expect(await files('d')).toEqual(paths);
});

it('[ITEM-menu-fresh] the files are read again as the menu opens, and not with every letter', async () => {
  const read: string[] = [];
  const options = createAttachOptions(
    (_state, { text, refresh }) => {
      if (refresh) read.push(text);
      return Promise.resolve({ items: [], offset: 0, total: 0, status: { state: 'ready' } });
    },
    () => Promise.resolve([]),
    () => null,
  );
  for (const text of ['', 'a', 'ap']) await options(null, text);
  expect(read).toEqual(['']);
});
