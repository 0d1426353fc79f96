import type { SessionFact } from '#shared/session-event';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askFacts } from '../../testing/sample-session';
import { createWindowBridge, type WindowBridgeOptions } from '../../testing/window-bridge';
import { createDrafts } from '../store/drafts';
import { createSessionMirror } from '../store/session-mirror';
import { createCommands, startWindow } from '../store/start-window';
import { createView } from '../store/view-state';
import { preloadLazyParts } from '../ui/lazy-part';
import { App } from './app';

const talk = (replies: readonly string[]): SessionFact[] => [
  { type: 'session-created', title: 'Talk', project: null },
  ...replies.flatMap((reply, turn) => askFacts({ turn, reply, outcome: 'done' })),
];

async function openApp(options: WindowBridgeOptions = {}, replies: readonly string[] = []) {
  const main = createWindowBridge({
    ...options,
    settings: { ...(replies.length > 0 && { lastSessionId: 'talk' }), ...options.settings },
  });
  if (replies.length > 0) main.addSession('talk', talk(replies));
  const mirror = createSessionMirror({
    bridge: main.bridge,
    onFrame: (callback) => queueMicrotask(callback),
  });
  const view = createView();
  const drafts = createDrafts({ storage: window.localStorage, defer: (callback) => callback() });
  const commands = createCommands({ bridge: main.bridge, mirror, view, drafts });
  const app = { mirror, view, drafts, commands };
  render(<App app={app} />);
  await act(async () => void (await startWindow(app, main.bridge)));
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
  const sent = () => main.calls.filter(({ name }) => name === 'message-send').map(({ input }) => input);
  const press = (key: string, more: Partial<KeyboardEventInit> = {}) =>
    act(async () => void fireEvent.keyDown(field, { key, bubbles: true, ...more }));
  const type = (text: string) => fireEvent.input(field, { target: { value: text } });
  return { main, app, field, sent, press, type };
}

// Loads the lazy parts first, so that no test waits for a file.
beforeAll(preloadLazyParts);
beforeEach(() => window.localStorage.clear());
afterEach(cleanup);

describe('the composer', () => {
  it('sends with Enter and is then empty; Shift+Enter does not send', async () => {
    const { field, sent, press, type } = await openApp();
    type('hello');
    await press('Enter', { shiftKey: true });
    expect(sent()).toEqual([]);
    await press('Enter');
    expect(sent()).toMatchObject([{ text: 'hello', runMode: 'ask' }]);
    expect(field.value).toBe('');
  });

  it('ignores Enter during input method composition', async () => {
    const { sent, press, type } = await openApp();
    type('にほん');
    await press('Enter', { isComposing: true });
    await press('Enter', { keyCode: 229 });
    expect(sent()).toEqual([]);
  });

  it('does not send a blank message', async () => {
    const { sent, press, type } = await openApp();
    type('  \n ');
    await press('Enter');
    expect(sent()).toEqual([]);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true);
  });

  it('keeps the draft across a reload', async () => {
    const first = await openApp();
    first.type('half a thought');
    cleanup();
    const { field } = await openApp();
    expect(field.value).toBe('half a thought');
  });
});

describe('find in this session', () => {
  const replies = ['a fox', 'nothing', 'the Fox again'];

  it('opens with Ctrl+F, counts turns, wraps around with Enter and returns the focus on Escape', async () => {
    const { app, field, press } = await openApp({}, replies);
    field.focus();
    await press('f', { ctrlKey: true });
    const find = screen.getByRole<HTMLInputElement>('textbox', { name: 'Find in this session' });
    expect(document.activeElement).toBe(find);
    await act(async () => void fireEvent.change(find, { target: { value: 'fox' } }));
    const bar = screen.getByRole('search');
    const shown = () => app.view.store.getState().focusTurn?.turn;
    const count = () => within(bar).getByRole('status').textContent;
    await waitFor(() => expect(count()).toBe('1 of 2'));
    expect(shown()).toBe(0);
    const enter = (shiftKey = false) =>
      act(async () => void fireEvent.keyDown(find, { key: 'Enter', shiftKey }));
    await enter();
    expect(count()).toBe('2 of 2');
    expect(shown()).toBe(2);
    await enter();
    expect(shown()).toBe(0);
    await enter(true);
    expect(shown()).toBe(2);
    await act(async () => void fireEvent.keyDown(find, { key: 'Escape' }));
    expect(screen.queryByRole('search')).toBeNull();
    expect(document.activeElement).toBe(field);
  });

  it('says when there is no match, and closes with its session', async () => {
    const { app, press } = await openApp({}, replies);
    await press('f', { ctrlKey: true });
    const find = screen.getByRole('textbox', { name: 'Find in this session' });
    await act(async () => void fireEvent.change(find, { target: { value: 'badger' } }));
    const count = within(screen.getByRole('search')).getByRole('status');
    await waitFor(() => expect(count.textContent).toBe('No matches'));
    await act(async () => app.commands.newSession());
    expect(screen.queryByRole('search')).toBeNull();
  });

  it('does not open in an empty session', async () => {
    const { app, press } = await openApp();
    await press('f', { ctrlKey: true });
    expect(app.view.store.getState().find).toBeNull();
  });
});

