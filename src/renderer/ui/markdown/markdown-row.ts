import type { Tokens } from 'marked';

const aligned = { left: 'text-start', center: 'text-center', right: 'text-end' } as const;
/** Where a column's text stands, in the direction of the table. */
export const alignOf = (cell: Tokens.TableCell): string => (cell.align ? aligned[cell.align] : 'text-start');

/** A number and its unit, a date, a yes: what this short says stays on one line. */
const shortLength = 12;
/** More than this may hold a word as wide as the table: it is broken anywhere, in a column that stays wide enough to read. */
const longLength = 40;

export function breakOf({ text }: Tokens.TableCell): string {
  if (text.length <= shortLength) return 'whitespace-nowrap';
  return text.length <= longLength ? 'wrap-break-word [&_code]:wrap-break-word' : 'min-w-48 wrap-anywhere';
}

export interface RowProps {
  readonly cells: readonly Tokens.TableCell[];
  readonly open: boolean;
}

/** True when two rows would be drawn alike: a row is drawn again only when its own cells change. */
export const sameRow = (a: RowProps, b: RowProps): boolean =>
  a.open === b.open &&
  a.cells.length === b.cells.length &&
  a.cells.every((cell, index) => cell.text === b.cells[index]?.text && cell.align === b.cells[index]?.align);
