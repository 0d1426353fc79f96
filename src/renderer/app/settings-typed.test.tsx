import { appError } from '#shared/app-error';
import type { IpcHandlers } from '#shared/ipc';
import { err, ok, type Result } from '#shared/result';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { created } from '../../testing/sample-routing';
import { openTestWindow } from '../../testing/test-window';

afterEach(cleanup);

const warning = 'What you typed is not saved. Save it, or close again to drop it.';
const said = () => screen.queryByRole('alert')?.textContent ?? null;
const press = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));
const openTab = (name: string) =>
  act(async () => void fireEvent.mouseDown(screen.getByRole('tab', { name }), { button: 0 }));
const openedTab = () => screen.getByRole('tab', { selected: true }).textContent?.trim();
const typedName = () => screen.queryByLabelText<HTMLInputElement>(/^Name/)?.value ?? null;

/** Whether the page may unload now. */
const unloads = () => {
  const event = new Event('beforeunload', { cancelable: true });
  return act(async () => window.dispatchEvent(event));
};

/** The window with the settings open, and a name typed into the form that adds a provider. */
async function openTyped(handlers: Partial<IpcHandlers> = {}) {
  const { app, main } = await openTestWindow({ s1: [created], s2: [created] }, { handlers });
  await act(async () => app.view.set({ dialog: { kind: 'settings', section: 'models' } }));
  await press('Add a provider');
  const field = screen.getByLabelText<HTMLInputElement>('Name');
  await act(async () => field.focus());
  await act(async () => void fireEvent.input(field, { target: { value: 'Lab' } }));
  const dialog = () => app.view.store.getState().dialog?.kind ?? null;
  return { app, main, dialog };
}

describe('[SET-typed] text typed into a form of the settings', () => {
  it('is still there after a look at another section', async () => {
    await openTyped();
    await openTab('Servers');
    expect([openedTab(), said()]).toEqual(['Servers', null]);
    await openTab('Models');
    expect([openedTab(), typedName()]).toEqual(['Models', 'Lab']);
  });

  it('is shown again, with a warning, when the close button would drop it from another section', async () => {
    const { dialog } = await openTyped();
    await openTab('Servers');
    await press('Close settings');
    expect([dialog(), openedTab(), said(), typedName()]).toEqual(['settings', 'Models', warning, 'Lab']);
    await press('Close settings');
    expect(dialog()).toBeNull();
  });

  it('is not dropped by a button that leads elsewhere, nor by the menu, however often', async () => {
    const { app, main, dialog } = await openTyped();
    await press('Choose a model…');
    expect([dialog(), app.view.store.getState().modelPickerOpen, said()]).toEqual([
      'settings',
      false,
      warning,
    ]);
    for (const _time of [1, 2]) await act(async () => main.push({ type: 'menu-chosen', id: 'palette' }));
    expect([dialog(), typedName(), said()]).toEqual(['settings', 'Lab', warning]);
  });

  it('stays above the session that a notification opens', async () => {
    const { app, main, dialog } = await openTyped();
    for (const _time of [1, 2]) await act(async () => main.push({ type: 'session-called', sessionId: 's2' }));
    expect([app.view.store.getState().sessionId, dialog(), typedName()]).toEqual(['s2', 'settings', 'Lab']);
    expect(said()).toBe(warning);
  });

  it('holds nothing back while it is being saved, but does again when that fails', async () => {
    let answer = (_saved: Result<never>): void => undefined;
    const saving = new Promise<Result<never>>((resolve) => (answer = resolve));
    const { dialog } = await openTyped({ 'provider-edit': () => saving });
    await act(
      async () =>
        void fireEvent.input(screen.getByLabelText(/^Base URL/), {
          target: { value: 'http://127.0.0.1:9/v1' },
        }),
    );
    await press('Save');
    expect([await unloads(), said()]).toEqual([true, null]);
    await act(async () => answer(err(appError('HOST', 'STORAGE', 'The disk is full.'))));
    expect([await unloads(), said()]).toEqual([false, warning]);
    expect(dialog()).toBe('settings');
  });

  it('holds nothing back once its form is cancelled', async () => {
    const { dialog } = await openTyped();
    await press('Cancel');
    await press('Close settings');
    expect(dialog()).toBeNull();
  });
});

describe('[SET-typed-unload] the page of a window with typed text', () => {
  it('stays at the first close, which says why, and not at the second', async () => {
    await openTyped();
    expect([await unloads(), said()]).toEqual([false, warning]);
    expect(await unloads()).toBe(true);
  });

  it('stays for a language that the user chose, until the dialog is gone; then main is asked again', async () => {
    const { app, main, dialog } = await openTyped();
    await act(async () => app.commands.changeSettings({ language: 'de' }));
    for (const _time of [1, 2]) expect([await unloads(), said()]).toEqual([false, warning]);
    const asked = () =>
      main.calls.filter(({ name, input }) => name === 'settings-set' && 'language' in Object(input)).length;
    expect(asked()).toBe(1);
    await press('Cancel');
    await press('Close settings');
    expect([dialog(), asked(), await unloads()]).toEqual([null, 2, true]);
  });

  it('has saved what was typed into a field that saves by itself', async () => {
    const { app } = await openTestWindow({ s1: [created] });
    await act(async () => app.view.set({ dialog: { kind: 'settings', section: 'models' } }));
    const field = screen.getByLabelText<HTMLInputElement>('Mirror of the offered model');
    await act(async () => field.focus());
    await act(async () => void fireEvent.input(field, { target: { value: 'https://mirror.example' } }));
    expect(await unloads()).toBe(true);
    expect(app.mirror.store.getState().settings.modelMirror).toBe('https://mirror.example');
  });
});

describe('[SET-typed] text typed into the dialog', () => {
  const writeCode = { kind: 'write-code', code: 'const a = 1;', fence: 'ts' } as const;

  it('that writes code to a file is not dropped without a word; Cancel drops it', async () => {
    const { app } = await openTestWindow({ s1: [created] }, { handlers: { 'item-options': () => ok([]) } });
    await act(async () => app.view.set({ dialog: writeCode }));
    const field = screen.getByLabelText('File');
    await act(async () => field.focus());
    await act(async () => void fireEvent.input(field, { target: { value: 'src/a.ts' } }));
    await act(async () => app.view.set({ dialog: null }));
    expect(said()).toBe(warning);
    await act(
      async () =>
        void fireEvent.click(screen.getAllByRole('button', { name: 'Cancel' }).at(-1) as HTMLElement),
    );
    expect(app.view.store.getState().dialog).toBeNull();
  });
});
