/** A press of keys. `mod` is Cmd on a Mac and Ctrl elsewhere; `key` is named as the keyboard event names it. */
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

/** Reads `Mod+Shift+F`; null for what is none. Each modifier at most once, then one key. */
export function readChord(text: string): Chord | null {
  const parts = text.split('+');
  const key = parts.pop() ?? '';
  const known = parts.every((part) => (modifiers as readonly string[]).includes(part));
  if (!known || new Set(parts).size !== parts.length || !isKey(key)) return null;
  const hasModifier = (name: (typeof modifiers)[number]): boolean => parts.includes(name);
  return { mod: hasModifier('Mod'), alt: hasModifier('Alt'), shift: hasModifier('Shift'), key };
}

/** Writes a chord the one way it is compared and stored: modifiers in order, letters in upper case. */
export function writeChord({ mod, alt, shift, key }: Chord): string {
  const named = key.length === 1 ? key.toUpperCase() : key;
  return [mod && 'Mod', alt && 'Alt', shift && 'Shift', named].filter(Boolean).join('+');
}

/** Whether two shortcuts are pressed the same way, however they are written. */
export function sameShortcut(one: string, other: string): boolean {
  const [a, b] = [readChord(one), readChord(other)];
  return a !== null && b !== null && writeChord(a) === writeChord(b);
}

/** A sign like `?` is typed with whatever keys the layout needs. */
export const isSign = ({ key }: Pick<Chord, 'key'>): boolean =>
  key.length === 1 && key.toLowerCase() === key.toUpperCase() && !/[0-9]/.test(key);

/** What writing text already means by these keys. */
const editingKeys: Readonly<Record<string, string>> = {
  'Mod+A': 'selects all text',
  'Mod+C': 'copies text',
  'Mod+V': 'pastes text',
  'Mod+X': 'cuts text',
  'Mod+Z': 'takes back what was typed',
  'Mod+Shift+Z': 'types it again',
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
  if (writingKeys.includes(chord.key)) return 'are needed for writing and moving about';
  if (chord.key.length === 1 && !isSign(chord)) return 'type a character: hold Ctrl, Cmd or Alt as well';
  return null;
}

/** Shortcuts as the user changed them, by the id of an action or a command; null: none. */
export type ShortcutChanges = Readonly<Record<string, string | null>>;

/** The shortcut of a row as it holds now: the user's own, else the row's. One that cannot be read counts as not set. */
export function shortcutOf(
  id: string,
  own: string | undefined,
  changes: ShortcutChanges,
): string | undefined {
  const changed = Object.hasOwn(changes, id) ? changes[id] : undefined;
  if (changed === null) return undefined;
  return changed !== undefined && readChord(changed) ? changed : own;
}
