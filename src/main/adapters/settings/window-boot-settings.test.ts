import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readWindowBootSettings } from './window-boot-settings';

let home = '';
const put = (text: string): void => writeFileSync(join(home, 'ui_settings.json'), text);
const nothing = { theme: 'system', window: null, zoom: 100, language: 'system', menuBar: 'shown' };

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'settings-'));
});

describe('the boot settings of the window', () => {
  it('contain the theme and the position of the window', () => {
    const window = { x: -20, y: 0, width: 900, height: 700, maximized: true };
    put(JSON.stringify({ theme: 'dark', window, zoom: 150, language: 'de', menuBar: 'hidden', other: 1 }));
    expect(readWindowBootSettings(home)).toEqual({
      theme: 'dark',
      window,
      zoom: 150,
      language: 'de',
      menuBar: 'hidden',
    });
    put(JSON.stringify({ theme: 'light', window: { width: 900, height: 700, maximized: false } }));
    expect(readWindowBootSettings(home)).toEqual({
      theme: 'light',
      zoom: 100,
      language: 'system',
      menuBar: 'shown',
      window: { x: undefined, y: undefined, width: 900, height: 700, maximized: false },
    });
  });

  it.each([
    '',
    '[1]',
    '{"theme":"purple","window":7,"language":"xx","menuBar":false}',
    '{"window":{"width":99,"height":700,"maximized":false}}',
    '{"window":{"width":"900","height":700}}',
    '{"window":{"width":1e9,"height":700}}',
  ])('[H52] use the defaults for unusable values: %s', (text) => {
    put(text);
    expect(readWindowBootSettings(home)).toEqual(nothing);
  });

  it('use the defaults where no file exists', () => {
    expect(readWindowBootSettings(home)).toEqual(nothing);
  });
});
