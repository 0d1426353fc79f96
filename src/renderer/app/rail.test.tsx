import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { askFacts, runFacts } from '../../testing/sample-session';
import { openTestWindow, pretendLayout } from '../../testing/test-window';
import { preloadLazyParts } from '../ui/lazy-part';

beforeAll(preloadLazyParts);
beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

const titled = (title: string, more: readonly SessionFact[] = []): SessionFact[] => [
  { type: 'session-created', title, project: null },
  ...more,
];
const answered = askFacts({ turn: 0, reply: 'An answer.', outcome: 'done' });
const three = {
  a: titled('Alpha', answered),
  b: titled('Beta', answered),
  c: titled('Gamma', answered),
};

const rail = () => screen.getByRole('navigation', { name: 'Sessions' });
const rows = () => [...rail().querySelectorAll<HTMLElement>('[data-session]')];
const tabbable = () => rows().filter(({ tabIndex }) => tabIndex === 0);
const press = (element: Element, key: string) =>
  act(async () => void fireEvent.keyDown(element, { key, bubbles: true }));

it('[RAIL-one-stop] the list is one tab stop, and the arrow keys, Home and End move in it', async () => {
  await openTestWindow(three);
  expect(rows()).toHaveLength(3);
  expect(tabbable()).toHaveLength(1);

  const [first, second, third] = rows();
  await act(async () => first?.focus());
  await press(first!, 'ArrowDown');
  expect(document.activeElement).toBe(second);
  expect(tabbable()).toEqual([second]);
  await press(second!, 'End');
  expect(document.activeElement).toBe(third);
  await press(third!, 'ArrowDown');
  expect(document.activeElement).toBe(third);
  await press(third!, 'Home');
  expect(document.activeElement).toBe(first);
});

it('[RAIL-menu] a right click on a session opens its actions', async () => {
  await openTestWindow(three);
  await act(async () => void fireEvent.contextMenu(rows()[1]!));
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent?.trim())).toEqual([
    'Rename',
    'Archive',
  ]);
});

it('[RAIL-needs-you] one button counts the sessions that wait for the user and opens each', async () => {
  const { main, app } = await openTestWindow({ ...three, w: titled('Waits', runFacts(0)) });
  expect(within(rail()).queryByRole('button', { name: /^Needs you/ })).toBeNull();
  await act(async () => app.mirror.adopt(main.session('w')));
  const inbox = within(rail()).getByRole('button', { name: 'Needs you 1' });
  await press(inbox, 'Enter');
  const entry = screen.getByRole('menuitem', { name: 'Waits' });
  await act(async () => void fireEvent.click(entry));
  expect(app.view.store.getState().sessionId).toBe('w');
});

it('[RAIL-skip] the first tab stop leads to the message box', async () => {
  await openTestWindow(three);
  const skip = within(rail()).getByRole('button', { name: 'Skip to the message box' });
  expect(document.querySelector('button, a[href], input, textarea')).toBe(skip);
  await act(async () => skip.focus());
  await act(async () => void fireEvent.click(skip));
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Message' }));
});

it('[PAL-order] recent sessions come first; what is typed finds the action of that name first', async () => {
  const { app } = await openTestWindow(three);
  await act(async () => app.view.set({ dialog: { kind: 'palette' } }));
  const palette = screen.getByRole('dialog', { name: 'Command palette' });
  const options = () => within(palette).getAllByRole('option');
  const headings = () =>
    [...palette.querySelectorAll('[cmdk-group-heading]')].map(({ textContent }) => textContent);
  expect(headings()[0]).toBe('Recent');
  // The open session, Alpha, is not offered again.
  expect(options().map(({ textContent }) => textContent)).not.toContain('Alpha');
  expect(options()[0]?.textContent).toMatch(/^(Beta|Gamma)$/);

  const field = within(palette).getByRole('combobox');
  await act(async () => void fireEvent.change(field, { target: { value: 'new' } }));
  expect(options()[0]?.textContent).toContain('New session');
});
