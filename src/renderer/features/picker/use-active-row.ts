import { useCallback, useState, type KeyboardEvent } from 'react';

/** Rows a page key passes over. */
const pageRows = 8;

interface Held {
  /** The list the row is held in: another list begins at its own first row. */
  readonly list: unknown;
  readonly row: number;
}

/** Where a key leads from a row, or nothing when it is no key of the list. */
function target(key: string, row: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowDown':
      return Math.min(last, row + 1);
    case 'ArrowUp':
      return Math.max(0, row - 1);
    case 'PageDown':
      return Math.min(last, row + pageRows);
    case 'PageUp':
      return Math.max(0, row - pageRows);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** Which row of a list the keyboard is at; `first` until a key of this very list has moved it. */
export function useActiveRow(list: unknown, count: number, first: number) {
  const [held, setHeld] = useState<Held | null>(null);
  const active = Math.min(held && held.list === list ? held.row : first, Math.max(0, count - 1));
  const activate = useCallback((row: number) => setHeld({ list, row }), [list]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.shiftKey || event.altKey || event.metaKey || event.nativeEvent.isComposing) return;
    const row = target(event.key, active, count);
    if (row === undefined || count === 0) return;
    event.preventDefault();
    activate(row);
  };
  return { active, activate, onKeyDown };
}
