import { isSign, readChord, sameShortcut, writeChord, type Chord } from '#shared/shortcut';

const mac = /mac/i.test(globalThis.navigator?.platform ?? '');

export type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

const renamed: Readonly<Record<string, string>> = { ' ': 'Space', '+': 'Plus' };
const modifierKeys: readonly string[] = ['Control', 'Shift', 'Alt', 'AltGraph', 'Meta'];

/** The press of keys as a shortcut is written; null while only modifiers are down, or one that no shortcut holds is. */
export function chordOf(event: KeyPress): Chord | null {
  const [mod, other] = mac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (other || modifierKeys.includes(event.key)) return null;
  const key = renamed[event.key] ?? event.key;
  const bare = isSign({ key }) && !mod && !event.altKey;
  return readChord(writeChord({ mod, alt: event.altKey, shift: event.shiftKey && !bare, key }));
}

/** Whether a key press is this shortcut. A sign like `?` is typed with whatever keys the layout needs. */
export function pressed(event: KeyPress, keys: string): boolean {
  const chord = chordOf(event);
  return chord !== null && sameShortcut(writeChord(chord), keys);
}

/** Whether a shortcut would otherwise type a character into a text field. */
export function typesText(keys: string): boolean {
  const chord = readChord(keys);
  return chord !== null && !chord.mod && !chord.alt && chord.key.length === 1;
}

const names: Readonly<Record<string, string>> = {
  Mod: mac ? '⌘' : 'Ctrl',
  Shift: mac ? '⇧' : 'Shift',
  Alt: mac ? '⌥' : 'Alt',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Plus: '+',
};

/** The keys of a shortcut, one word each. */
export function describeKeys(keys: string): readonly string[] {
  return keys.split('+').map((key) => names[key] ?? key);
}

/** The same as one phrase, to be read or said: "Ctrl Shift F". */
export const keysText = (keys: string): string => describeKeys(keys).join(' ');
