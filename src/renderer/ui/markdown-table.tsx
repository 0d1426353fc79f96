import type { Tokens } from 'marked';
import { memo } from 'react';
import { directionOf } from './markdown-direction';
import { useGrowingCount } from './markdown-growth';
import { Inline } from './markdown-inline';

const aligned = { left: 'text-start', center: 'text-center', right: 'text-end' } as const;
const alignOf = (cell: Tokens.TableCell): string => (cell.align ? aligned[cell.align] : 'text-start');

interface RowProps {
  readonly cells: readonly Tokens.TableCell[];
  readonly open: boolean;
}

const sameRow = (a: RowProps, b: RowProps): boolean =>
  a.open === b.open &&
  a.cells.length === b.cells.length &&
  a.cells.every((cell, index) => cell.text === b.cells[index]?.text && cell.align === b.cells[index]?.align);

const Row = memo(function Row({ cells, open }: RowProps) {
  return (
    <tr className="border-t border-line">
      {cells.map((cell, index) => (
        <td
          key={index}
          dir="auto"
          className={`numbers px-3 py-1.5 align-top wrap-break-word ${alignOf(cell)}`}
        >
          <Inline text={cell.text} open={open && index === cells.length - 1} />
        </td>
      ))}
    </tr>
  );
}, sameRow);

/** Cells in a group of rows: a row added to a table of thousands is compared with its own group only. */
const cellsPerGroup = 240;
/** A wider table than this is no table; its characters are shown. */
const mostColumns = 100;

interface GroupProps {
  readonly rows: readonly (readonly Tokens.TableCell[])[];
  readonly open: boolean;
}
const sameGroup = (a: GroupProps, b: GroupProps): boolean =>
  a.open === b.open &&
  a.rows.length === b.rows.length &&
  a.rows.every((cells, index) =>
    sameRow({ cells, open: false }, { cells: b.rows[index] ?? [], open: false }),
  );

const RowGroup = memo(function RowGroup({ rows, open }: GroupProps) {
  return (
    <tbody>
      {rows.map((cells, index) => (
        <Row key={index} cells={cells} open={open && index === rows.length - 1} />
      ))}
    </tbody>
  );
}, sameGroup);

function inGroups({ rows, header }: Tokens.Table): Tokens.TableCell[][][] {
  const step = Math.max(1, Math.floor(cellsPerGroup / Math.max(1, header.length)));
  const groups: Tokens.TableCell[][][] = [];
  for (let at = 0; at < rows.length; at += step) groups.push(rows.slice(at, at + step));
  return groups;
}

/** Large tables get fixed columns: sizing them by content would measure every cell again for every new row. */
const fixedFrom = 60;
const shownLength = 20_000;

interface TableProps {
  readonly table: Tokens.Table;
  readonly open: boolean;
}

/** A table in a frame that scrolls sideways by itself, by keyboard too. */
export function MarkdownTable({ table, open }: TableProps) {
  if (table.header.length > mostColumns)
    return <p className="my-3 wrap-anywhere">{table.raw.slice(0, shownLength)}</p>;
  return <TableFrame table={table} open={open} />;
}

function TableFrame({ table, open }: TableProps) {
  const groups = inGroups(table);
  const count = useGrowingCount(groups.length, 2);
  return (
    <div
      role="region"
      aria-label="Table"
      dir={directionOf(table.raw)}
      tabIndex={0}
      className="my-3 max-w-full overflow-x-auto rounded-lg border border-line"
    >
      <table
        className={`w-full border-collapse text-base ${table.rows.length >= fixedFrom ? 'table-fixed' : ''}`}
      >
        <thead className="bg-surface">
          <tr>
            {table.header.map((cell, index) => (
              <th
                key={index}
                dir="auto"
                className={`px-3 py-1.5 font-medium whitespace-nowrap ${alignOf(cell)}`}
              >
                <Inline text={cell.text} open={open && table.rows.length === 0} />
              </th>
            ))}
          </tr>
        </thead>
        {groups.slice(0, count).map((rows, index) => (
          <RowGroup key={index} rows={rows} open={open && index === groups.length - 1} />
        ))}
      </table>
    </div>
  );
}
