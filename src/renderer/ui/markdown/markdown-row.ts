import type { Tokens } from 'marked';

const aligned = { left: 'text-start', center: 'text-center', right: 'text-end' } as const;
/** The text alignment of a column, relative to the direction of the table. */
export const alignOf = (cell: Tokens.TableCell): string => (cell.align ? aligned[cell.align] : 'text-start');

/** Text up to this length, such as a number with its unit, a date or a yes, stays on one line. */
const shortLength = 12;
/**
 * Longer text may contain a word as wide as the table, so it can break anywhere, in a column that stays
 * readable.
 */
const longLength = 40;

export function breakOf({ text }: Tokens.TableCell): string {
  if (text.length <= shortLength) return 'whitespace-nowrap';
  return text.length <= longLength ? 'wrap-break-word [&_code]:wrap-break-word' : 'min-w-48 wrap-anywhere';
}

export interface RowProps {
  readonly cells: readonly Tokens.TableCell[];
  readonly open: boolean;
}

/** Whether two rows render the same, so that a row renders again only when its own cells change. */
export const sameRow = (a: RowProps, b: RowProps): boolean =>
  a.open === b.open &&
  a.cells.length === b.cells.length &&
  a.cells.every((cell, index) => cell.text === b.cells[index]?.text && cell.align === b.cells[index]?.align);
