import type { Tokens } from 'marked';

const aligned = { left: 'text-start', center: 'text-center', right: 'text-end' } as const;
/** Where a column's text stands, in the direction of the table. */
export const alignOf = (cell: Tokens.TableCell): string => (cell.align ? aligned[cell.align] : 'text-start');

/** A number and its unit, a date, a yes: what this short says stays on one line. */
const shortLength = 12;
export const breakOf = (cell: Tokens.TableCell): string =>
  cell.text.length <= shortLength ? 'whitespace-nowrap' : '';

export interface RowProps {
  readonly cells: readonly Tokens.TableCell[];
  readonly open: boolean;
}

/** True when two rows would be drawn alike: a row is drawn again only when its own cells change. */
export const sameRow = (a: RowProps, b: RowProps): boolean =>
  a.open === b.open &&
  a.cells.length === b.cells.length &&
  a.cells.every((cell, index) => cell.text === b.cells[index]?.text && cell.align === b.cells[index]?.align);
