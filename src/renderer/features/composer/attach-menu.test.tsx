import type { AttachOption } from '#shared/context-item';
import { ok } from '#shared/result';
import { act, cleanup, screen } from '@testing-library/react';
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
