import { appError } from '#shared/app-error';
import { maxMessageLength } from '#shared/input-line';
import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { runFacts, sampleUsage } from '../../testing/sample-session';
import { traceOf } from '../../testing/sample-routing';
import { createWindowBridge, type WindowBridgeOptions } from '../../testing/window-bridge';
import { createMemoryStorage } from '../../testing/memory-storage';
import { createDrafts, newSessionDraft } from './drafts';
import { createSessionMirror } from './session-mirror';
import { createCommands, startWindow } from './start-window';
import { createView } from './view-state';

async function openWindow(options: WindowBridgeOptions = {}) {
  const main = createWindowBridge(options);
  const mirror = createSessionMirror({
    bridge: main.bridge,
    onFrame: (callback) => queueMicrotask(callback),
  });
  const view = createView();
  const drafts = createDrafts({ storage: createMemoryStorage(), defer: (callback) => callback() });
  const commands = createCommands({ bridge: main.bridge, mirror, view, drafts });
  await startWindow({ mirror, view, drafts, commands }, main.bridge);
  const sent = () => main.calls.filter(({ name }) => name === 'message-send').map(({ input }) => input);
  return { main, mirror, view: view.store, drafts, commands, sent };
}

describe('[SES-preview] a session that is opened', () => {
  it('is previewed before main loads it, and is not loaded when another one is opened meanwhile', async () => {
    const { main, commands } = await openWindow();
    for (const id of ['a', 'b']) main.addSession(id, [{ type: 'session-created', title: id, project: null }]);
    await Promise.all([commands.openSession('a'), commands.openSession('b')]);
    const calls = main.calls.filter(({ name }) => /^session-(preview|snapshot)$/.test(name));
    expect(calls).toEqual([
      { name: 'session-preview', input: { sessionId: 'a' } },
      { name: 'session-preview', input: { sessionId: 'b' } },
      { name: 'session-snapshot', input: { sessionId: 'b' } },
    ]);
  });
});

describe('[TREE-rerun] a line that is answered again', () => {
  const ended: SessionFact = {
    type: 'run-ended',
    turn: 0,
    runId: 'run-0',
    outcome: 'failed',
    answer: '',
    usage: sampleUsage,
  };
  const created: SessionFact = { type: 'session-created', title: 'Runs', project: '/projects/sample' };
  async function openRun(...more: readonly SessionFact[]) {
    const opened = await openWindow();
    opened.main.addSession('s', [created, ...runFacts(), ...more, ended]);
    await opened.commands.openSession('s');
    await opened.main.drained();
    return opened;
  }

  it('is regenerated in its place, with the options of the button', async () => {
    const { main, commands, sent } = await openRun();
    await commands.regenerate(0, { planAnew: false, fresh: true });
    const calls = main.calls.filter(({ name }) => name === 'turn-regenerate').map(({ input }) => input);
    expect(calls).toMatchObject([{ sessionId: 's', turn: 0, planAnew: false, fresh: true }]);
    expect(sent()).toEqual([]);
  });

  it('goes through its command again, in its place', async () => {
    const { main, commands, sent } = await openRun({
      type: 'command-invoked',
      turn: 0,
      commandId: 'RunRecipe',
      displayName: 'Run',
      item: { id: 'count-files', displayName: 'Count files' },
    });
    await commands.regenerate(0, { planAnew: false });
    expect(main.calls.some(({ name }) => name === 'turn-regenerate')).toBe(false);
    expect(sent()).toMatchObject([
      { text: 'count the files', runMode: 'agent', parent: -1, planAnew: false },
    ]);
  });
});

