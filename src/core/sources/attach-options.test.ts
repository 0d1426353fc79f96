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
  const paths = ['docs/v2', 'src/a-d.ts', 'a/-dash.txt', 'd b.txt'];
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
  expect(await files('-d')).toEqual(['a/-dash.txt', 'src/a-d.ts', 'docs/v2', 'd b.txt']);
  expect((await files('d '))[0]).toBe('d b.txt');
  expect(await files('d')).toEqual(paths);
});

it('[ITEM-menu-fresh] the files are read again as the menu opens, and a name that is new is waited for', async () => {
  const read: string[] = [];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let names: readonly string[] = [];
  const options = createAttachOptions(
    async (_state, { source, text, refresh }) => {
      if (refresh) {
        read.push(text);
        await released;
        names = ['app.ts'];
      }
      const files = 'providerId' in source && source.providerId === 'project_files' ? names : [];
      const items = files.map((id) => ({ header: { id, displayName: id }, aliases: [], keywords: [] }));
      return { items, offset: 0, total: items.length, status: { state: 'ready' } };
    },
    () => Promise.resolve([]),
    () => null,
  );
  const found = [options(null, ''), options(null, 'ap')];
  release();
  const files = (await Promise.all(found)).map((all) => all.filter(({ kind }) => kind === 'file').length);
  expect([files, read]).toEqual([[1, 1], ['']]);
});
