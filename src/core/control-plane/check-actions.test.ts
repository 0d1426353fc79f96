import { WindowAction } from '#shared/window-action';
import { describe, expect, it } from 'vitest';
import { commandRow, inFile } from '../../testing/seed-rows';
import { checkActions } from './check-actions';

const action = (actionId: string, shortcut?: string) =>
  inFile(
    `${actionId}.json`,
    WindowAction.parse({ actionId, displayName: 'Any', group: 'App', ...(shortcut && { shortcut }) }),
  );
const found = (...rows: Parameters<typeof checkActions>) =>
  checkActions(...rows).map(({ file, field, rule }) => `${file} ${field} ${rule}`);

describe('the rules of window actions', () => {
  it('[ACT-known] a row without an implementation stops the start', () => {
    expect(found([action('palette'), action('make-coffee')], [])).toEqual([
      'make-coffee.json actionId action-known',
    ]);
  });

  it('[ACT-shortcut-unique] one shortcut belongs to one action or command, however it is written', () => {
    const rows = [action('palette', 'Mod+Shift+k'), action('find', 'Mod+F')];
    expect(found(rows, [inFile('a.json', commandRow({ shortcut: 'Shift+Mod+K' }))])).toEqual([
      'a.json shortcut shortcut-unique',
    ]);
    expect(found(rows, [inFile('a.json', commandRow({ shortcut: 'Mod+J' }))])).toEqual([]);
  });

  it.each(['Mod+C', 'Enter', 'k', 'ArrowUp'])('[ACT-shortcut-usable] %s is needed for typing', (keys) => {
    expect(found([action('palette', keys)], [])).toEqual(['palette.json shortcut shortcut-usable']);
  });

  it.each(['Mod+', 'Ctrl+K', 'Mod+Mod+K', 'Mod+KK', ''])(
    '[ACT-shortcut-usable] %j is not a shortcut',
    (shortcut) => {
      const row = { actionId: 'palette', displayName: 'Any', group: 'App', shortcut };
      expect(WindowAction.safeParse(row).success).toBe(false);
    },
  );
});
