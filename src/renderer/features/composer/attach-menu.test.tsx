import { appError } from '#shared/app-error';
import type { AttachOption, AttachSource } from '#shared/context-item';
import { err, ok } from '#shared/result';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
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

it('[CTX-menu-older] Enter takes no option that was found for an older text', async () => {
  const file: AttachOption = {
    source: { type: 'path', path: 'a.txt' },
    kind: 'file',
    name: 'a.txt',
    about: '',
  };
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const attached: AttachSource[] = [];
  const { type, press } = await openTestWindow(
    { talk: [created, sent('hello')] },
    {
      handlers: {
        async 'item-options'({ text }) {
          if (text === '') return ok(options);
          await released;
          return ok([file]);
        },
        'item-attach': ({ source }) => {
          attached.push(source);
          return err(appError('TOOL', 'NOT_FOUND', 'gone'));
        },
      },
    },
  );
  await act(async () => void type('@'));
  await screen.findByRole('option', { name: /^@diff/ });
  await act(async () => void type('@a.t'));
  await press('Enter');
  expect(attached).toEqual([]);
  await act(async () => release());
  await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(1));
  await press('Enter');
  expect(attached).toEqual([file.source]);
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
