import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { implementations } from '../actions/implementations';
import { seedActions } from '../../testing/seed-actions';
import { openTestWindow } from '../../testing/test-window';

afterEach(cleanup);

const press = (target: Element, key: string, more: Partial<KeyboardEventInit> = {}) =>
  act(async () => void fireEvent.keyDown(target, { key, bubbles: true, ...more }));

async function openShortcuts(shortcuts: Record<string, string | null> = {}) {
  const opened = await openTestWindow({}, { settings: { shortcuts } });
  await act(async () => opened.app.view.set({ dialog: { kind: 'settings', section: 'shortcuts' } }));
  const button = (name: string | RegExp) => screen.getByRole('button', { name });
  const click = (name: string | RegExp) => act(async () => void fireEvent.click(button(name)));
  const stored = () => opened.app.mirror.store.getState().settings.shortcuts;
  return { ...opened, button, click, stored };
}

describe('rows of actions', () => {
  it('[ACT-one-source] exist for everything that the window can do', () => {
    expect(seedActions.map(({ actionId }) => actionId).sort()).toEqual(Object.keys(implementations).sort());
  });

  it('[ACT-one-source] define the shortcuts through main, not in the window', async () => {
    const actions = seedActions.map((row) =>
      row.actionId === 'palette' ? { ...row, displayName: 'Everything', shortcut: 'Mod+E' } : row,
    );
    const { app, field } = await openTestWindow({}, { info: { actions } });
    await press(field, 'k', { ctrlKey: true });
    expect(app.view.store.getState().dialog).toBeNull();
    await press(field, 'e', { ctrlKey: true });
    expect(app.view.store.getState().dialog).toEqual({ kind: 'palette' });
  });

  it('[ACT-one-source] are executed when chosen in the menu, after open layers are closed', async () => {
    const { app, main } = await openTestWindow({});
    await act(async () => app.view.set({ dialog: { kind: 'shortcuts' } }));
    await act(async () => {
      main.push({ type: 'menu-chosen', id: 'toggle-inspector' });
      await main.drained();
    });
    expect(app.view.store.getState().dialog).toBeNull();
    expect(app.mirror.store.getState().settings.inspectorOpen).toBe(true);
    await act(async () => {
      main.push({ type: 'menu-chosen', id: 'SetMode' });
      await main.drained();
    });
    expect(app.view.store.getState().dialog).toEqual({ kind: 'picker', commandId: 'SetMode' });
  });

  it('[ACT-early] execute shortcuts pressed before the rows are known', async () => {
    const { app, field } = await openTestWindow({});
    const { info } = app.mirror.store.getState();
    await act(async () => app.mirror.store.setState({ info: null }));
    await press(field, 'k', { ctrlKey: true });
    expect(app.view.store.getState().dialog).toBeNull();
    await act(async () => app.mirror.store.setState({ info }));
    expect(app.view.store.getState().dialog).toEqual({ kind: 'palette' });
  });
});

describe('shortcuts in the settings', () => {
  it('[ACT-changed] pressed keys are saved, used and shown', async () => {
    const { app, main, field, click, button, stored } = await openShortcuts({ later: 'F9' });
    await click(/^Command palette Ctrl ?K$/);
    await press(button('Command palette Press keys…'), 'j', { ctrlKey: true });
    expect(stored()).toEqual({ later: 'F9', palette: 'Mod+J' });
    expect(main.calls.at(-1)).toEqual({
      name: 'settings-set',
      input: { shortcuts: { later: 'F9', palette: 'Mod+J' } },
    });
    await act(async () => app.view.set({ dialog: null }));
    await press(field, 'j', { ctrlKey: true });
    expect(app.view.store.getState().dialog).toEqual({ kind: 'palette' });
  });

  it('[ACT-conflict] a conflict is named, and nothing changes without a confirmation', async () => {
    const { click, button, stored } = await openShortcuts();
    await click(/^Command palette Ctrl ?K$/);
    await press(button(/Press keys…$/), 'f', { ctrlKey: true });
    expect(screen.getByRole('alert').textContent).toContain('belongs to “Find in this session”');
    expect(stored()).toEqual({});
    await click('Use it here');
    expect(stored()).toEqual({ palette: 'Mod+F', find: null });
    expect(button('Find in this session None')).toBeTruthy();
    await click('Reset the shortcut of Find in this session');
    expect(stored()).toEqual({ palette: null });
    await click('Reset all');
    expect(stored()).toEqual({});
  });

  it('[ACT-changed] Escape cancels, Backspace removes it, and a command can have a shortcut too', async () => {
    const { app, field, click, button, stored } = await openShortcuts();
    await click(/^Command palette Ctrl ?K$/);
    await press(button(/Press keys…$/), 'Escape');
    expect(stored()).toEqual({});
    await click(/^Command palette Ctrl ?K$/);
    await press(button(/Press keys…$/), 'Backspace');
    expect(stored()).toEqual({ palette: null });
    await click('Switch mode None');
    await press(button(/Press keys…$/), 'm', { altKey: true });
    expect(stored()).toEqual({ palette: null, SetMode: 'Alt+M' });
    await act(async () => app.view.set({ dialog: null }));
    await press(field, 'm', { altKey: true });
    expect(app.view.store.getState().dialog).toEqual({ kind: 'picker', commandId: 'SetMode' });
  });

  it('[ACT-sheet] the sheet shows the current shortcuts', async () => {
    const { app } = await openShortcuts({ palette: 'Mod+J', find: null });
    await act(async () => app.view.set({ dialog: { kind: 'shortcuts' } }));
    const sheet = within(screen.getByRole('dialog', { name: 'Shortcuts' }));
    expect(sheet.getByText('Command palette').closest('li')?.textContent).toContain('CtrlJ');
    expect(sheet.queryByText('Find in this session')).toBeNull();
  });
});
