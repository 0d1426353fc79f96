import type { ContextItem } from '#shared/context-item';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { act, cleanup, createEvent, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askFacts } from '../../testing/sample-session';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

const session: readonly SessionFact[] = [
  { type: 'session-created', title: 'Talk', project: '/work' },
  ...askFacts({ turn: 0, reply: 'One.', outcome: 'done' }),
];
const item: ContextItem = { kind: 'text', ref: 'notes.txt', hash: 'a'.repeat(64), bytes: 5, tokens: 2 };

/** Each attached file is another one. */
const open = () => {
  let count = 0;
  const attach = () => ok({ type: 'attached' as const, item: { ...item, ref: `notes ${(count += 1)}.txt` } });
  return openTestWindow({ talk: session }, { handlers: { 'item-attach': attach } });
};
const files = (count: number) => ({
  types: ['Files'],
  files: Array.from({ length: count }, () => new File(['hello'], 'notes.txt')),
});
const target = () => screen.queryByText('Drop files to attach them to your message');
const chips = () => screen.queryByRole('list', { name: 'Attached to your message' })?.children.length ?? 0;
const drag = (element: Element, name: 'dragEnter' | 'drop', dataTransfer: object) =>
  act(async () => void fireEvent[name](element, { dataTransfer }));
/** Moves the dragged files from an element to another one. */
const leave = (element: Element, relatedTarget: Element) => {
  const event = createEvent.dragLeave(element);
  Object.defineProperty(event, 'relatedTarget', { value: relatedTarget });
  return act(async () => void fireEvent(element, event));
};

beforeEach(pretendLayout);
afterEach(() => {
  cleanup();
  window.localStorage.clear();
});

describe('[ITEM-drop] files dragged over the window', () => {
  it('are shown a target anywhere on the conversation, and attached once where they are dropped', async () => {
    const { field } = await open();
    const reply = screen.getByText('One.');
    await drag(reply, 'dragEnter', files(1));
    expect(target()).toBeTruthy();
    await leave(reply, field);
    expect(target()).toBeTruthy();
    await leave(field, document.body);
    expect(target()).toBeNull();
    await drag(reply, 'dragEnter', files(1));
    await drag(reply, 'drop', files(1));
    expect(target()).toBeNull();
    await waitFor(() => expect(chips()).toBe(1));
    await drag(field, 'drop', files(2));
    await waitFor(() => expect(chips()).toBe(3));
  });

  it('are told apart from a dragged text', async () => {
    await open();
    await drag(screen.getByText('One.'), 'dragEnter', { types: ['text/plain'], files: [] });
    expect(target()).toBeNull();
  });
});

describe('[ITEM-drop] attachments without words', () => {
  it('are not sent, and the composer says what is missing', async () => {
    const { field, press, type, lines } = await open();
    await drag(field, 'drop', files(1));
    await waitFor(() => expect(chips()).toBe(1));
    const hint = () => screen.queryByText(/^Write what the model should do/);
    expect(hint()).toBeNull();
    await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Send' })));
    expect([hint() !== null, lines(), chips()]).toEqual([true, [], 1]);
    type('Sum it up.');
    expect(hint()).toBeNull();
    await press('Enter');
    await waitFor(() => expect(lines()).toEqual(['Sum it up.']));
    expect(chips()).toBe(0);
  });
});
