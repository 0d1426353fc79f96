import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import type { Action } from '#shared/route';
import type { SessionFact } from '#shared/session-event';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { created, routed, sampleQuestion as question, sent, traceOf } from '../../testing/sample-routing';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

const talk = (...facts: readonly SessionFact[]) => openTestWindow({ talk: [created, ...facts] });
const click = (element: HTMLElement) => act(async () => void fireEvent.click(element));
const key = (element: HTMLElement, name: string) =>
  act(async () => void fireEvent.keyDown(element, { key: name }));

beforeEach(() => {
  window.localStorage.clear();
  pretendLayout();
});
afterEach(cleanup);

describe('a question', () => {
  const asked: SessionFact = { type: 'question-asked', turn: 0, question };
  const send = sent('send this to the Q1 pilot list');
  const confirm: Action = {
    type: 'ask-clarifying-question',
    questionText: question.text,
    options: ['Yes', 'No'],
  };

  it('[WIN-question] shows its effect, and a button answers it', async () => {
    const { main } = await talk(send, routed(confirm), asked);
    const card = within(screen.getByRole('group', { name: /^Question: Confirm send/ }));
    expect(card.getByText('The message is written to the outbox.')).toBeTruthy();
    await click(card.getByRole('button', { name: 'Yes' }));
    expect(main.calls.at(-1)).toMatchObject({
      name: 'question-answer',
      input: { questionId: 'q1', option: 'Yes' },
    });
    expect(screen.queryByRole('group', { name: /^Question/ })).toBeNull();
    expect(screen.getByText("Confirm send to 'Q1 pilot list'?").parentElement?.textContent).toContain('Yes');
  });

  it('[WIN-question] ignores an Enter that was meant for something else', async () => {
    const { main } = await talk(send, routed(confirm), asked);
    await key(screen.getByRole('group', { name: /^Question/ }), 'Enter');
    expect(main.calls.some(({ name }) => name === 'question-answer')).toBe(false);
  });

  it('[WIN-to-model] can send its line to the model instead', async () => {
    const { main } = await talk(send, routed(confirm), asked);
    await click(screen.getByRole('button', { name: 'Send to the model instead' }));
    expect(main.calls.at(-1)).toMatchObject({ name: 'picker-close', input: { turn: 0, then: 'model' } });
  });

  it('[WIN-undo-command] a command that changed the mode can be undone while its line is the newest', async () => {
    const run: readonly SessionFact[] = [
      sent('switch to DDR mode'),
      routed({ type: 'invoke-command', commandId: 'SetMode', resolvedId: 'ddr_authoring' }),
      {
        type: 'command-invoked',
        turn: 0,
        commandId: 'SetMode',
        displayName: 'Switch mode',
        item: { id: 'ddr_authoring', displayName: 'DDR Authoring' },
      },
      {
        type: 'command-ended',
        turn: 0,
        outcome: 'done',
        summary: 'Mode: DDR Authoring',
        undo: { commandId: 'SetMode', id: 'general' },
      },
    ];
    const { lines } = await talk(...run);
    await click(screen.getByRole('button', { name: 'Undo' }));
    expect(lines()).toEqual(['/mode general']);
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull());
  });

  it('[WIN-question] that was withdrawn shows nothing', async () => {
    await talk(send, asked, {
      type: 'question-withdrawn',
      turn: 0,
      questionId: 'q1',
      reason: 'question-withdrawn',
    });
    expect(screen.queryByRole('button', { name: 'Yes' })).toBeNull();
    expect(screen.getByText('Your next message was about something else.')).toBeTruthy();
  });

  it('[WIN-branch] of the model offers to stay, to switch, and to continue in a new session, which then opens', async () => {
    const options = ['Stay', 'Switch this session', 'Switch and start a new session'];
    const proposal: SessionFact = {
      type: 'question-asked',
      turn: 0,
      question: { ...question, asker: 'model', text: 'Switch to DDR authoring?', options },
    };
    const { app } = await openTestWindow(
      { talk: [created, sent('let us decide'), proposal], other: [created, sent('the other session')] },
      { controlPlane: { opened: 'other' } },
    );
    const card = within(screen.getByRole('group', { name: /^Question: Switch to DDR/ }));
    for (const name of options) expect(card.getByRole('button', { name })).toBeTruthy();
    await click(card.getByRole('button', { name: 'Switch and start a new session' }));
    expect(app.view.store.getState().sessionId).toBe('other');
  });

  it('[WIN-aloud] is announced with its answers', async () => {
    const { main, app } = await talk(send);
    await act(async () => {
      main.record('talk', [asked]);
      await main.drained();
    });
    expect(app.view.store.getState().announcement.text).toBe(
      "Question: Confirm send to 'Q1 pilot list'? Yes, No",
    );
  });
});

