import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maxMessageLength } from '#shared/input-line';
import { sampleUsage } from '../../../testing/sample-session';
import { createWindowBridge } from '../../../testing/window-bridge';
import { AppContext } from '../../store/app-context';
import { createDrafts } from '../../store/drafts';
import { createSessionMirror } from '../../store/session-mirror';
import { createCommands, startWindow } from '../../store/start-window';
import { createView } from '../../store/view-state';
import { Composer } from './composer';
import { QueuedLines } from './queued-lines';

function renderComposer(main = createWindowBridge()) {
  const mirror = createSessionMirror({
    bridge: main.bridge,
    onFrame: (callback) => queueMicrotask(callback),
  });
  const view = createView();
  const drafts = createDrafts({ storage: window.localStorage, defer: (callback) => callback() });
  const commands = createCommands({ bridge: main.bridge, mirror, view, drafts });
  const app = { mirror, view, drafts, commands };
  render(
    <AppContext value={app}>
      <>
        <QueuedLines />
        <Composer />
      </>
    </AppContext>,
  );
  const start = () => act(async () => void (await startWindow(app, main.bridge)));
  const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' });
  const paste = (text: string) =>
    fireEvent.paste(field, { clipboardData: { getData: () => text } as unknown as DataTransfer });
  const type = (text: string) => {
    field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
    fireEvent.input(field);
  };
  const press = (key: string) => act(async () => void fireEvent.keyDown(field, { key }));
  const sent = () => main.calls.filter(({ name }) => name === 'message-send').map(({ input }) => input);
  return { field, paste, type, press, sent, main, drafts, view, commands, start };
}

async function openComposer() {
  const composer = renderComposer();
  await composer.start();
  return composer;
}

const chips = () => within(screen.getByRole('list', { name: 'Pasted texts' }));
const lines = Array.from({ length: 12_000 }, (_, line) => `line ${line} of it\r\n`).join('');

beforeEach(() => window.localStorage.clear());
afterEach(cleanup);

describe('while the window starts', () => {
  function reopening() {
    const main = createWindowBridge({ settings: { lastSessionId: 'session-1' } });
    main.addSession('session-1', [{ type: 'session-created', title: 'Sorting', project: null }]);
    return renderComposer(main);
  }

  it('[DRAFT-start] adds the typed text to the session that opens, after its own draft', async () => {
    const { field, type, drafts, start } = reopening();
    drafts.write('new', 'for another session');
    drafts.write('session-1', 'And now');
    expect(field.value).toBe('');
    type('in reverse?');
    await start();
    expect(field.value).toBe('And now in reverse?');
    expect(drafts.read('session-1')).toBe('And now in reverse?');
    expect(drafts.read('new')).toBe('for another session');
  });

  it('[DRAFT-start] folds a long paste again', async () => {
    const { field, paste, start } = reopening();
    paste(lines);
    await start();
    expect(field.value).toBe('⟦Pasted text 1⟧');
  });

  it('[DRAFT-start] sends nothing before the user sees which session is open', async () => {
    const { field, type, press, sent, start } = reopening();
    type('Which order?');
    await press('Enter');
    expect(sent()).toEqual([]);
    await start();
    expect(field.value).toBe('Which order?');
    await press('Enter');
    expect(sent()).toMatchObject([{ sessionId: 'session-1', text: 'Which order?' }]);
  });
});

