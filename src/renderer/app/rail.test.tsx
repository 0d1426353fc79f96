import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { ok } from '#shared/result';
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

it('[RAIL-press] a press on a session leaves the focus where it is, unless it selects', async () => {
  await openTestWindow(three);
  const keepsFocus = (pressed: MouseEventInit) => !fireEvent.mouseDown(rows()[1]!, pressed);
  expect(keepsFocus({})).toBe(true);
  expect(keepsFocus({ ctrlKey: true })).toBe(false);
  expect(keepsFocus({ button: 2 })).toBe(false);
  await act(async () => void fireEvent.click(rows()[0]!, { ctrlKey: true }));
  expect(keepsFocus({})).toBe(false);
});

it('[RAIL-menu] a right click on a session opens its actions', async () => {
  await openTestWindow(three);
  await act(async () => void fireEvent.contextMenu(rows()[1]!));
  expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent?.trim())).toEqual([
    'Pin',
    'Mark as unread',
    'Rename',
    'Open in its own window',
    'Select',
    'Archive',
    'Delete permanently…',
  ]);
});

it('[RAIL-delete] the menu deletes a session by asking main, which asks the user', async () => {
  const { main } = await openTestWindow(three, {
    handlers: { 'session-delete': () => ok({ deleted: false }) },
  });
  await act(async () => void fireEvent.contextMenu(rows()[1]!));
  const [id] = [rows()[1]!.dataset['session']];
  await choose('Delete permanently…');
  expect(main.calls.filter(({ name }) => name === 'session-delete').map(({ input }) => input)).toEqual([
    { sessionId: id },
  ]);
  // The user kept it.
  expect(rows()).toHaveLength(3);
  expect(document.activeElement).toBe(rows()[1]);
});

it('[A11Y-forced-states] a session that works and one that needs the user have different icons', async () => {
  const { main } = await openTestWindow(three);
  const icon = (word: string) => rail().querySelector(`[title="${word}"] svg`);
  await act(async () => main.record('b', askFacts({ turn: 1, reply: 'half' })));
  await act(async () => main.record('c', runFacts(1)));
  expect(icon('working')?.getAttribute('class')).toContain('motion-safe:animate-spin');
  expect(icon('needs you')?.getAttribute('class')).not.toContain('animate');
  expect(icon('working')?.innerHTML).not.toBe(icon('needs you')?.innerHTML);
});

it('[RAIL-search] the search finds sessions by their title, then messages, and shows its keys', async () => {
  const hit = { sessionId: 'c', sessionTitle: 'Gamma', turn: 0, snippet: 'a \u0001beta\u0002 test' };
  const { app } = await openTestWindow(three, { handlers: { 'session-search': () => ok([hit]) } });
  const search = within(rail()).getByRole('button', { name: /^Search/ });
  expect(search.textContent).toMatch(/Ctrl.*Shift.*F/);
  await act(async () => void fireEvent.click(search));
  const dialog = within(screen.getByRole('dialog', { name: 'Search all sessions' }));
  const options = () => dialog.getAllByRole('option').map(({ textContent }) => textContent);
  expect(options()).toEqual(['Gamma', 'Beta']);
  const field = dialog.getByRole('combobox');
  await act(async () => void fireEvent.change(field, { target: { value: 'bet' } }));
  expect(options()).toEqual(['Beta']);
  expect(await dialog.findByRole('option', { name: /a beta test/ })).toBeTruthy();
  expect(options()[0]).toBe('Beta');
  await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
  expect(app.view.store.getState().sessionId).toBe('b');
});

it('[RAIL-search] all commands are one click away as well', async () => {
  await openTestWindow(three);
  await act(async () => void fireEvent.click(within(rail()).getByRole('button', { name: /^All commands/ })));
  expect(screen.getByRole('dialog', { name: 'Command palette' })).toBeTruthy();
});

it('[RAIL-needs-you] one button counts the sessions that wait for the user and opens each', async () => {
  const { main, app } = await openTestWindow({ ...three, w: titled('Waits') });
  expect(within(rail()).queryByRole('button', { name: /^Needs you/ })).toBeNull();
  await act(async () => main.record('w', runFacts(0)));
  const inbox = within(rail()).getByRole('button', { name: 'Needs you 1' });
  await press(inbox, 'Enter');
  const entry = screen.getByRole('menuitem', { name: 'Waits' });
  await act(async () => void fireEvent.click(entry));
  expect(app.view.store.getState().sessionId).toBe('w');
});

