import { ok } from '#shared/result';
import type { Action } from '#shared/route';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { created, routed, sent } from '../../testing/sample-routing';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

const click = (element: HTMLElement) => act(async () => void fireEvent.click(element));
const toModel: Action = { type: 'continue-with-llm', reasonCode: 'no-match' };
const near = ['palette', 'no-such-action', 'settings', 'shortcuts', 'help', 'new-session'];
const question = 'Did you mean an action?';

const talk = (line: string, options: Parameters<typeof openTestWindow>[1] = {}) =>
  openTestWindow(
    { talk: [created, sent(line), routed(toModel, { candidates: [] })] },
    {
      info: { sentenceEncoder: true },
      handlers: { 'near-actions': () => ok(near) },
      ...options,
    },
  );

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

describe('[MEAN-suggest] an action that a line may have meant', () => {
  it('is offered once the user asks, at most three times, and started by a click only', async () => {
    const { main, app } = await talk('change the preferences');
    await click(await screen.findByRole('button', { name: question }));
    const offered = within(await screen.findByRole('dialog', { name: question }));
    await offered.findByRole('button', { name: 'Settings' });
    expect(offered.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'Settings',
      'All shortcuts',
      'User guide',
    ]);
    expect(main.calls.filter(({ name }) => name === 'near-actions').map(({ input }) => input)).toEqual([
      { text: 'change the preferences' },
    ]);
    expect(app.view.store.getState().dialog).toBeNull();
    await click(offered.getByRole('button', { name: 'Settings' }));
    expect(app.view.store.getState().dialog).toMatchObject({ kind: 'settings' });
  });

  it('is said to be missing where none is close', async () => {
    await talk('change the preferences', {
      info: { sentenceEncoder: true },
      handlers: { 'near-actions': () => ok([]) },
    });
    await click(await screen.findByRole('button', { name: question }));
    expect(await screen.findByText('No action is close to this.')).toBeTruthy();
  });

  it('is not looked for where nothing can compare: the window says so', async () => {
    await talk('change the preferences', { handlers: { 'near-actions': () => ok(null) } });
    await click(await screen.findByRole('button', { name: question }));
    expect(await screen.findByText(/^Sentences cannot be compared now/)).toBeTruthy();
  });

  it.each([
    ['a question', 'how do I change the preferences?', {}],
    ['code', 'x = y;', {}],
    ['a long line', 'please write me a long letter to all of my friends', {}],
    ['a computer without the encoder', 'change the preferences', { info: { sentenceEncoder: false } }],
    ['one where it is off', 'change the preferences', { settings: { searchByMeaning: false } }],
  ])('is not offered for %s', async (_, line, options) => {
    await talk(line, options);
    expect(screen.queryByRole('button', { name: question })).toBeNull();
  });

  it('is listed in the palette where nothing has the words', async () => {
    const { main, app } = await talk('hello');
    await act(async () => app.view.set({ dialog: { kind: 'palette' } }));
    const field = screen.getByPlaceholderText('Search commands, lists, actions, settings and sessions');
    await act(async () => void fireEvent.change(field, { target: { value: 'settings' } }));
    await act(async () => void fireEvent.change(field, { target: { value: 'zzqx preferences' } }));
    await screen.findByText('Did you mean');
    const options = screen.getAllByRole('option').map(({ textContent }) => textContent?.split('/')[0]);
    expect(options.slice(0, 3)).toEqual(['Settings', 'All shortcuts', 'User guide']);
    expect(main.calls.filter(({ name }) => name === 'near-actions').map(({ input }) => input)).toEqual([
      { text: 'zzqx preferences' },
    ]);
  });
});

describe('[MEAN-similar] a search without hits', () => {
  it('lists similar sessions and says that they are', async () => {
    const similar = {
      sessionId: 'talk',
      sessionTitle: 'Baking',
      turn: 0,
      snippet: 'How long does bread rise?',
    };
    const { app } = await talk('hello', {
      info: { sentenceEncoder: true },
      handlers: { 'session-search': () => ok([]), 'session-similar': () => ok([similar]) },
    });
    await act(async () => app.view.set({ dialog: { kind: 'search', text: 'yeast' } }));
    await screen.findByText('Nothing has the words “yeast”. These sessions are similar:');
    expect(screen.getByRole('option').textContent).toContain('How long does bread rise?');
  });
});

it('[LOCAL-propose] asks the model on this computer that answered, also without the encoder, and only on a click', async () => {
  const model = { providerId: 'this-computer', model: 'tiny' };
  const { main } = await openTestWindow(
    { talk: [created, sent('change the preferences', 0, model), routed(toModel, { candidates: [] })] },
    { info: { sentenceEncoder: false }, handlers: { 'near-actions': () => ok(near) } },
  );
  const asked = () => main.calls.filter(({ name }) => name === 'near-actions').map(({ input }) => input);
  const button = await screen.findByRole('button', { name: question });
  expect(asked()).toEqual([]);
  await click(button);
  await screen.findByRole('button', { name: 'Settings' });
  expect(asked()).toEqual([{ text: 'change the preferences', localModel: 'tiny' }]);
});