describe('sending', () => {
  it('creates a session with the first line, and keeps two quick lines in one session', async () => {
    const { main, commands, view, sent } = await openWindow();
    await Promise.all([commands.sendDraft('one'), commands.sendDraft('two')]);
    await main.drained();
    expect(main.calls.filter(({ name }) => name === 'session-create')).toHaveLength(1);
    expect(sent()).toMatchObject([{ text: 'one' }, { text: 'two' }]);
    expect(view.getState().sessionId).toBe('session-1');
  });

  it('carries text typed meanwhile over into the session', async () => {
    const { commands, drafts } = await openWindow();
    const sending = commands.sendDraft('one');
    drafts.write(newSessionDraft, 'typed meanwhile');
    await sending;
    expect(drafts.read('session-1')).toBe('typed meanwhile');
    expect(drafts.read(newSessionDraft)).toBe('');
  });

  it('restores a line as the draft when main refuses it, and says why', async () => {
    const { main, commands, drafts, view } = await openWindow();
    main.failNext('message-send', appError('HOST', 'STORAGE', 'The disk is full.'));
    await commands.sendDraft('precious');
    expect(drafts.read('session-1')).toBe('precious');
    expect(view.getState().failure?.error.message).toBe('The disk is full.');
    expect(view.getState().announcement.text).toContain('The disk is full.');
  });

  it('puts a refused line before what was typed since', async () => {
    const { main, commands, drafts } = await openWindow();
    await commands.sendDraft('first');
    drafts.write('session-1', 'newer');
    main.failNext('message-send', appError('HOST', 'STORAGE', 'The disk is full.'));
    await commands.sendDraft('older');
    expect(drafts.read('session-1')).toBe('older\n\nnewer');
  });

  it('refuses a line that is too long before it leaves the window', async () => {
    const { commands, drafts, sent, view } = await openWindow();
    const text = 'x'.repeat(maxMessageLength + 1);
    await commands.sendDraft(text);
    expect(sent()).toEqual([]);
    expect(drafts.read(newSessionDraft)).toBe(text);
    expect(view.getState().failure?.error.code).toBe('INVALID_INPUT');
  });

  it('executes a command in Agent Mode without asking for a folder', async () => {
    const action = { type: 'invoke-command' as const, commandId: 'SetMode', resolvedId: 'ddr_authoring' };
    const { commands, sent, view } = await openWindow({
      settings: { mode: 'agent' },
      controlPlane: { onPreview: () => ok({ action, trace: traceOf() }) },
    });
    await commands.sendDraft('switch to DDR mode');
    expect(sent()).toMatchObject([{ text: 'switch to DDR mode' }]);
    expect(view.getState().failure).toBeNull();
  });

  it('[APP-change] creates no session for a first line that changes only the app', async () => {
    const { main, commands, sent, view } = await openWindow({
      controlPlane: {
        appChanges: {
          'open settings': { summary: 'Settings', windowAction: { actionId: 'settings' } },
          'dark mode': { summary: 'Theme: Dark', undo: '/theme light' },
        },
      },
    });
    await commands.sendDraft('open settings');
    expect(view.getState().requested).toEqual({ actionId: 'settings' });
    await commands.sendDraft('dark mode');
    const [toast] = view.getState().toasts;
    expect(toast?.text).toBe('Theme: Dark');
    toast?.action?.run();
    expect(main.calls.at(-1)).toEqual({ name: 'app-change', input: { text: '/theme light' } });
    expect([sent(), view.getState().sessionId]).toEqual([[], null]);
    await commands.sendDraft('hello');
    expect(sent()).toMatchObject([{ text: 'hello' }]);
  });

  it('asks for a folder before Agent Mode runs, then sends with the run mode', async () => {
    const { commands, sent, view } = await openWindow({ settings: { mode: 'agent' } });
    await commands.sendDraft('find duplicate files');
    expect(sent()).toEqual([]);
    expect(view.getState().failure?.error.hint).toContain('folder');
    await commands.takeProject('/tmp/project');
    await commands.sendDraft('find duplicate files');
    expect(sent()).toMatchObject([{ runMode: 'agent' }]);
  });
});