describe('a long paste', () => {
  it('is shown in the field as a placeholder and sent in its place, character for character', async () => {
    const { field, paste, type, press, sent } = await openComposer();
    type('Look: ');
    expect(paste(lines)).toBe(false);
    type(' What is it?');
    expect(field.value).toBe('Look: ⟦Pasted text 1⟧ What is it?');
    expect(chips().getByRole('button', { name: /Pasted text 1 · 12,000 lines · \d+ kB/ })).toBeTruthy();
    await press('Enter');
    expect(sent()).toMatchObject([{ text: `Look: ${lines} What is it?` }]);
    expect(field.value).toBe('');
    expect(screen.queryByRole('list', { name: 'Pasted texts' })).toBeNull();
  });

  it('stays unfolded when it is short', async () => {
    const { paste } = await openComposer();
    expect(paste('x'.repeat(10_000))).toBe(true);
  });

  it('survives a reload, and can be viewed and removed', async () => {
    const first = await openComposer();
    first.type('Look: ');
    first.paste(lines);
    cleanup();
    const { field, press, sent, type } = await openComposer();
    expect(field.value).toBe('Look: ⟦Pasted text 1⟧');
    fireEvent.click(chips().getByRole('button', { name: /Pasted text 1 ·/ }));
    expect(screen.getByLabelText('Beginning of the pasted text').textContent).toContain('line 7 of it');
    fireEvent.click(chips().getByRole('button', { name: 'Remove Pasted text 1' }));
    expect(field.value).toBe('Look: ');
    type('nothing');
    await press('Enter');
    expect(sent()).toMatchObject([{ text: 'Look: nothing' }]);
  });

  it('is deleted as one, like a letter', async () => {
    const { field, paste, press } = await openComposer();
    paste(lines);
    await press('Backspace');
    expect([field.selectionStart, field.selectionEnd]).toEqual([0, field.value.length]);
  });

  it('can be unfolded for editing', async () => {
    const { field, paste } = await openComposer();
    const text = 'word '.repeat(2_500);
    paste(text);
    fireEvent.click(chips().getByRole('button', { name: /Pasted text 1 ·/ }));
    fireEvent.click(chips().getByRole('button', { name: 'Edit in the message' }));
    expect(field.value).toBe(text);
    expect(screen.queryByRole('list', { name: 'Pasted texts' })).toBeNull();
  });
});

describe('a message that is too long', () => {
  it('is reported before it is sent, stays, and is sent once it is shorter', async () => {
    const { field, paste, type, press, sent } = await openComposer();
    paste('x'.repeat(maxMessageLength));
    expect(screen.queryByRole('alert')).toBeNull();
    type('y');
    expect(screen.getByRole('alert').textContent).toMatch(/1,000,001 characters; the limit is 1,000,000/);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true);
    await press('Enter');
    expect(sent()).toEqual([]);
    fireEvent.click(chips().getByRole('button', { name: 'Remove Pasted text 1' }));
    expect(field.value).toBe('y');
    expect(screen.queryByRole('alert')).toBeNull();
    await press('Enter');
    expect(sent()).toMatchObject([{ text: 'y' }]);
  });
});

describe('[CTX-meter] the context meter', () => {
  it('counts what is typed, however long, and no more once it is deleted', async () => {
    const { field, type } = await openComposer();
    const meter = () => screen.queryByText(/≈ .* tokens/)?.textContent;
    expect(meter()).toBeUndefined();
    type('word '.repeat(160));
    expect(meter()).toBe('≈ 200 tokens');
    type('語'.repeat(200));
    expect(meter()).toBe('≈ 350 tokens');
    fireEvent.input(field, { target: { value: 'word '.repeat(16_000) } });
    expect(meter()).toBe('≈ 20K tokens');
    fireEvent.input(field, { target: { value: '' } });
    expect(meter()).toBeUndefined();
  });
});

