import { useState, type KeyboardEvent } from 'react';

const rowSelector = '[data-row]';

/** Where a key leads in a list: a row by its place, the search field above it, or nowhere. */
function placeAfter(key: string, at: number, count: number): number | 'search' | null {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1);
  if (at < 0) return null;
  if (key === 'ArrowUp') return at === 0 ? 'search' : at - 1;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}

/** Arrow keys, Home and End go through the rows of a list; from the search field the first one leads in. */
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

/** What makes a list one stop of the Tab key, however many rows it has: the row that had the focus last, else the chosen one. */
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
