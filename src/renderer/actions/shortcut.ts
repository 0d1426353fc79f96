const mac = /mac/i.test(globalThis.navigator?.platform ?? '');

interface Chord {
  readonly mod: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
  readonly key: string;
}

/** Reads `Mod+Shift+F`; `Mod` is Command on a Mac and Control elsewhere. */
function readChord(keys: string): Chord {
  const parts = keys.split('+');
  return {
    mod: parts.includes('Mod'),
    shift: parts.includes('Shift'),
    alt: parts.includes('Alt'),
    key: (parts.at(-1) ?? '').toLowerCase(),
  };
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Whether a key press is this shortcut. A sign like `?` is typed with whatever keys the layout needs. */
export function pressed(event: KeyPress, keys: string): boolean {
  const chord = readChord(keys);
  const sign = chord.key.length === 1 && chord.key.toLowerCase() === chord.key.toUpperCase() && !chord.mod;
  const mod = mac ? event.metaKey : event.ctrlKey;
  const other = mac ? event.ctrlKey : event.metaKey;
  return (
    event.key.toLowerCase() === chord.key &&
    mod === chord.mod &&
    !other &&
    (sign || (event.shiftKey === chord.shift && event.altKey === chord.alt))
  );
}

/** Whether a shortcut would otherwise type a character into a text field. */
export function typesText(keys: string): boolean {
  const chord = readChord(keys);
  return !chord.mod && !chord.alt && chord.key.length === 1;
}

const names: Readonly<Record<string, string>> = {
  Mod: mac ? '⌘' : 'Ctrl',
  Shift: mac ? '⇧' : 'Shift',
  Alt: mac ? '⌥' : 'Alt',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
};

/** The keys of a shortcut, one word each. */
export function describeKeys(keys: string): readonly string[] {
  return keys.split('+').map((key) => names[key] ?? key);
}