it('[RAIL-needs-you] a narrow window, which hides the rail, counts them beside the button that shows it', async () => {
  const media = window.matchMedia.bind(window);
  const narrow = vi.spyOn(window, 'matchMedia').mockImplementation((query) => {
    const list = media(query);
    return query === '(max-width: 639px)' ? Object.defineProperty(list, 'matches', { value: true }) : list;
  });
  onTestFinished(() => narrow.mockRestore());
  const { main, app } = await openTestWindow({ ...three, w: titled('Waits') });
  expect(screen.queryByRole('navigation', { name: 'Sessions' })).toBeNull();
  const banner = within(screen.getByRole('banner'));
  expect(banner.queryByRole('button', { name: /^Needs you/ })).toBeNull();
  await act(async () => main.record('w', runFacts(0)));
  await press(banner.getByRole('button', { name: 'Needs you 1' }), 'Enter');
  await act(async () => void fireEvent.click(screen.getByRole('menuitem', { name: 'Waits' })));
  expect(app.view.store.getState().sessionId).toBe('w');
});

it('[RAIL-skip] the first tab stop leads to the message box', async () => {
  const { app } = await openTestWindow(three);
  const skip = () => screen.getByRole('button', { name: 'Skip to the message box' });
  const isFirst = () => document.querySelector('button, a[href], input, textarea') === skip();
  expect(isFirst()).toBe(true);
  await act(async () => skip().focus());
  await act(async () => void fireEvent.click(skip()));
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Message' }));
  // A window of one session has no rail.
  await act(async () => app.view.set({ ownSession: 'a' }));
  expect(screen.queryByRole('navigation', { name: 'Sessions' })).toBeNull();
  expect(isFirst()).toBe(true);
});

it('[WIN-title-rename] a click on the title of the session renames it there, also beside the rail', async () => {
  const { main } = await openTestWindow(three);
  const banner = within(screen.getByRole('banner'));
  await act(async () => void fireEvent.click(banner.getByRole('button', { name: 'Alpha' })));
  const field = banner.getByRole('textbox', { name: 'Session name' });
  expect(document.activeElement).toBe(field);
  expect(within(rail()).queryByRole('textbox')).toBeNull();
  await act(async () => void fireEvent.change(field, { target: { value: 'Aleph' } }));
  await press(field, 'Enter');
  expect(banner.getByRole('heading', { name: 'Aleph' })).toBeTruthy();
  expect(main.calls.findLast(({ name }) => name === 'session-rename')?.input).toEqual({
    sessionId: 'a',
    title: 'Aleph',
  });
});