describe('a routed line', () => {
  const setMode: Action = { type: 'invoke-command', commandId: 'SetMode', resolvedId: 'ddr_authoring' };
  const switching = [sent('switch to DDR mode'), routed(setMode)] as const;

  it('[WIN-trace] names the command that handled it and opens the trace', async () => {
    await talk(...switching);
    await click(screen.getByRole('button', { name: 'handled by “switch mode”' }));
    const trace = await waitFor(() => within(screen.getByRole('tabpanel', { name: 'Trace' })));
    expect(trace.getByText('A strict hit decides.')).toBeTruthy();
    const row = within(trace.getByRole('table', { name: 'The option that decided' })).getAllByRole('row')[1];
    expect(row?.textContent).toContain('switch to {item} {noun}');
    expect(row?.textContent).toContain('Exact name');
    expect(row?.textContent).toContain('Won');
  });

  it('[WIN-trace] shows nothing for a line for the model without other candidates', async () => {
    const llm: Action = { type: 'continue-with-llm', reasonCode: 'no-match' };
    await talk(sent('what is back pressure?'), routed(llm, { candidates: [] }));
    expect(screen.queryByRole('button', { name: /handled by|sent to the model/ })).toBeNull();
  });

  it('[WIN-command] is one quiet line when its command is done, and a card when it failed', async () => {
    const item = { id: 'ddr_authoring', displayName: 'DDR authoring' };
    const invoked: SessionFact = {
      type: 'command-invoked',
      turn: 0,
      commandId: 'SetMode',
      displayName: 'Switch mode',
      item,
    };
    const { main } = await talk(...switching, invoked, {
      type: 'command-ended',
      turn: 0,
      outcome: 'done',
      summary: 'Mode: DDR authoring',
    });
    const first = within(screen.getByRole('article', { name: 'Turn 1' }));
    expect(first.getByText('Mode: DDR authoring')).toBeTruthy();
    expect(first.queryByRole('button', { name: 'Retry' })).toBeNull();
    const error = appError('HOST', 'STATE', 'A workflow is active.', { hint: 'Cancel it first.' });
    await act(async () => {
      main.record('talk', [
        sent('/mode general', 1),
        routed(setMode, {}, 1),
        { ...invoked, turn: 1 },
        { type: 'command-ended', turn: 1, outcome: 'failed', summary: '', error },
      ]);
      await main.drained();
    });
    const second = within(screen.getByRole('article', { name: 'Turn 2' }));
    expect(second.getByText('A workflow is active.')).toBeTruthy();
    expect(second.getByText('Cancel it first.')).toBeTruthy();
  });

  it('[WIN-branch] opens the session in which the work continues', async () => {
    const { app } = await openTestWindow({
      talk: [
        created,
        ...switching,
        { type: 'session-branched', turn: 0, opened: 'other', mode: 'ddr_authoring' },
      ],
      other: [created, sent('on we go')],
    });
    await click(screen.getByRole('button', { name: /continues in a new session, in DDR authoring/ }));
    expect(app.view.store.getState().sessionId).toBe('other');
  });
});

describe('the route inspector', () => {
  it('[WIN-preview] requests only the newest text, one request at a time, and sends nothing', async () => {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const action: Action = { type: 'invoke-command', commandId: 'SetMode', resolvedId: 'ddr_authoring' };
    const { app, lines } = await openTestWindow(
      { talk: [created, sent('hello')] },
      {
        controlPlane: {
          onPreview: (text) => {
            asked.push(text);
            return new Promise((resolve) => {
              answers.push(() => resolve(ok({ action, trace: traceOf({ decision: `About ${text}.` }) })));
            });
          },
        },
      },
    );
    await act(async () => app.commands.inspect(null, 'route'));
    const field = await waitFor(() => screen.getByRole('textbox', { name: 'Try a message' }));
    const type = (value: string) => act(async () => void fireEvent.change(field, { target: { value } }));
    await type('s');
    await type('sw');
    await type('switch');
    expect(asked).toEqual(['s']);
    await act(async () => answers[0]?.());
    expect(asked).toEqual(['s', 'switch']);
    await act(async () => answers[1]?.());
    expect(screen.getByText('About switch.')).toBeTruthy();
    expect(lines()).toEqual([]);
  });

  it('[WIN-preview] shows why a line could not be routed', async () => {
    const { app } = await openTestWindow(
      { talk: [created, sent('hello')] },
      { controlPlane: { onPreview: () => err(appError('HOST', 'STATE', 'Still starting.')) } },
    );
    await act(async () => app.commands.inspect(null, 'route'));
    const field = await waitFor(() => screen.getByRole('textbox', { name: 'Try a message' }));
    await act(async () => void fireEvent.change(field, { target: { value: 'x' } }));
    expect(screen.getByText('Still starting.')).toBeTruthy();
  });
});