describe('[ITEM-window] a line whose attachments are still being read', () => {
  const item = (ref: string) => ({ kind: 'file' as const, ref, hash: 'a'.repeat(64), bytes: 5, tokens: 2 });
  const path = (ref: string) => ({ type: 'path' as const, path: ref });

  /** A window whose reads of `slow.pdf` end with `finish`. */
  async function openReading() {
    let finish = (): void => undefined;
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const opened = await openWindow({
      handlers: {
        'item-attach': async ({ source }) => {
          const ref = source.type === 'path' ? source.path : '';
          if (ref === 'slow.pdf') await slow;
          return ok({ type: 'attached' as const, item: item(ref) });
        },
      },
    });
    const { main, commands } = opened;
    for (const id of ['a', 'b']) main.addSession(id, [{ type: 'session-created', title: id, project: null }]);
    return { ...opened, finish, attach: (ref: string) => commands.attach(path(ref), ref) };
  }

  it('goes to its own session with its own items, whatever is opened meanwhile', async () => {
    const { main, commands, view, drafts, sent, finish, attach } = await openReading();
    await commands.openSession('a');
    const reading = attach('slow.pdf');
    const sending = commands.sendDraft('about the PDF');
    await commands.openSession('b');
    await attach('b.txt');
    drafts.write('b', 'for b');
    finish();
    await Promise.all([reading, sending]);
    await main.drained();
    expect(sent()).toMatchObject([{ sessionId: 'a', text: 'about the PDF', items: [{ ref: 'slow.pdf' }] }]);
    expect(view.getState().draftItems['b']).toMatchObject([{ name: 'b.txt' }]);
    expect([drafts.read('b'), view.getState().sessionId]).toEqual(['for b', 'b']);
  });

  it('waits for no attachment of another session', async () => {
    const { commands, sent, finish, attach } = await openReading();
    await commands.openSession('a');
    const reading = attach('slow.pdf');
    await commands.openSession('b');
    await commands.sendDraft('in b');
    expect(sent()).toMatchObject([{ sessionId: 'b', text: 'in b' }]);
    finish();
    await reading;
  });

  it('returns to its own session when it is refused, with its items', async () => {
    const { main, commands, view, drafts, finish, attach } = await openReading();
    await commands.openSession('a');
    const reading = attach('slow.pdf');
    const sending = commands.sendDraft('about the PDF');
    drafts.write('a', 'the next');
    await commands.openSession('b');
    main.failNext('message-send', appError('HOST', 'STORAGE', 'The disk is full.'));
    finish();
    await Promise.all([reading, sending]);
    expect([drafts.read('a'), drafts.read('b')]).toEqual(['about the PDF\n\nthe next', '']);
    const { draftItems } = view.getState();
    expect([draftItems['a'], draftItems['b'] ?? []]).toMatchObject([[{ name: 'slow.pdf' }], []]);
  });

  it('creates its session without taking the user from the one opened meanwhile', async () => {
    const { main, commands, view, sent, finish, attach } = await openReading();
    const reading = attach('slow.pdf');
    const sending = commands.sendDraft('about the PDF');
    await commands.openSession('b');
    finish();
    await Promise.all([reading, sending]);
    await main.drained();
    expect(sent()).toMatchObject([{ text: 'about the PDF', items: [{ ref: 'slow.pdf' }] }]);
    expect(sent()).not.toMatchObject([{ sessionId: 'b' }]);
    expect(view.getState().sessionId).toBe('b');
  });

  it('leaves what is attached while its session is created to that session', async () => {
    const { main, commands, view, sent, finish, attach } = await openReading();
    const sending = commands.sendDraft('one');
    const reading = attach('slow.pdf');
    await sending;
    const id = view.getState().sessionId ?? '';
    const second = commands.sendDraft('two');
    finish();
    await Promise.all([reading, second]);
    await main.drained();
    expect(sent()).toMatchObject([{ sessionId: id }, { sessionId: id, items: [{ ref: 'slow.pdf' }] }]);
  });
});

describe('[ITEM-window] what is attached to the next line', () => {
  async function openAttached(handlers: WindowBridgeOptions['handlers'] = {}) {
    const item = { kind: 'file' as const, ref: 'a.txt', hash: 'a'.repeat(64), bytes: 5, tokens: 2 };
    const attached = ok({ type: 'attached' as const, item });
    const opened = await openWindow({ handlers: { 'item-attach': () => attached, ...handlers } });
    opened.main.addSession('a', [{ type: 'session-created', title: 'a', project: null }]);
    await opened.commands.openSession('a');
    await opened.commands.attach({ type: 'path', path: 'a.txt' }, 'a.txt');
    opened.view.setState({ lineParameters: { effort: 'high' } });
    const chips = () => opened.view.getState().draftItems['a']?.map(({ name }) => name);
    return { ...opened, chips };
  }

  it('stays for the line when a control sends a command, also a refused one', async () => {
    const { main, commands, view, drafts, sent, chips } = await openAttached();
    drafts.write('a', 'about the file');
    await commands.send('/compact');
    main.failNext('message-send', appError('HOST', 'STORAGE', 'The disk is full.'));
    await commands.send('/compact');
    expect(sent()[0]).not.toHaveProperty('items');
    expect(sent()[0]).not.toHaveProperty('parameters');
    expect([chips(), view.getState().lineParameters]).toEqual([['a.txt'], { effort: 'high' }]);
    expect(drafts.read('a')).toBe('about the file');
  });

  it('returns when the line of the composer is a command', async () => {
    const { commands, view, chips } = await openAttached({
      'message-send': () => ok({ turn: 0, command: true as const }),
    });
    await commands.sendDraft('/mode ddr');
    expect([chips(), view.getState().lineParameters]).toEqual([['a.txt'], { effort: 'high' }]);
  });

  it('goes with the line of the composer', async () => {
    const { commands, view, sent, chips } = await openAttached();
    await commands.sendDraft('about the file');
    expect(sent()).toMatchObject([{ items: [{ ref: 'a.txt' }], parameters: { effort: 'high' } }]);
    expect([chips(), view.getState().lineParameters]).toEqual([[], null]);
  });
});

