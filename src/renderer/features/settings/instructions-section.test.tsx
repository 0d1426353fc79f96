import { appError } from '#shared/app-error';
import type { InstructionFilesView } from '#shared/instruction-files';
import { ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestWindow, pretendLayout } from '../../../testing/test-window';
import type { WindowBridge } from '../../../testing/window-bridge';

const project = '/home/ada/work';
const session: readonly SessionFact[] = [{ type: 'session-created', title: '', project }];
const found = 'a'.repeat(64);
const later = 'b'.repeat(64);

const isNew: InstructionFilesView = {
  project,
  found,
  adopted: null,
  dropped: false,
  files: [{ path: 'AGENTS.md', bytes: 9, tokens: 3, status: 'new' }],
  problems: [{ file: 'CLAUDE.md', field: '', rule: 'size', reason: 'It is larger than 64 KB.' }],
  changes: [
    {
      path: 'AGENTS.md',
      change: 'added',
      hunks: [{ oldStart: 1, newStart: 1, lines: [{ kind: 'added', text: 'Use tabs.' }] }],
    },
  ],
};
const isAdopted: InstructionFilesView = {
  ...isNew,
  adopted: found,
  problems: [],
  changes: [],
  files: [{ path: 'AGENTS.md', bytes: 9, tokens: 3, status: 'adopted' }],
};
const isChanged: InstructionFilesView = {
  ...isAdopted,
  found: later,
  files: [{ path: 'AGENTS.md', bytes: 11, tokens: 3, status: 'changed' }],
  changes: [
    {
      path: 'AGENTS.md',
      change: 'changed',
      hunks: [
        {
          oldStart: 1,
          newStart: 1,
          lines: [
            { kind: 'removed', text: 'Use tabs.' },
            { kind: 'added', text: 'Use spaces.' },
          ],
        },
      ],
    },
  ],
};

/** The window over one session, whose main answers about instructions and parameters. */
async function open(view: InstructionFilesView | null = null) {
  let shown = view;
  let main: WindowBridge | null = null;
  const recorded = (sessionId: string, fact: SessionFact) => {
    main?.record(sessionId, [fact]);
    return ok(null);
  };
  const window = await openTestWindow(
    { s1: session },
    {
      settings: { project },
      handlers: {
        'session-instructions': ({ sessionId, text }) =>
          recorded(sessionId, { type: 'instructions-changed', text }),
        'session-parameters': ({ sessionId, parameters }) =>
          recorded(sessionId, { type: 'parameters-changed', parameters }),
        'instruction-files': () => ok(shown),
        'instruction-files-adopt': () => ok((shown = isAdopted)),
        'instruction-files-drop': () =>
          ok((shown = shown && { ...isNew, adopted: null, dropped: true, problems: [] })),
      },
    },
  );
  main = window.main;
  const settle = (work: () => unknown) => act(async () => void (await work()));
  return {
    ...window,
    settle,
    set: (next: InstructionFilesView) => void (shown = next),
    settings: async () => {
      await settle(() => window.app.view.set({ dialog: { kind: 'settings', section: 'instructions' } }));
      return within(await screen.findByRole('dialog', { name: 'Settings' }));
    },
    sent: (name: string) => window.main.calls.filter((call) => call.name === name).map(({ input }) => input),
  };
}

beforeEach(pretendLayout);
afterEach(() => {
  cleanup();
  window.localStorage.clear();
});

