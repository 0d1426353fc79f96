import { appError } from '#shared/app-error';
import type { AttachOption, AttachSource } from '#shared/context-item';
import { err, ok } from '#shared/result';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { created, sent } from '../../../testing/sample-routing';
import { openTestWindow, pretendLayout } from '../../../testing/test-window';

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

const options: readonly AttachOption[] = [
  { source: { type: 'diff', staged: false }, kind: 'diff', name: 'diff', about: '' },
  { source: { type: 'diff', staged: true }, kind: 'diff', name: 'staged', about: '' },
  { source: { type: 'path', path: 'src' }, kind: 'folder', name: 'src/', about: '' },
  {
    source: { type: 'symbol', path: 'a.ts', line: 3, name: 'read' },
    kind: 'text',
    name: 'read',
    about: 'a.ts:3',
  },
  { source: { type: 'session', id: 's' }, kind: 'session', name: 'Talk', about: '' },
];

it('[CTX-menu-words] the menu after @ names kinds and changes in the language of the window', async () => {
  const { type } = await openTestWindow(
    { talk: [created, sent('hello')] },
    { handlers: { 'item-options': () => ok(options) } },
  );
  await act(async () => void type('@'));
  await screen.findByRole('listbox', { name: 'Files and more' });
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    '@diffchangesWhat is not committed yet',
    '@stagedchangesWhat is staged',
    'src/folder',
    'readsymbola.ts:3',
    'Talksession',
  ]);
});

/** A window in which the options for a typed name arrive when the test releases them. */
async function withLateFiles(...paths: readonly string[]) {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const attached: AttachSource[] = [];
  const opened = await openTestWindow(
    { talk: [created, sent('hello')] },
    {
      handlers: {
        async 'item-options'({ text }) {
          if (text === '') return ok(options);
          await released;
          return ok(
            paths.map((path) => ({ source: { type: 'path', path }, kind: 'file', name: path, about: '' })),
          );
        },
        'item-attach': ({ source }) => {
          attached.push(source);
          return err(appError('TOOL', 'NOT_FOUND', 'gone'));
        },
      },
    },
  );
  await act(async () => void opened.type('@'));
  await screen.findByRole('option', { name: /^@diff/ });
  await act(async () => void opened.type('@a.t'));
  return { ...opened, attached, release: () => act(async () => release()) };
}

it('[CTX-menu-older] Enter takes no option for an older text, and the first one for this text when it arrives', async () => {
  const { press, attached, release, lines, field } = await withLateFiles('a.txt', 'a.ts');
  await press('Enter');
  expect(attached).toEqual([]);
  await release();
  await waitFor(() => expect(attached).toEqual([{ type: 'path', path: 'a.txt' }]));
  expect([lines(), field.value]).toEqual([[], '']);
});

it('[CTX-menu-older] Enter sends the line when no option arrives', async () => {
  const { press, attached, release, lines } = await withLateFiles();
  await press('Enter');
  expect(lines()).toEqual([]);
  await release();
  await waitFor(() => expect(lines()).toEqual(['@a.t']));
  expect(attached).toEqual([]);
});

it('[CTX-menu-older] typing on after Enter leaves the choice to the user', async () => {
  const { type, press, attached, release, lines } = await withLateFiles('a.txt');
  await press('Enter');
  await act(async () => void type('@a.tx'));
  await release();
  await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(1));
  expect([attached, lines()]).toEqual([[], []]);
  await press('Enter');
  expect(attached).toEqual([{ type: 'path', path: 'a.txt' }]);
});

it('[ITEM-menu-names] the menu stays open for a name with an @ in it', async () => {
  const asked: string[] = [];
  const { type } = await openTestWindow(
    { talk: [created, sent('hello')] },
    {
      handlers: {
        'item-options'({ text }) {
          asked.push(text);
          return ok(options);
        },
      },
    },
  );
  await act(async () => void type('look at @packages/@core/a'));
  await screen.findByRole('listbox', { name: 'Files and more' });
  expect(asked).toEqual(['packages/@core/a']);
  await act(async () => void type('mail me@example.org'));
  expect(screen.queryByRole('listbox', { name: 'Files and more' })).toBeNull();
});

/** A window whose project has these files; it also says what was attached. */
async function withFiles(...paths: readonly string[]) {
  const attached: AttachSource[] = [];
  const opened = await openTestWindow(
    { talk: [created, sent('hello')] },
    {
      handlers: {
        'item-options': ({ text }) =>
          ok(
            paths
              .filter((path) => path.toLowerCase().includes(text.trim().split(' ')[0] ?? ''))
              .map((path) => ({ source: { type: 'path', path }, kind: 'file', name: path, about: '' })),
          ),
        'item-attach': ({ source }) => {
          attached.push(source);
          return err(appError('TOOL', 'NOT_FOUND', 'gone'));
        },
      },
    },
  );
  /** Types a text after what is there, letter by letter. */
  const write = async (text: string) => {
    for (const letter of text) await act(async () => void opened.type(opened.field.value + letter));
  };
  const names = () => screen.queryAllByRole('option').map(({ textContent }) => textContent);
  return { ...opened, write, names, attached };
}

it('[ITEM-menu-spaces] a file name with spaces is typed to its end, and Enter takes it', async () => {
  const { write, names, press, attached, field } = await withFiles('docs/My file.md', 'my.ts');
  await write('see @my ');
  expect(names()).toEqual(['docs/My file.md']);
  await write('file.md');
  expect(names()).toEqual(['docs/My file.md']);
  await press('Enter');
  expect([attached, field.value]).toEqual([[{ type: 'path', path: 'docs/My file.md' }], 'see ']);
});

it('[ITEM-menu-spaces] words after a name are text, and Enter sends them', async () => {
  const { write, names, press, attached, lines, main } = await withFiles('docs/My file.md', 'my.ts');
  await write('@my.ts is');
  expect(names()).toEqual([]);
  const asked = main.calls.filter(({ name }) => name === 'item-options').length;
  await write(' long, or my fi');
  expect([names(), main.calls.filter(({ name }) => name === 'item-options').length]).toEqual([[], asked]);
  await press('Enter');
  expect([attached, lines()]).toEqual([[], ['@my.ts is long, or my fi']]);
});

it('[ITEM-menu-spaces] quotes take any part of a name, until a space follows them', async () => {
  const { write, names, press, attached, field } = await withFiles('docs/My file.md', 'my.ts');
  await write('see @"my fi');
  expect(names()).toEqual(['docs/My file.md', 'my.ts']);
  await write('le.md"');
  expect(names()).toHaveLength(2);
  await write(' ');
  expect(names()).toEqual([]);
  await act(async () => void fireEvent.input(field, { target: { value: 'see @"my file.md"' } }));
  await press('Tab');
  expect([attached, field.value]).toEqual([[{ type: 'path', path: 'docs/My file.md' }], 'see ']);
});