describe('the run mode', () => {
  it('is switched, saved, and reverted when it cannot be saved', async () => {
    const { main, mirror, commands } = await openWindow();
    await commands.toggleRunMode();
    expect(mirror.store.getState().settings.mode).toBe('agent');
    expect(main.calls.at(-1)).toEqual({ name: 'settings-set', input: { mode: 'agent' } });
    main.failNext('settings-set', appError('HOST', 'STORAGE', 'Read only.'));
    await commands.toggleRunMode();
    expect(mirror.store.getState().settings.mode).toBe('agent');
  });

  it('stays at Ask with the reason when Agent Mode is off', async () => {
    const reason = 'PATINA_AGENT_MODE=off';
    const { mirror, commands, view } = await openWindow({ info: { agentMode: { enabled: false, reason } } });
    await commands.toggleRunMode();
    expect(mirror.store.getState().settings.mode).toBe('ask');
    expect(view.getState().toasts.map(({ text }) => text)).toEqual([reason]);
  });

  it('keeps a stored Agent Mode that is off, and sends lines to Ask', async () => {
    const info = { agentMode: { enabled: false } };
    const { main, mirror, commands } = await openWindow({ info, settings: { mode: 'agent' } });
    await commands.toggleRunMode();
    await commands.send('a line');
    expect(mirror.store.getState().settings.mode).toBe('agent');
    expect(main.calls.find(({ name }) => name === 'message-send')?.input).toMatchObject({ runMode: 'ask' });
  });
});

describe('the list of sessions', () => {
  it('opens a session at the turn of a search hit, and the next one at its end', async () => {
    const { main, commands, view } = await openWindow();
    for (const id of ['a', 'b']) main.addSession(id, [{ type: 'session-created', title: id, project: null }]);
    await commands.openSession('a', 3);
    expect(view.getState().focusTurn).toMatchObject({ turn: 3 });
    await commands.openSession('b');
    expect(view.getState().focusTurn).toBeNull();
  });

  it('archives immediately and undoes from the toast', async () => {
    const { main, mirror, commands, view } = await openWindow();
    await commands.send('one');
    await main.drained();
    await commands.archiveSessions(['session-1']);
    expect(mirror.store.getState().summaries['session-1']?.archived).toBe(true);
    expect(view.getState().sessionId).toBeNull();
    view.getState().toasts[0]?.action?.run();
    await main.drained();
    expect(mirror.store.getState().summaries['session-1']?.archived).toBe(false);
    expect(view.getState().sessionId).toBe('session-1');
  });

  it('[SES-delete] forgets a deleted session with its draft, and keeps all others', async () => {
    const { main, mirror, commands, view, drafts } = await openWindow();
    await commands.send('one');
    await main.drained();
    drafts.write('session-1', 'half a line');
    main.failNext('session-delete', appError('HOST', 'STATE', 'It is at work.'));
    await commands.deleteSession('session-1');
    expect(view.getState().failure).not.toBeNull();
    expect(drafts.read('session-1')).toBe('half a line');
    await commands.deleteSession('session-1');
    await main.drained();
    expect(mirror.store.getState().summaries).toEqual({});
    expect(mirror.store.getState().sessions).toEqual({});
    expect(view.getState().sessionId).toBeNull();
    expect(drafts.read('session-1')).toBe('');
  });

  it('reverts a new name when main refuses it', async () => {
    const { main, mirror, commands } = await openWindow();
    await commands.send('one');
    await main.drained();
    main.failNext('session-rename', appError('HOST', 'STORAGE', 'Read only.'));
    await commands.renameSession('session-1', 'Another name');
    expect(mirror.store.getState().summaries['session-1']?.title).toBe('one');
  });
});
