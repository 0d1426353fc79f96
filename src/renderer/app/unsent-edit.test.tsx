import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { created } from '../../testing/sample-routing';
import { askFacts } from '../../testing/sample-session';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

const answered = (turn: number) => askFacts({ turn, reply: `Reply ${turn}.`, outcome: 'done' });
const sessions = { talk: [created, ...answered(0), ...answered(1)], other: [created, ...answered(0)] };
const button = (turn: number, name: string) =>
  within(screen.getByRole('article', { name: `Turn ${turn}` })).getByRole('button', { name });
const press = (element: HTMLElement) => act(async () => void fireEvent.click(element));
const edit = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Edit the message' });
const key = (name: string) => act(async () => void fireEvent.keyDown(edit(), { key: name }));
const note = 'Your edit of this message was not sent.';

/** Opens the edit of the first turn, and types a text there. */
async function typed(text: string) {
  const opened = await openTestWindow(sessions);
  const show = (session: string) => act(async () => void (await opened.app.commands.openSession(session)));
  await press(button(1, 'Edit'));
  fireEvent.change(edit(), { target: { value: text } });
  return { ...opened, show };
}

it('[TREE-edit] an edit that was not sent is there again after another session or turn was opened', async () => {
  const { show, field, lines } = await typed('A better question');
  await show('other');
  expect(screen.queryByText(note)).toBeNull();
  await show('talk');
  expect(screen.getByText(note)).toBeTruthy();
  expect(field.value).toBe('');
  await press(button(2, 'Edit'));
  await press(button(1, 'Continue editing'));
  expect(edit().value).toBe('A better question');
  expect(screen.queryByText(note)).toBeNull();
  await key('Enter');
  expect(lines()).toEqual(['A better question']);
  await waitFor(() => expect(screen.queryByText(note)).toBeNull());
  expect(Object.keys(window.localStorage).filter((stored) => stored.includes('edit.'))).toEqual([]);
});

it('[TREE-edit] Escape drops an edit, and so does the deletion of its session', async () => {
  const { app, show } = await typed('A better question');
  await key('Escape');
  expect(screen.queryByText(note)).toBeNull();
  await press(button(1, 'Edit'));
  expect(edit().value).not.toBe('A better question');
  fireEvent.change(edit(), { target: { value: 'Another one' } });
  expect(app.drafts.read('edit.talk.0')).toBe('Another one');
  await show('other');
  await act(async () => void (await app.commands.deleteSession('talk')));
  expect(app.drafts.read('edit.talk.0')).toBe('');
});

it('[TREE-edit] sending an edit leaves another edit open that was opened meanwhile', async () => {
  const { app } = await typed('A better question');
  await act(async () => {
    const sending = app.commands.sendEdited(0, 'A better question');
    app.commands.edit(1);
    await sending;
  });
  expect(app.view.store.getState().editing).toBe(1);
});

const model = { providerId: 'p', model: 'm' };
const waiting = { type: 'line-queued' as const, runMode: 'ask' as const, model, items: [], lineId: 'line_1' };
const busy = [
  { type: 'message-sent' as const, turn: 0, text: 'first', runMode: 'ask' as const, model },
  { type: 'reply-started' as const, turn: 0, model, providerName: 'P' },
];
const lineEdit = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'The waiting message' });
const storedEdits = () => Object.keys(window.localStorage).filter((stored) => stored.includes('edit.'));

/** Types a text into the edit of a line that waits. */
async function editedLine() {
  const talk = [created, ...busy, { ...waiting, when: 'stage' as const, text: 'And then?' }];
  const opened = await openTestWindow({ talk, other: [created] });
  await press(screen.getByRole('button', { name: 'Edit the message: And then?' }));
  fireEvent.change(lineEdit(), { target: { value: 'And after that?' } });
  expect(storedEdits()).toHaveLength(1);
  const withdraw = () =>
    act(async () => opened.main.record('talk', [{ type: 'line-withdrawn', lineId: 'line_1' }]));
  return { ...opened, withdraw };
}
const toast = 'A message that you were editing no longer waits. Your text is in the message box.';

it('[QUE-edit] a line that is withdrawn elsewhere leaves the text of its edit in the message box', async () => {
  const { app, field, type, withdraw } = await editedLine();
  type('a draft');
  await withdraw();
  expect([field.value, storedEdits()]).toEqual(['And after that?\n\na draft', []]);
  expect(document.activeElement).toBe(field);
  expect(app.view.store.getState().toasts.map(({ text }) => text)).toEqual([toast]);
});

it('[QUE-edit] also when it is withdrawn while another session is on the screen', async () => {
  const { app, field, withdraw } = await editedLine();
  await act(async () => void (await app.commands.openSession('other')));
  await withdraw();
  expect([field.value, storedEdits().length]).toEqual(['', 1]);
  await act(async () => void (await app.commands.openSession('talk')));
  expect([field.value, storedEdits()]).toEqual(['And after that?', []]);
});

it('[QUE-edit] an edit that is saved as its line goes is not there twice', async () => {
  const { main, field } = await editedLine();
  await press(screen.getByRole('button', { name: 'Save' }));
  expect(main.session('talk').queue?.lines).toMatchObject([{ text: 'And after that?' }]);
  await act(async () => main.record('talk', [{ type: 'line-withdrawn', lineId: 'line_1' }]));
  expect([field.value, storedEdits()]).toEqual(['', []]);
});
