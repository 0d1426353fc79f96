import { useState, type KeyboardEvent } from 'react';

const rowSelector = '[data-row]';

/** The target of a key in a list: a row index, the search field above, or null. */
function placeAfter(key: string, at: number, count: number): number | 'search' | null {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1);
  if (at < 0) return null;
  if (key === 'ArrowUp') return at === 0 ? 'search' : at - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}

/**
 * Moves through the rows of a list with the arrow keys, Home and End; from the search field, the first key
 * enters the list.
 */
export function stepInRows(event: KeyboardEvent<HTMLElement>): void {
  const { currentTarget: box, target, key } = event;
  if (!(target instanceof HTMLElement) || !target.matches(`${rowSelector}, [data-search]`)) return;
  const rows = [...box.querySelectorAll<HTMLElement>(rowSelector)];
  const place = placeAfter(key, rows.indexOf(target), rows.length);
  if (place === null) return;
  const next = place === 'search' ? box.querySelector<HTMLElement>('[data-search]') : rows[place];
  event.preventDefault();
  next?.focus();
}

/** Makes a list a single Tab stop, however many rows it has: the last focused row, else the chosen one. */
export function useRowStop(ids: readonly string[], chosen: string | null) {
  const [last, setLast] = useState<string | null>(null);
  const stop = [last, chosen].find((id) => id !== null && ids.includes(id)) ?? ids[0];
  return (id: string) => ({
    'data-row': id,
    tabIndex: id === stop ? 0 : -1,
    onFocus: () => setLast(id),
  });
}

export type RowProps = ReturnType<ReturnType<typeof useRowStop>>;
