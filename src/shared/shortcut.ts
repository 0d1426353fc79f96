/** A key press. `mod` is Cmd on a Mac and Ctrl elsewhere; `key` is the keyboard event's `key`. */
export interface Chord {
  readonly mod: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly key: string;
}

const modifiers = ['Mod', 'Alt', 'Shift'] as const;
const namedKeys: readonly string[] = [
  ...['Escape', 'Enter', 'Tab', 'Space', 'Backspace', 'Delete', 'Insert', 'Plus'],
  ...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown'],
  ...Array.from({ length: 24 }, (_none, at) => `F${at + 1}`),
];

const isKey = (key: string): boolean => namedKeys.includes(key) || /^[^\s+]$/u.test(key);

/** Parses a shortcut such as `Mod+Shift+F`: each modifier at most once, then one key; null when invalid. */
export function readChord(text: string): Chord | null {
  const parts = text.split('+');
  const key = parts.pop() ?? '';
  const known = parts.every((part) => (modifiers as readonly string[]).includes(part));
  if (!known || new Set(parts).size !== parts.length || !isKey(key)) return null;
  const hasModifier = (name: (typeof modifiers)[number]): boolean => parts.includes(name);
  return { mod: hasModifier('Mod'), alt: hasModifier('Alt'), shift: hasModifier('Shift'), key };
}

/** Formats a chord canonically, for comparing and storing: modifiers in order, letters in upper case. */
export function writeChord({ mod, alt, shift, key }: Chord): string {
  const named = key.length === 1 ? key.toUpperCase() : key;
  return [mod && 'Mod', alt && 'Alt', shift && 'Shift', named].filter(Boolean).join('+');
}

/** Whether two shortcuts mean the same keys, however they are written. */
export function sameShortcut(one: string, other: string): boolean {
  const [a, b] = [readChord(one), readChord(other)];
  return a !== null && b !== null && writeChord(a) === writeChord(b);
}

/** Whether a key is a symbol like `?`, whose modifiers depend on the keyboard layout. */
export const isSign = ({ key }: Pick<Chord, 'key'>): boolean =>
  key.length === 1 && key.toLowerCase() === key.toUpperCase() && !/[0-9]/.test(key);

/** Chords that already have a meaning in text fields. */
const editingKeys: Readonly<Record<string, string>> = {
  'Mod+A': 'selects all text',
  'Mod+C': 'copies text',
  'Mod+V': 'pastes text',
  'Mod+X': 'cuts text',
  'Mod+Z': 'undoes typing',
  'Mod+Shift+Z': 'redoes typing',
  'Mod+Enter': 'ends a line in a card',
};
const writingKeys: readonly string[] = [
  ...['Enter', 'Tab', 'Space', 'Backspace', 'Delete', 'Insert', 'Home', 'End', 'PageUp', 'PageDown'],
  ...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
];

/** Why a chord cannot be a shortcut, as the end of "These keys …"; null when it can. */
export function chordProblem(chord: Chord): string | null {
  const means = editingKeys[writeChord(chord)];
  if (means !== undefined) return `already do something in every text field: this ${means}`;
  if (chord.mod || chord.alt) return null;
  if (writingKeys.includes(chord.key)) return 'are needed for typing and moving';
  if (chord.key.length === 1 && !isSign(chord)) return 'type a character: add Ctrl, Cmd or Alt';
  return null;
}

/** The user's shortcut changes, by the id of an action or a command; null removes the shortcut. */
export type ShortcutChanges = Readonly<Record<string, string | null>>;

/** The effective shortcut of a row: the user's own, else the row's. An invalid one counts as not set. */
export function shortcutOf(
  id: string,
  own: string | undefined,
  changes: ShortcutChanges,
): string | undefined {
  const changed = Object.hasOwn(changes, id) ? changes[id] : undefined;
  if (changed === null) return undefined;
  return changed !== undefined && readChord(changed) ? changed : own;
}
