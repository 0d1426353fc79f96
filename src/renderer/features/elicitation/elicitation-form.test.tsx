import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PendingElicitation } from '#shared/elicitation';
import { openTestWindow, pretendLayout } from '../../../testing/test-window';

const named = { description: '', required: true };
const asked = (id: string, server: string): PendingElicitation => ({
  id,
  request: {
    server,
    message: 'What is it to be?',
    fields: [
      { ...named, kind: 'text', name: 'mail', label: 'Email', format: 'email' },
      { ...named, kind: 'number', name: 'count', label: 'How many', whole: true },
      { ...named, kind: 'yes-no', name: 'gift', label: 'A gift', required: false },
      { ...named, kind: 'one-of', name: 'size', label: 'Size', options: [{ value: 's', label: 'Small' }] },
      {
        ...named,
        kind: 'some-of',
        name: 'kinds',
        label: 'Which',
        options: [{ value: 'a', label: 'Apples' }],
      },
    ],
  },
});

async function open(typed = '') {
  const window = await openTestWindow({});
  if (typed !== '') window.type(typed);
  window.field.focus();
  const push = (...pushes: readonly Parameters<typeof window.main.push>[0][]) =>
    act(async () => {
      pushes.forEach(window.main.push);
      await window.main.drained();
    });
  const ask = (id: string, server = 'shop') =>
    push({ type: 'elicitation-asked', elicitation: asked(id, server) });
  const answers = () => window.main.calls.filter(({ name }) => name === 'elicitation-answer');
  return { ...window, push, ask, answers };
}

const form = () => screen.getByRole('form', { name: 'The server shop asks you' });
const button = (name: string) => within(form()).getByRole('button', { name });
const click = (element: HTMLElement) => act(async () => void fireEvent.click(element));
const fill = (label: string, value: string) =>
  act(async () => void fireEvent.change(within(form()).getByLabelText(label), { target: { value } }));

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

describe("a server's question in the window", () => {
  it('[MCP-elicit-form] has one input per field, and sends only valid values', async () => {
    const { ask, answers } = await open();
    await ask('e1');
    await fill('Email', 'nobody');
    await click(button('Answer'));
    expect(answers()).toEqual([]);
    expect(within(form()).getByLabelText('Email').getAttribute('aria-invalid')).toBe('true');
    expect(form().textContent).toContain('Type an email address');
    await fill('Email', 'a@example.org');
    await fill('How many', '3');
    await fill('Size', 's');
    await click(within(form()).getByRole('checkbox', { name: 'Apples' }));
    await click(button('Answer'));
    const content = { mail: 'a@example.org', count: 3, size: 's', kinds: ['a'] };
    expect(answers()).toMatchObject([{ input: { id: 'e1', answer: { action: 'accept', content } } }]);
  });

  it('[MCP-elicit-form] is declined by its button and cancelled by Escape, which stops nothing else', async () => {
    const { ask, answers, main } = await open();
    await ask('e1');
    await click(button('Decline'));
    await act(async () => void fireEvent.keyDown(form(), { key: 'Escape' }));
    expect(answers()).toMatchObject([
      { input: { answer: { action: 'decline' } } },
      { input: { answer: { action: 'cancel' } } },
    ]);
    expect(main.calls.some(({ name }) => name === 'turn-stop')).toBe(false);
  });

  it('[MCP-elicit-form] takes the focus and is announced, but never takes it from a line being typed', async () => {
    const { ask, app } = await open();
    await ask('e1');
    expect(document.activeElement).toBe(form());
    expect(app.view.store.getState().announcement.text).toBe('The server shop asks: What is it to be?');
    cleanup();
    const typing = await open('half a li');
    await typing.ask('e1');
    expect(form()).toBeTruthy();
    expect(document.activeElement).toBe(typing.field);
  });

  it('[MCP-elicit-form] is shown in order after others; one that has ended disappears', async () => {
    const { ask, push } = await open();
    await ask('e1');
    await ask('e2', 'bank');
    expect(form().textContent).toContain('One more question is waiting.');
    await push({ type: 'elicitation-over', id: 'e1' });
    expect(screen.getByRole('form', { name: 'The server bank asks you' })).toBeTruthy();
    await push({ type: 'elicitation-over', id: 'e2' });
    expect(screen.queryByRole('form', { name: /The server/ })).toBeNull();
  });
});