describe('[CTX-window-settings] the instructions in the settings', () => {
  it('are saved for every session, the project and the session, each on the user’s command', async () => {
    const { settings, settle, sent, app } = await open();
    const dialog = await settings();
    const save = async (label: string, words: string) => {
      fireEvent.change(dialog.getByLabelText(label), { target: { value: words } });
      await settle(() => fireEvent.click(dialog.getByRole('button', { name: `Save: ${label}` })));
    };
    const box = dialog.getByRole('button', { name: 'Save: For every session' });
    expect(box).toHaveProperty('disabled', true);
    await save('For every session', ' Be brief. ');
    await save('For the project work', 'Use tabs.');
    await save('For this session', 'In English.');
    expect(app.mirror.store.getState().settings).toMatchObject({
      instructions: 'Be brief.',
      projectInstructions: { [project]: 'Use tabs.' },
    });
    expect(sent('session-instructions')).toEqual([{ sessionId: 's1', text: 'In English.' }]);
    await save('For the project work', '');
    expect(app.mirror.store.getState().settings.projectInstructions).toEqual({});
  });

  it('[CTX-instruction-drafts] keep a text that was not saved, until it is saved or discarded', async () => {
    const { settings, settle, app } = await open();
    const label = 'For every session';
    const box = (dialog: Awaited<ReturnType<typeof settings>>) =>
      dialog.getByLabelText<HTMLTextAreaElement>(label);
    const close = () => settle(() => app.view.set({ dialog: null }));
    fireEvent.change(box(await settings()), { target: { value: 'Be brief.' } });
    await close();
    let dialog = await settings();
    expect(box(dialog).value).toBe('Be brief.');
    expect(dialog.getByText(/not saved/)).toBeDefined();
    await settle(() => fireEvent.click(dialog.getByRole('button', { name: `Discard: ${label}` })));
    expect(box(dialog).value).toBe('');
    expect(dialog.queryByText(/not saved/)).toBeNull();

    fireEvent.change(box(dialog), { target: { value: 'In English.' } });
    await settle(() => fireEvent.click(dialog.getByRole('button', { name: `Save: ${label}` })));
    // An emptied box is a change as well.
    fireEvent.change(box(dialog), { target: { value: '' } });
    await close();
    dialog = await settings();
    expect(box(dialog).value.trim()).toBe('');
    expect(dialog.getByRole('button', { name: `Save: ${label}` })).toHaveProperty('disabled', false);
    await settle(() => fireEvent.click(dialog.getByRole('button', { name: `Discard: ${label}` })));
    await close();
    expect(box(await settings()).value).toBe('In English.');
  });

  it('report a text that is too long, and do not save it', async () => {
    const { settings } = await open();
    const dialog = await settings();
    fireEvent.change(dialog.getByLabelText('For every session'), { target: { value: 'x'.repeat(100_001) } });
    expect(dialog.getByText('This text has 100,001 characters; the limit is 100,000.')).toBeDefined();
    expect(dialog.getByRole('button', { name: 'Save: For every session' })).toHaveProperty('disabled', true);
  });

  it('show the project’s instruction files with their text, and adopt exactly that', async () => {
    const { settings, settle, sent } = await open(isNew);
    const dialog = await settings();
    const files = within(await dialog.findByRole('region', { name: 'Brought along by work' }));
    expect(files.getByRole('status').textContent).toMatch(/no model reads it until you adopt it/);
    expect(
      within(files.getByRole('list', { name: 'Files with instructions' })).getByText('not adopted'),
    ).toBeDefined();
    expect(files.getByText('Use tabs.')).toBeDefined();
    expect(files.getByText('CLAUDE.md: It is larger than 64 KB.')).toBeDefined();
    await settle(() => fireEvent.click(files.getByRole('button', { name: 'Adopt for this project' })));
    expect(sent('instruction-files-adopt')).toEqual([{ sessionId: 's1', found }]);
    expect(files.getByText('adopted')).toBeDefined();
    expect(files.queryByRole('button', { name: /Adopt/ })).toBeNull();
  });

  it('show a change as a difference, and remove the files', async () => {
    const { settings, settle, sent, main } = await open(isChanged);
    const dialog = await settings();
    const files = within(await dialog.findByRole('region', { name: 'Brought along by work' }));
    expect([files.getByText('Use tabs.'), files.getByText('Use spaces.')]).toHaveLength(2);
    main.failNext(
      'instruction-files-adopt',
      appError('HOST', 'STATE', 'The files changed after they were shown.'),
    );
    await settle(() => fireEvent.click(files.getByRole('button', { name: 'Adopt the change' })));
    expect(files.getByText('The files changed after they were shown.')).toBeDefined();
    await settle(() => fireEvent.click(files.getByRole('button', { name: 'Stop using them' })));
    expect(sent('instruction-files-drop')).toEqual([{ sessionId: 's1' }]);
    expect(files.getByRole('status').textContent).toBe('No model reads these files.');
  });

  it('are opened by their notice', async () => {
    const { main, settle } = await open(isNew);
    const notice = {
      id: 'project-instructions',
      level: 'info',
      title: 'This project brings instructions for models along',
      detail: 'AGENTS.md.',
      section: 'instructions',
    } as const;
    await settle(async () => {
      main.push({ type: 'notice-raised', notice });
      await main.drained();
    });
    await settle(() => fireEvent.click(screen.getByRole('button', { name: 'Look at it' })));
    expect(await screen.findByRole('region', { name: 'Brought along by work' })).toBeDefined();
  });
});

