import { appError } from '#shared/app-error';
import type { HelpPage } from '#shared/help-page';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestWindow } from '../../../testing/test-window';

const helpPages: readonly HelpPage[] = [
  { topic: 'user-guide', title: 'User guide', text: '# User guide\n\nSee [how to repeat](recipes.md).' },
  {
    topic: 'recipes',
    title: 'Recipes',
    text: '# Recipes\n\nA saved plan. [The web](https://example.org/a), [a file](../secret.md).',
  },
];

beforeEach(() => window.localStorage.clear());
afterEach(cleanup);

const click = (element: HTMLElement) => act(async () => void fireEvent.click(element));

async function openHelp() {
  const opened = await openTestWindow({}, { helpPages });
  await opened.press('F1');
  return { ...opened, panel: screen.getByRole('dialog', { name: 'User guide' }) };
}

it('[DOC-help-window] opens with F1 at the index, and a link between pages opens the other page', async () => {
  const { panel } = await openHelp();
  expect(within(panel).getByRole('article', { name: 'User guide' })).toBeTruthy();
  await click(within(panel).getByRole('link', { name: 'how to repeat' }));
  const page = within(panel).getByRole('article', { name: 'Recipes' });
  expect(page.textContent).toContain('A saved plan.');
  expect(document.activeElement).toBe(page);
});

it('[DOC-help-window] asks before a web link opens, and offers no link to another file', async () => {
  const { panel, main } = await openHelp();
  await click(within(panel).getByRole('button', { name: 'Recipes' }));
  await click(within(panel).getByRole('link', { name: 'The web' }));
  expect(main.calls.at(-1)).toEqual({ name: 'link-open', input: { url: 'https://example.org/a' } });
  expect(within(panel).queryByRole('link', { name: 'a file' })).toBeNull();
});

it('[DOC-help-window] searches the texts of all pages', async () => {
  const { panel } = await openHelp();
  const topics = () =>
    within(panel)
      .queryAllByRole('listitem')
      .map(({ textContent }) => textContent);
  expect(topics()).toEqual(['User guide', 'Recipes']);
  const field = within(panel).getByRole('searchbox');
  const type = (value: string) => act(async () => void fireEvent.change(field, { target: { value } }));
  await type('SAVED plan');
  expect(topics()).toEqual(['Recipes']);
  await type('nothing like it');
  expect(panel.textContent).toContain('No page contains “nothing like it”.');
});

it('[DOC-help-window] says why the guide cannot be read', async () => {
  const { main, press } = await openTestWindow({}, { helpPages });
  main.failNext('help-pages', appError('HOST', 'STORAGE', 'The user guide cannot be read: gone'));
  await press('F1');
  expect(screen.getByRole('dialog', { name: 'User guide' }).textContent).toContain('gone');
});
