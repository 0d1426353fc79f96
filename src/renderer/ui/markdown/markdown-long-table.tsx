import type { Tokens } from 'marked';
import { memo } from 'react';
import { useGrowingCount } from './markdown-growth';
import { Inline } from './markdown-inline';
import { alignOf, sameRow, type RowProps } from './markdown-row';

/** Tables with at least this many rows render in groups. */
export const longFrom = 40;
/** Cells per group: one new row makes the window compare and lay out only its group. */
const cellsPerGroup = 160;

const cellLook = 'numbers min-w-0 px-3 py-1.5 wrap-anywhere';

const Row = memo(function Row({ cells, open }: RowProps) {
  return (
    <div role="row" className="col-span-full grid grid-cols-subgrid border-t border-line">
      {cells.map((cell, index) => (
        <div key={index} role="cell" className={`${cellLook} ${alignOf(cell)}`}>
          <Inline text={cell.text} open={open && index === cells.length - 1} />
        </div>
      ))}
    </div>
  );
}, sameRow);

interface GroupProps {
  readonly rows: readonly (readonly Tokens.TableCell[])[];
  readonly columns: string;
  readonly open: boolean;
}

function sameGroup(a: GroupProps, b: GroupProps): boolean {
  return (
    a.open === b.open &&
    a.columns === b.columns &&
    a.rows.length === b.rows.length &&
    a.rows.every((cells, index) =>
      sameRow({ cells, open: false }, { cells: b.rows[index] ?? [], open: false }),
    )
  );
}

/** A group of rows with its own layout, which the browser skips while the group is out of sight. */
const RowGroup = memo(function RowGroup({ rows, columns, open }: GroupProps) {
  return (
    <div
      role="rowgroup"
      style={{ gridTemplateColumns: columns, containIntrinsicBlockSize: `auto ${rows.length * 33}px` }}
      className="grid [content-visibility:auto]"
    >
      {rows.map((cells, index) => (
        <Row key={index} cells={cells} open={open && index === rows.length - 1} />
      ))}
    </div>
  );
}, sameGroup);

function inGroups({ rows, header }: Tokens.Table): Tokens.TableCell[][][] {
  const step = Math.max(1, Math.floor(cellsPerGroup / Math.max(1, header.length)));
  const groups: Tokens.TableCell[][][] = [];
  for (let at = 0; at < rows.length; at += step) groups.push(rows.slice(at, at + step));
  return groups;
}

/**
 * A table with many rows: columns of equal width in groups with separate layout, because each added row makes
 * the browser lay out a whole table element again. For a screen reader it is an ordinary table.
 */
export function LongTable({ table, open }: { table: Tokens.Table; open: boolean }) {
  const groups = inGroups(table);
  const count = useGrowingCount(groups.length, 3);
  const columns = `repeat(${table.header.length}, minmax(6rem, 1fr))`;
  return (
    <div role="table" aria-rowcount={table.rows.length + 1} className="min-w-full w-fit text-base">
      <div role="rowgroup" style={{ gridTemplateColumns: columns }} className="grid bg-surface">
        <div role="row" className="col-span-full grid grid-cols-subgrid">
          {table.header.map((cell, index) => (
            <div
              key={index}
              role="columnheader"
              className={`min-w-0 px-3 py-1.5 font-medium ${alignOf(cell)}`}
            >
              <Inline text={cell.text} open={false} />
            </div>
          ))}
        </div>
      </div>
      {groups.slice(0, count).map((rows, index) => (
        <RowGroup key={index} rows={rows} columns={columns} open={open && index === groups.length - 1} />
      ))}
    </div>
  );
}