describe('[CTX-window-settings] the parameters beside the model', () => {
  it('are saved for the model and for the session, and removed again', async () => {
    const { settle, sent, app } = await open();
    await settle(() => fireEvent.click(screen.getByRole('button', { name: 'How the model answers' })));
    const panel = within(await screen.findByRole('dialog', { name: 'How the model answers' }));
    const blur = async (label: string, value: string) => {
      const field = panel.getByLabelText(label);
      await settle(() => {
        fireEvent.change(field, { target: { value } });
        fireEvent.blur(field);
      });
    };
    await blur('Stop texts', 'END | §');
    const [options] = Object.values(app.mirror.store.getState().settings.modelOptions);
    expect(options).toEqual({ stop: ['END', '§'] });
    await blur('Temperature', '3');
    expect(panel.getByLabelText('Temperature').getAttribute('aria-invalid')).toBe('true');
    await blur('Stop texts', ' ');
    expect(Object.values(app.mirror.store.getState().settings.modelOptions)).toEqual([{}]);
    expect(sent('session-parameters')).toEqual([]);
    const scope = panel.getByLabelText('For which replies');
    await settle(() => fireEvent.change(scope, { target: { value: 'session' } }));
    await blur('Temperature', '0.3');
    await blur('Longest reply, in tokens', '500');
    await blur('Temperature', '');
    expect(sent('session-parameters').map((input) => (input as { parameters: unknown }).parameters)).toEqual([
      { temperature: 0.3 },
      { temperature: 0.3, maxOutputTokens: 500 },
      { maxOutputTokens: 500 },
    ]);
  });

  it('[CTX-line-parameters] are set for the next message alone, which a line above the composer says', async () => {
    const { settle, sent, app } = await open();
    await settle(() => fireEvent.click(screen.getByRole('button', { name: 'How the model answers' })));
    const panel = within(await screen.findByRole('dialog', { name: 'How the model answers' }));
    const choose = (label: string, value: string) =>
      settle(() => fireEvent.change(panel.getByLabelText(label), { target: { value } }));
    await choose('For which replies', 'line');
    await choose('Effort', 'high');
    expect(screen.getByText('Next message only: high effort')).toBeDefined();
    await settle(() => app.commands.sendDraft('One?', 'ask'));
    expect(screen.queryByText(/^Next message only/u)).toBeNull();
    await settle(() => app.commands.sendDraft('Two?', 'ask'));
    await settle(() => app.view.set({ lineParameters: { effort: 'low', temperature: 1 } }));
    expect(screen.getByText('Next message only: low effort, temperature 1')).toBeDefined();
    await settle(() => app.commands.changeSettings({ mode: 'agent' }));
    expect(screen.getByText('Next message only: low effort')).toBeDefined();
    await settle(() => app.commands.sendDraft('A goal', 'agent'));
    expect(sent('message-send').map((line) => (line as { parameters?: unknown }).parameters)).toEqual([
      { effort: 'high' },
      undefined,
      { effort: 'low' },
    ]);
    expect(screen.queryByText(/^Next message only/u)).toBeNull();
    await choose('Effort', 'low');
    await settle(() => fireEvent.click(screen.getByRole('button', { name: 'Use what the session uses' })));
    expect(app.view.store.getState().lineParameters).toBeNull();
    expect(sent('session-parameters')).toEqual([]);
  });
});