describe('Escape', () => {
  const page = window as unknown as { happyDOM: { setViewport: (size: { width: number }) => void } };
  afterEach(() => page.happyDOM.setViewport({ width: 1_024 }));

  it.each([
    [640, false],
    [1_024, true],
  ])('at %d px leaves the inspector open: %s', async (width, open) => {
    page.happyDOM.setViewport({ width });
    const { app, press } = await openApp({ settings: { inspectorOpen: true } }, ['a fox']);
    await press('Escape');
    expect(app.mirror.store.getState().settings.inspectorOpen).toBe(open);
  });
});

describe('a whole session', () => {
  it('is copied as Markdown from the palette', async () => {
    const { main, press } = await openApp({}, ['a fox']);
    await press('k', { ctrlKey: true });
    await act(async () => void fireEvent.click(screen.getByText('Copy this session as Markdown')));
    const text = '# Talk\n\n## You\n\nline 0\n\n## Local models\n\na fox';
    expect(main.calls.at(-1)).toEqual({ name: 'clipboard-write', input: { text } });
  });

  it('shows that it is archived and can be restored from there', async () => {
    const { app } = await openApp({}, ['a fox']);
    await act(async () => {
      await app.commands.archiveSessions(['talk']);
      await app.commands.openSession('talk');
    });
    await act(
      async () => void fireEvent.click(screen.getByRole('button', { name: 'Restore from the archive' })),
    );
    expect(app.mirror.store.getState().summaries['talk']?.archived).toBe(false);
    expect(screen.queryByRole('button', { name: 'Restore from the archive' })).toBeNull();
  });
});

describe('the run mode', () => {
  it('is always visible, and Ctrl+. switches and saves it', async () => {
    const { main, field, press } = await openApp();
    const group = screen.getByRole('radiogroup', { name: 'Mode' });
    const chosen = () => within(group).getByRole('radio', { checked: true }).textContent;
    expect(chosen()).toBe('Ask');
    await press('.', { ctrlKey: true });
    expect(chosen()).toBe('Agent Mode');
    expect(field.form?.dataset['runMode']).toBe('agent');
    expect(main.calls.at(-1)).toEqual({ name: 'settings-set', input: { mode: 'agent' } });
  });

  it('shows Agent Mode as disabled when it is switched off', async () => {
    const reason = 'PATINA_AGENT_MODE=off';
    await openApp({ info: { agentMode: { enabled: false, reason } }, settings: { mode: 'agent' } });
    const agent = screen.getByRole('radio', { name: 'Agent Mode' });
    expect(agent.getAttribute('aria-disabled')).toBe('true');
    expect(agent.getAttribute('aria-description')).toBe(reason);
    expect(agent.getAttribute('aria-checked')).toBe('false');
  });
});

describe('important notices', () => {
  it('[H52] damaged settings are reported until the notice is dismissed', async () => {
    const notice = {
      id: 'n',
      level: 'warning' as const,
      title: 'Settings were damaged.',
      detail: 'Defaults.',
    };
    const { main } = await openApp({ info: { notices: [notice] } });
    const region = screen.getByRole('region', { name: 'Notices' });
    expect(region.textContent).toContain('Settings were damaged.');
    await act(async () => void fireEvent.click(within(region).getByRole('button', { name: /Dismiss/ })));
    expect(screen.queryByRole('region', { name: 'Notices' })).toBeNull();
    expect(main.calls.at(-1)?.name).toBe('notice-dismiss');
  });

  it('a model server found on this computer is offered and used only on request', async () => {
    const ollama = {
      providerId: 'ollama',
      name: 'Ollama',
      source: 'discovered' as const,
      hasKey: false,
      models: ['m1'],
    };
    const { app } = await openApp({ models: [ollama] });
    expect(screen.getByRole('button', { name: 'Model: Offline (no model)' })).toBeTruthy();
    await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Use m1' })));
    expect(app.mirror.store.getState().settings.model).toEqual({ providerId: 'ollama', model: 'm1' });
  });
});
