import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { askFacts } from '../../testing/sample-session';
import { openTestWindow, pretendLayout } from '../../testing/test-window';
import { preloadLazyParts } from '../ui/lazy-part';

beforeAll(preloadLazyParts);
beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

const titled = (title: string): SessionFact[] => [
  { type: 'session-created', title, project: null },
  ...askFacts({ turn: 0, reply: 'An answer.', outcome: 'done' }),
];

async function openPalette() {
  const opened = await openTestWindow({ a: titled('Alpha'), b: titled('Beta') });
  await act(async () => opened.app.view.set({ dialog: { kind: 'palette' } }));
  const palette = screen.getByRole('dialog', { name: 'Command palette' });
  const field = within(palette).getByRole('combobox');
  return {
    ...opened,
    palette,
    search: (text: string) => act(async () => void fireEvent.change(field, { target: { value: text } })),
    enter: () => act(async () => void fireEvent.keyDown(field, { key: 'Enter' })),
    group: (name: string) =>
      [...palette.querySelectorAll('[cmdk-group]')]
        .find((group) => group.querySelector('[cmdk-group-heading]')?.textContent === name)
        ?.querySelectorAll('[role=option]'),
  };
}

it('[PAL-this-turn] what can be done with the last turn comes right after the recent sessions', async () => {
  const { palette, group } = await openPalette();
  const headings = [...palette.querySelectorAll('[cmdk-group-heading]')].map(
    (heading) => heading.textContent,
  );
  expect(headings.slice(0, 3)).toEqual(['Recent', 'This turn', 'Session']);
  expect([...(group('This turn') ?? [])].map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('Copy the last reply'),
    expect.stringContaining('Retry the last message'),
    expect.stringContaining('Retry the last message with another model'),
    expect.stringContaining('Edit the last message'),
    expect.stringContaining('Fork this session'),
    expect.stringContaining('Export this session as Markdown'),
    expect.stringContaining('HTML'),
    expect.stringContaining('JSON'),
  ]);
  expect(palette.textContent?.match(/Copy the last reply/g)).toHaveLength(1);
});

it.each([
  ['font size', 'Medium'],
  ['language', 'Like the system'],
  ['density', 'Comfortable'],
  ['notifications', 'System notifications'],
])('[PAL-settings] “%s” opens the settings at that setting', async (words, focused) => {
  const { search, enter, palette, group } = await openPalette();
  expect(group('Settings')).toBeUndefined();
  await search(words);
  expect(within(palette).getAllByRole('option')[0]?.textContent).toContain('Appearance');
  await enter();
  const settings = screen.getByRole('dialog', { name: 'Settings' });
  expect(document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent).toBe(
    focused,
  );
  expect(settings.contains(document.activeElement)).toBe(true);
});

it('[PAL-settings] a section is found by its name', async () => {
  const { app, search, group } = await openPalette();
  await search('run limits');
  const [section] = group('Settings') ?? [];
  await act(async () => void fireEvent.click(section!));
  expect(app.view.store.getState().dialog).toEqual({ kind: 'settings', section: 'limits' });
});
