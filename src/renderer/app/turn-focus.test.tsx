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
const button = (name: string) =>
  within(screen.getByRole('article', { name: 'Turn 1' })).getByRole('button', { name });

async function press(element: HTMLElement) {
  element.focus();
  await act(async () => void fireEvent.click(element));
}

it('[TREE-focus] a closed edit returns the focus to its button, or to the composer', async () => {
  const opened = await openTestWindow({ talk: [created, ...answered(0)] });
  const escape = () => act(async () => void fireEvent.keyDown(document.activeElement!, { key: 'Escape' }));
  await press(button('Edit'));
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Edit the message' }));
  await escape();
  expect(document.activeElement).toBe(button('Edit'));
  opened.field.focus();
  await opened.press('ArrowUp');
  expect(document.activeElement).not.toBe(opened.field);
  await escape();
  expect(document.activeElement).toBe(opened.field);
});

it('[TREE-focus] a turn that is replaced leaves the focus to the composer', async () => {
  const { main, field } = await openTestWindow({ talk: [created, ...answered(0)] });
  button('Retry').focus();
  const [line, ...answer] = askFacts({ turn: 1, reply: 'Another reply.', outcome: 'done' });
  await act(async () => {
    main.record('talk', [{ ...line!, parent: -1, regenerates: 0 } as typeof line & object, ...answer]);
    await main.drained();
  });
  expect(screen.getByText('Another reply.')).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(field));
});

it('[TREE-focus] an example of a new session that was pressed leaves the focus to the composer', async () => {
  const { field } = await openTestWindow({ talk: [created] });
  await press(screen.getByRole('button', { name: /^What can you do/ }));
  expect(await screen.findByRole('article', { name: 'Turn 1' })).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(field));
});

it('[TREE-focus] the list of models for one turn returns the focus to the button of that turn', async () => {
  await openTestWindow({ talk: [created, ...answered(0)] });
  await press(button('Retry with another model…'));
  const list = await screen.findByRole('dialog', { name: 'Choose a model' });
  await act(async () => void fireEvent.keyDown(list, { key: 'Escape' }));
  await waitFor(() => expect(document.activeElement).toBe(button('Retry with another model…')));
});

it('[TREE-focus] the switch between the versions of a reply tells screen readers which one is shown', async () => {
  const [line, ...answer] = askFacts({ turn: 1, reply: 'Another reply.', outcome: 'done' });
  const again = { ...line!, parent: -1, regenerates: 0 } as typeof line & object;
  const { app, main } = await openTestWindow({ talk: [created, ...answered(0), again, ...answer] });
  const announced = () => app.view.store.getState().announcement.text;
  const step = async (name: string) => {
    await press(button(name));
    await act(() => main.drained());
  };
  await step('Previous reply');
  await waitFor(() => expect(announced()).toBe('Version 1 of 2'));
  await step('Next reply');
  await waitFor(() => expect(announced()).toBe('Version 2 of 2'));
});
