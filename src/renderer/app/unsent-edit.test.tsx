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
