import { isSign, readChord, sameShortcut, writeChord, type Chord } from '#shared/shortcut';
import { text } from '../locales/text';

export const mac = /mac/i.test(globalThis.navigator?.platform ?? '');

export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

const renamed: Readonly<Record<string, string>> = { ' ': 'Space', '+': 'Plus' };
const modifierKeys: readonly string[] = ['Control', 'Shift', 'Alt', 'AltGraph', 'Meta'];

/**
 * The pressed keys as a shortcut; null while only modifiers are pressed, or with a modifier that shortcuts do
 * not support.
 */
export function chordOf(event: KeyPress): Chord | null {
  const [mod, other] = mac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (other || modifierKeys.includes(event.key)) return null;
  const key = renamed[event.key] ?? event.key;
  const bare = isSign({ key }) && !mod && !event.altKey;
  return readChord(writeChord({ mod, alt: event.altKey, shift: event.shiftKey && !bare, key }));
}

/**
 * Whether a key press matches this shortcut. A sign such as `?` matches with any modifiers the keyboard
 * layout needs.
 */
export function pressed(event: KeyPress, keys: string): boolean {
  const chord = chordOf(event);
  return chord !== null && sameShortcut(writeChord(chord), keys);
}

/** Whether a shortcut would type a character in a text field. */
export function typesText(keys: string): boolean {
  const chord = readChord(keys);
  return chord !== null && !chord.mod && !chord.alt && chord.key.length === 1;
}

const names: Readonly<Record<string, string>> = {
  Mod: mac ? '⌘' : text('ui.keys.control'),
  Shift: mac ? '⇧' : text('ui.keys.shift'),
  Alt: mac ? '⌥' : text('ui.keys.alt'),
  Enter: text('ui.keys.enter'),
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: text('ui.keys.escape'),
  Plus: '+',
};

/** The keys of a shortcut, one string per key. */
export function describeKeys(keys: string): readonly string[] {
  return keys.split('+').map((key) => names[key] ?? key);
}

/** The keys as one phrase to read or announce: "Ctrl Shift F". */
export const keysText = (keys: string): string => describeKeys(keys).join(' ');

/** 1 for the arrow key that goes forward along a line of text, -1 for the one that goes back. */
export function alongLine(key: string, direction: 'ltr' | 'rtl'): 1 | -1 | undefined {
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return undefined;
  return (key === 'ArrowRight') === (direction === 'ltr') ? 1 : -1;
}