it('[PAL-order] recent sessions come first; a typed text lists the action of that name first', async () => {
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

const group = (name: string) => within(rail()).queryByRole('region', { name });
const listMenu = () => within(rail()).getByRole('button', { name: 'Arrange the list' });
const choose = async (name: string) =>
  act(async () => void fireEvent.click(screen.getByRole('menuitem', { name })));

it('[RAIL-pin] a pinned session is in a separate group, and keeps its place when it is renamed', async () => {
  const { main } = await openTestWindow(three);
  expect(group('Pinned')).toBeNull();
  await act(async () => void fireEvent.contextMenu(rows()[2]!));
  await choose('Pin');
  expect(within(group('Pinned')!).getAllByRole('button')[0]?.textContent).toBe(rows()[0]?.textContent);
  const [id] = [rows()[0]!.dataset['session']!];
  expect(main.session(id).marks.pinned).toBe(true);
  await act(async () => void fireEvent.contextMenu(rows()[0]!));
  await choose('Unpin');
  expect(group('Pinned')).toBeNull();
});

it('[RAIL-groups] the list is grouped by day or by project folder, and keeps the choice', async () => {
  const { main } = await openTestWindow(three);
  expect(group('No project folder')).toBeNull();
  await press(listMenu(), 'Enter');
  await act(
    async () => void fireEvent.click(screen.getByRole('menuitemradio', { name: 'Group by project folder' })),
  );
  expect(group('No project folder')).not.toBeNull();
  expect(main.calls.findLast(({ name }) => name === 'settings-set')?.input).toEqual({
    sessionGroups: 'folder',
  });
});

it('[RAIL-select] Ctrl and Shift select sessions, which are archived together and restored together', async () => {
  const { app } = await openTestWindow(three);
  const before = rows().map(({ textContent }) => textContent);
  await act(async () => void fireEvent.click(rows()[0]!, { ctrlKey: true }));
  await act(async () => void fireEvent.click(rows()[2]!, { shiftKey: true }));
  expect(rows().map((row) => row.getAttribute('aria-pressed'))).toEqual(['true', 'true', 'true']);
  await act(async () => void fireEvent.click(rows()[1]!));
  expect(within(rail()).getByText('2 sessions selected')).toBeTruthy();
  await act(async () => void fireEvent.click(within(rail()).getByRole('button', { name: 'Archive' })));
  expect(rows().map(({ textContent }) => textContent)).toEqual([before[1]]);
  const [toast] = app.view.store.getState().toasts;
  expect(toast?.text).toBe('2 sessions archived');
  await act(async () => toast?.action?.run());
  expect(rows().map(({ textContent }) => textContent)).toEqual(before);
});

it('[RAIL-select] a session that is selected in its menu has the focus, so Escape ends the selection', async () => {
  await openTestWindow(three);
  await act(async () => void fireEvent.contextMenu(rows()[1]!));
  await choose('Select');
  await waitFor(() => expect(document.activeElement).toBe(rows()[1]));
  await press(document.activeElement!, 'Escape');
  expect(rows()[1]?.getAttribute('aria-pressed')).toBeNull();
});

it('[RAIL-select] Escape ends the selection and nothing else', async () => {
  await openTestWindow(three);
  await press(listMenu(), 'Enter');
  await choose('Select several sessions');
  expect(rows()[0]?.getAttribute('aria-pressed')).toBe('false');
  await press(rows()[0]!, 'Escape');
  expect(rows()[0]?.getAttribute('aria-pressed')).toBeNull();
  expect(rows()).toHaveLength(3);
});

it('[RAIL-select] Shift and an arrow select the row with the focus and the next, and going back deselects', async () => {
  await openTestWindow(three);
  const pressedRows = () => rows().map((row) => row.getAttribute('aria-pressed'));
  const shift = (key: string) =>
    act(async () => void fireEvent.keyDown(document.activeElement!, { key, shiftKey: true }));
  await act(async () => rows()[0]!.focus());
  await shift('ArrowDown');
  expect(pressedRows()).toEqual(['true', 'true', 'false']);
  await shift('ArrowDown');
  expect(pressedRows()).toEqual(['true', 'true', 'true']);
  await shift('ArrowUp');
  expect([pressedRows(), document.activeElement]).toEqual([['true', 'true', 'false'], rows()[1]]);
  await shift('Home');
  expect(pressedRows()).toEqual(['true', 'false', 'false']);
  await shift('End');
  expect(pressedRows()).toEqual(['true', 'true', 'true']);
});

it('[RAIL-select] Ctrl+A selects all sessions while some are being selected, and not the text of the page', async () => {
  await openTestWindow(three);
  const selectAll = () => fireEvent.keyDown(rows()[1]!, { key: 'a', ctrlKey: true });
  await act(async () => expect(selectAll()).toBe(true));
  await act(async () => void fireEvent.click(rows()[1]!, { ctrlKey: true }));
  await act(async () => expect(selectAll()).toBe(false));
  expect(rows().map((row) => row.getAttribute('aria-pressed'))).toEqual(['true', 'true', 'true']);
});

it('[RAIL-unread] [RAIL-failed] an unread session is marked until it is opened; a failed one says so', async () => {
  const { main } = await openTestWindow(three);
  const beta = () => rows().find(({ textContent }) => textContent?.includes('Beta'))!;
  await act(async () => main.record('b', [{ type: 'session-marked', unread: true }]));
  expect(beta().textContent).toContain('unread');
  await act(async () => void fireEvent.click(beta()));
  expect(beta().textContent).toBe('Beta');
  expect(main.session('b').marks.unread).toBe(false);

  const error = { kind: 'LLM', code: 'UNAVAILABLE', message: 'gone', retryable: true } as const;
  await act(async () =>
    main.record('c', [
      ...askFacts({ turn: 1, reply: 'half' }),
      { type: 'reply-ended', turn: 1, outcome: 'failed', error },
    ]),
  );
  expect(rows().find(({ textContent }) => textContent?.includes('Gamma'))?.textContent).toContain('failed');
});

it('[RAIL-advanced] design records and the workspace are behind Advanced until the user has one', async () => {
  await openTestWindow(three, { info: { own: { designRecords: false, workspace: true } } });
  const button = (name: string | RegExp) => within(rail()).queryByRole('button', { name });
  expect(button(/^Workspace/)).not.toBeNull();
  expect(button('Design records')).toBeNull();
  await act(async () => void fireEvent.click(button('Advanced')!));
  expect(button('Design records')).not.toBeNull();
});
