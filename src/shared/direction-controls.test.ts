import { expect, it } from 'vitest';
import { sessionOf } from '../testing/sample-session';
import { visibleControls, withoutDirectionControls } from './direction-controls';

const controls = ['\u202A', '\u202B', '\u202C', '\u202D', '\u202E', '\u2066', '\u2067', '\u2068', '\u2069'];

it('shows every character that changes the direction of a text, and leaves the letters of each direction', () => {
  expect(visibleControls(controls.join(''))).toBe(
    '\\u202a\\u202b\\u202c\\u202d\\u202e\\u2066\\u2067\\u2068\\u2069',
  );
  expect(withoutDirectionControls(`a${controls.join('')}b`)).toBe('ab');
  for (const plain of ['photo.jpg', 'שלום.txt', 'سؤال\u200F', '']) {
    expect(visibleControls(plain)).toBe(plain);
    expect(withoutDirectionControls(plain)).toBe(plain);
  }
});

it('keeps the meaning of a JSON text', () => {
  const value = { path: 'photo_\u202Egpj.exe', more: '\\\u202E"\u2066' };
  expect(JSON.parse(visibleControls(JSON.stringify(value)))).toEqual(value);
});

it('a session is named without them, whoever gave the name', () => {
  const title = 'look at \u202Eesrever\u2066 this';
  const created = { type: 'session-created', title, project: null } as const;
  expect(sessionOf([created]).title).toBe('look at esrever this');
  expect(sessionOf([{ type: 'session-renamed', title }]).title).toBe('look at esrever this');
});