describe('[QUE-window] [QUE-move] a waiting line', () => {
  it('moves by its arrows and by keys, and keeps the focus', async () => {
    const { main, type, press, view } = await openComposer();
    type('first');
    await press('Enter');
    const [created] = main.calls.filter(({ name }) => name === 'message-send');
    const { sessionId } = created?.input as { sessionId: string };
    const model = { providerId: 'p', model: 'm' };
    const waits = { type: 'line-queued' as const, runMode: 'ask' as const, model, items: [] };
    const record = (...lineIds: readonly string[]) =>
      act(async () =>
        main.record(
          sessionId,
          lineIds.map((lineId) => ({ ...waits, lineId, text: lineId, when: 'stage' as const })),
        ),
      );
    await record('a');
    const buttons = (name: string) => screen.queryAllByRole('button', { name: new RegExp(`^${name}`) });
    expect(buttons('Move up')).toEqual([]);
    await record('b', 'c');
    const shown = () =>
      within(screen.getByRole('region', { name: '3 messages wait' }))
        .getAllByRole('listitem')
        .map((row) => row.querySelector('[title]')?.textContent);
    const moves = () => main.calls.filter(({ name }) => name === 'line-move').map(({ input }) => input);
    expect(buttons('Move up').map((button) => button.getAttribute('aria-disabled'))).toEqual([
      'true',
      'false',
      'false',
    ]);
    const up = buttons('Move up').at(-1)!;
    up.focus();
    await act(async () => fireEvent.click(up));
    expect(moves()).toEqual([{ sessionId, lineId: 'c', before: 'b' }]);
    expect(shown()).toEqual(['a', 'c', 'b']);
    expect(view.store.getState().announcement.text).toBe('c: moved to place 2 of 3');
    const row = screen.getAllByRole('listitem')[1]!;
    expect(row.contains(document.activeElement)).toBe(true);
    const key = (name: string) =>
      act(async () => fireEvent.keyDown(document.activeElement!, { key: name, altKey: true }));
    expect(await key('ArrowUp')).toBe(false);
    expect(shown()).toEqual(['c', 'a', 'b']);
    // Already first: nothing moves, and no other session opens.
    expect(await key('ArrowUp')).toBe(false);
    await key('ArrowDown');
    await key('ArrowDown');
    expect(shown()).toEqual(['a', 'b', 'c']);
    expect(moves().slice(1)).toEqual([
      { sessionId, lineId: 'c', before: 'a' },
      { sessionId, lineId: 'c', before: 'b' },
      { sessionId, lineId: 'c', before: null },
    ]);
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Move up: c');
  });
});

const model = { providerId: 'p', model: 'm' };

/** A composer whose first message has begun a session. */
async function openSent() {
  const opened = await openComposer();
  opened.type('first');
  await opened.press('Enter');
  const [created] = opened.main.calls.filter(({ name }) => name === 'message-send');
  const { sessionId } = created?.input as { sessionId: string };
  return { ...opened, sessionId };
}

describe('[QUE-reply] a line that waits for a reply', () => {
  it('is sent now or next, with its attachments', async () => {
    const { main, sessionId } = await openSent();
    const item = { kind: 'file' as const, hash: 'a'.repeat(64), bytes: 3, tokens: 1 };
    const items = [
      { ...item, ref: 'src/a.ts' },
      { ...item, ref: 'b.ts' },
    ];
    const line = { lineId: 'line_1', text: 'What of these?', runMode: 'ask' as const, model, items };
    await act(async () =>
      main.record(sessionId, [
        { type: 'reply-started', turn: 0, model, providerName: 'P' },
        { type: 'line-queued', ...line, when: 'after' },
      ]),
    );
    const waiting = within(screen.getByRole('region', { name: '1 message waits' }));
    expect(waiting.getByText('2 attachments: a.ts, b.ts')).toBeTruthy();
    const when = waiting.getByRole<HTMLSelectElement>('combobox');
    expect([...when.options].map(({ text }) => text)).toEqual(['Now', 'Next']);
    expect(when.selectedOptions[0]?.text).toBe('Next');
    await act(async () => void fireEvent.change(when, { target: { value: 'now' } }));
    expect(main.calls.at(-1)).toMatchObject({ name: 'line-edit', input: { lineId: 'line_1', when: 'now' } });
    // It still waits for no stage once the reply is stopped.
    await act(async () =>
      main.record(sessionId, [
        { type: 'reply-ended', turn: 0, outcome: 'stopped', usage: sampleUsage },
        { type: 'queue-paused' },
      ]),
    );
    expect([...when.options].map(({ text }) => text)).toEqual(['Now', 'Next']);
  });
});

it('says that another review counts from the next message on while a run is under way', async () => {
  const { main, type, press, view } = await openComposer();
  const choose = (name: string) => act(async () => void fireEvent.click(screen.getByRole('radio', { name })));
  type('first');
  await press('Enter');
  const [created] = main.calls.filter(({ name }) => name === 'message-send');
  const { sessionId } = created?.input as { sessionId: string };
  await choose('Agent Mode');
  await choose('Plan');
  expect(view.store.getState().toasts).toEqual([]);
  await act(async () =>
    main.record(sessionId, [{ type: 'run-started', turn: 0, runId: 'r', goal: 'first' }]),
  );
  await choose('None');
  expect(view.store.getState().toasts.map(({ text }) => text)).toEqual([
    'Review: None, from your next message. The run that is under way keeps its own.',
  ]);
});

