import { readChord, type Chord } from '#shared/shortcut';
import { describe, expect, it } from 'vitest';
import type { ActionRow } from '../../actions/action-rows';
import { recordShortcut, resetAll, resetShortcut, withShortcut } from './shortcut-edit';

const row = (id: string, keys?: string, ownKeys = keys): ActionRow => ({
  id,
  label: id,
  group: 'App',
  listed: true,
  run: () => undefined,
  ...(keys !== undefined && { keys }),
  ...(ownKeys !== undefined && { ownKeys }),
});
const chord = (text: string): Chord => {
  const read = readChord(text);
  if (!read) throw new Error(text);
  return read;
};
const find = row('find', 'Mod+F');
const palette = row('palette', 'Mod+K');
const rows = [find, palette];

describe('changing a shortcut', () => {
  it('[ACT-changed] saves free keys, and keeps those of another version', () => {
    expect(recordShortcut(rows, find, chord('Mod+J'), { later: 'F9' })).toEqual({
      kind: 'taken',
      changes: { later: 'F9', find: 'Mod+J' },
    });
  });

  it('[ACT-conflict] names the owner of the keys, and the effect of taking them', () => {
    expect(recordShortcut(rows, find, chord('Mod+k'), {})).toEqual({
      kind: 'conflict',
      keys: 'Mod+K',
      with: palette,
      changes: { find: 'Mod+K', palette: null },
    });
  });

  it('[ACT-shortcut-usable] refuses keys that typing needs, with the reason', () => {
    expect(recordShortcut(rows, find, chord('Mod+C'), {})).toMatchObject({
      kind: 'refused',
      problem: expect.stringContaining('copies text') as string,
    });
    expect(recordShortcut(rows, find, chord('k'), {})).toMatchObject({ kind: 'refused' });
  });

  it('[ACT-reset] restores the default of the row; whoever had taken it loses it', () => {
    const taken = [row('find', 'Mod+K', 'Mod+F'), row('palette', undefined, 'Mod+K')];
    const changes = { find: 'Mod+K', palette: null, later: 'F9' };
    expect(withShortcut(changes, taken[0] ?? find, 'Mod+F')).toEqual({ palette: null, later: 'F9' });
    expect(resetShortcut(taken, taken[1] ?? palette, changes)).toEqual({ find: null, later: 'F9' });
    expect(resetAll(taken, changes)).toEqual({ later: 'F9' });
  });
});
