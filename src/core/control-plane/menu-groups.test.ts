import { WindowAction } from '#shared/window-action';
import { describe, expect, it } from 'vitest';
import { commandRow } from '../../testing/seed-rows';
import { commandRow as offered } from './control-plane';
import { menuGroups } from './menu-groups';

const actions = [
  WindowAction.parse({ actionId: 'find', displayName: 'Find', group: 'Session', shortcut: 'Mod+F' }),
  WindowAction.parse({ actionId: 'palette', displayName: 'Palette', group: 'App', shortcut: 'Mod+K' }),
];
const rows = [commandRow(), commandRow({ commandId: 'Mute', slash: undefined })];
const commands = rows.map((row) => offered(row, row));

describe('the application menu', () => {
  it('[ACT-one-source] contains the rows of the actions, and the commands that have patterns', () => {
    expect(menuGroups({ actions, commands, unlisted: [], shortcuts: {} })).toEqual([
      { label: 'Patina', rows: [{ id: 'palette', label: 'Palette', shortcut: 'Mod+K' }] },
      { label: 'Session', rows: [{ id: 'find', label: 'Find', shortcut: 'Mod+F' }] },
      { label: 'Commands', rows: [{ id: 'SetActiveTicket', label: 'Work on a ticket' }] },
    ]);
  });

  it('[ACT-changed] shows the shortcuts that the user set', () => {
    const shortcuts = { find: null, palette: 'Mod+P', SetActiveTicket: 'Mod+T', 'of-another-version': 'F9' };
    const rows = menuGroups({ actions, commands, unlisted: [], shortcuts }).flatMap((group) => group.rows);
    expect(rows.map(({ shortcut }) => shortcut)).toEqual(['Mod+P', undefined, 'Mod+T']);
  });

  it('[LIST-menu] leaves out a source that lists leave out, with its commands and its action', () => {
    const shown = WindowAction.parse({
      actionId: 'workspace',
      displayName: 'Tickets',
      group: 'View',
      listedWith: 'tickets',
    });
    const labels = (unlisted: readonly string[]) =>
      menuGroups({ actions: [shown], commands, unlisted, shortcuts: {} }).map(({ label }) => label);
    expect(labels([])).toEqual(['View', 'Commands']);
    expect(labels(['tickets'])).toEqual([]);
  });
});