describe('[QUE-window] waiting lines', () => {
  it('wait for no stage while nothing is under way, such as after a restart', async () => {
    const { main, sessionId } = await openSent();
    const line = { lineId: 'line_1', text: 'And this?', runMode: 'agent' as const, model, items: [] };
    await act(async () =>
      main.record(sessionId, [
        { type: 'run-started', turn: 0, runId: 'r', goal: 'first' },
        { type: 'line-queued', ...line, when: 'stage' },
        { type: 'run-interrupted', turn: 0, runId: 'r' },
        { type: 'queue-paused' },
      ]),
    );
    const when = within(
      screen.getByRole('region', { name: '1 message waits, paused' }),
    ).getByRole<HTMLSelectElement>('combobox');
    expect([...when.options].map(({ text }) => text)).toEqual(['Now', 'Next']);
    expect(when.selectedOptions[0]?.text).toBe('Next');
  });

  it('with attachments wait for no stage of a run', async () => {
    const { main, sessionId } = await openSent();
    const items = [{ kind: 'file' as const, ref: 'a.ts', hash: 'a'.repeat(64), bytes: 3, tokens: 1 }];
    const line = { lineId: 'line_1', text: 'And this?', runMode: 'agent' as const, model, items };
    await act(async () =>
      main.record(sessionId, [
        { type: 'run-started', turn: 0, runId: 'r', goal: 'first' },
        { type: 'line-queued', ...line, when: 'stage' },
      ]),
    );
    const waiting = within(screen.getByRole('region', { name: '1 message waits' }));
    const when = waiting.getByRole<HTMLSelectElement>('combobox');
    expect([...when.options].map(({ text }) => text)).toEqual(['Now', 'Next']);
  });

  it('are listed above the composer, where the user changes, edits and withdraws them, and continues after Stop', async () => {
    const { main, type, press, view } = await openComposer();
    type('first');
    await press('Enter');
    const [created] = main.calls.filter(({ name }) => name === 'message-send');
    const { sessionId } = created?.input as { sessionId: string };
    const model = { providerId: 'p', model: 'm' };
    const waits = { type: 'line-queued' as const, runMode: 'agent' as const, model, items: [] };
    await act(async () => {
      main.record(sessionId, [
        { type: 'run-started', turn: 0, runId: 'r', goal: 'first' },
        { ...waits, lineId: 'line_1', text: 'Not the archive', when: 'stage' },
        { ...waits, lineId: 'line_2', text: 'Then sum up', when: 'stage' },
      ]);
    });
    const queue = () => screen.getByRole('region', { name: '2 messages wait' });
    const last = <T,>(list: readonly T[]): T => list.at(-1)!;
    const calls = (name: string) => main.calls.filter((call) => call.name === name).map(({ input }) => input);
    const when = () => last(within(queue()).getAllByRole<HTMLSelectElement>('combobox'));
    const names = within(queue())
      .getAllByRole('button')
      .map((button) => button.getAttribute('aria-label'));
    expect(new Set(names).size).toBe(names.length);
    expect(when().getAttribute('aria-label')).toBe('When to send this message: Then sum up');
    expect(when().selectedOptions[0]?.text).toBe('At the next stage');
    await act(async () => void fireEvent.change(when(), { target: { value: 'after' } }));
    expect(calls('line-edit')).toEqual([{ sessionId, lineId: 'line_2', when: 'after' }]);
    expect(when().value).toBe('after');
    await act(
      async () =>
        void fireEvent.click(last(within(queue()).getAllByRole('button', { name: /^Edit the message: / }))),
    );
    expect(screen.getByRole('region', { name: '2 messages wait until you end the edit' })).toBeTruthy();
    const field = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'The waiting message' });
    expect(document.activeElement).toBe(field);
    fireEvent.change(field, { target: { value: 'Then count' } });
    await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }));
    await waitFor(() =>
      expect(document.activeElement).toBe(
        last(within(queue()).getAllByRole('button', { name: /^Edit the message: / })),
      ),
    );
    expect(calls('line-edit').at(-1)).toEqual({
      sessionId,
      lineId: 'line_2',
      text: 'Then count',
      held: false,
    });
    expect(queue().textContent).toContain('Then count');
    const [withdraw] = within(queue()).getAllByRole('button', { name: /^Withdraw the message: / });
    withdraw?.focus();
    await act(async () => void (withdraw && fireEvent.click(withdraw)));
    await waitFor(() =>
      expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Message' })),
    );
    type('a draft');
    await act(async () => view.store.getState().toasts.at(-1)?.action?.run());
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' }).value).toBe(
      'Not the archive\n\na draft',
    );
    await act(async () =>
      main.record(sessionId, [{ type: 'run-interrupted', turn: 0, runId: 'r' }, { type: 'queue-paused' }]),
    );
    const paused = screen.getByRole('region', { name: '1 message waits, paused' });
    await act(async () => void fireEvent.click(within(paused).getByRole('button', { name: 'Send' })));
    expect(calls('queue-resume')).toEqual([{ sessionId }]);
    expect(screen.getByRole('region', { name: '1 message waits' })).toBeTruthy();
    const routing = {
      action: { type: 'invoke-command' as const, commandId: 'SetMode', resolvedId: 'ddr' },
      trace: { folded: '/mode ddr', mode: 'general', candidates: [], decision: 'slash', unavailable: [] },
    };
    const command = { ...waits, lineId: 'line_3', text: '/mode ddr', when: 'stage' as const, routing };
    await act(async () => main.record(sessionId, [{ type: 'line-withdrawn', lineId: 'line_2' }, command]));
    const waiting = screen.getByRole('region', { name: '1 message waits' });
    expect(waiting.textContent).toContain('/mode ddr');
    expect(within(waiting).queryByRole('button', { name: /^Edit the message/ })).toBeNull();
    expect(within(waiting).getByRole('button', { name: 'Withdraw the message: /mode ddr' })).toBeTruthy();
  });

  it('[QUE-edit] wait for the end of an edit, whose text is there again when the user comes back', async () => {
    const { main, commands, drafts } = await openComposer();
    const model = { providerId: 'p', model: 'm' };
    const waits = { runMode: 'ask' as const, model, items: [], when: 'stage' as const };
    for (const id of ['talk', 'other'])
      main.addSession(id, [{ type: 'session-created', title: id, project: null }]);
    await act(async () => void (await commands.openSession('talk')));
    await act(async () =>
      main.record('talk', [
        { type: 'message-sent', turn: 0, text: 'first', runMode: 'ask', model },
        { type: 'reply-started', turn: 0, model, providerName: 'P' },
        { type: 'line-queued', ...waits, lineId: 'line_1', text: 'And then?' },
      ]),
    );
    await act(
      async () => void fireEvent.click(screen.getByRole('button', { name: 'Edit the message: And then?' })),
    );
    expect(main.session('talk').queue?.lines[0]?.held).toBe(true);
    const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'The waiting message' });
    expect(document.activeElement).toBe(field());
    fireEvent.change(field(), { target: { value: 'And after that?' } });
    await act(async () => void (await commands.openSession('other')));
    expect(screen.queryByRole('textbox', { name: 'The waiting message' })).toBeNull();
    await act(async () => void (await commands.openSession('talk')));
    expect(screen.getByRole('region', { name: '1 message waits until you end the edit' })).toBeTruthy();
    expect(field().value).toBe('And after that?');
    expect(document.activeElement).not.toBe(field());
    await act(async () => void fireEvent.keyDown(field(), { key: 'Escape' }));
    expect(main.session('talk').queue?.lines).toMatchObject([{ text: 'And then?' }]);
    expect(main.session('talk').queue?.lines[0]?.held).toBeUndefined();
    expect(drafts.read('edit.talk.line_1')).toBe('');
    await act(
      async () => void fireEvent.click(screen.getByRole('button', { name: 'Edit the message: And then?' })),
    );
    expect(field().value).toBe('And then?');
    fireEvent.change(field(), { target: { value: 'And last?' } });
    await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Save' })));
    expect(main.session('talk').queue?.lines).toMatchObject([{ text: 'And last?' }]);
    expect(drafts.read('edit.talk.line_1')).toBe('');
  });
});
