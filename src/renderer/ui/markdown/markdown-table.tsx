import type { Tokens } from 'marked';
import { memo } from 'react';
import { text } from '../../locales/text';
import { CopyButton } from './code-block';
import { useMarkdownActions } from './markdown-context';
import { directionOf } from './markdown-direction';
import { Inline } from './markdown-inline';
import { longFrom, LongTable } from './markdown-long-table';
import { alignOf, breakOf, sameRow, type RowProps } from './markdown-row';
import { lexInline, type InlineToken } from '#shared/markdown/parse';
import { decodeEntities } from '#shared/markdown/entities';

const wordsOf = (tokens: readonly InlineToken[]): string =>
  tokens
    .map((token) => {
      if (token.type === 'br') return '\n';
      if (token.tokens) return wordsOf(token.tokens);
      return token.type === 'codespan' ? (token.text ?? '') : decodeEntities(token.text ?? token.raw);
    })
    .join('');

/** Whether a spreadsheet would take the text for a formula; a number is none. */
const isFormula = (text: string): boolean =>
  /^[=@\t\r]/.test(text) || (/^[+-]/.test(text) && !/^[+-]?[\d.,\s]+%?$/.test(text));

function cell({ text }: Tokens.TableCell): string {
  const words = wordsOf(lexInline(text, {}));
  const safe = isFormula(words) ? `'${words}` : words;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * A table as CSV (RFC 4180) with its words instead of its markup. A cell that a spreadsheet would run as a formula
 * begins with an apostrophe: the text comes from a model.
 */
export function tableCsv({ header, rows }: Pick<Tokens.Table, 'header' | 'rows'>): string {
  return [header, ...rows].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

const Row = memo(function Row({ cells, open }: RowProps) {
  return (
    <tr className="border-t border-line">
      {cells.map((cell, index) => (
        <td key={index} className={`numbers px-3 py-1.5 align-top ${alignOf(cell)} ${breakOf(cell)}`}>
          {/* The text has its own direction; the table determines its alignment, so that a column stays
              aligned. */}
          <span dir="auto">
            <Inline text={cell.text} open={open && index === cells.length - 1} />
          </span>
        </td>
      ))}
    </tr>
  );
}, sameRow);

/** A wider table is shown as its source text. */
const maxColumns = 100;
const shownLength = 20_000;

interface TableProps {
  readonly table: Tokens.Table;
  readonly open: boolean;
}

function ShortTable({ table, open }: TableProps) {
  return (
    <table className="w-full border-collapse text-base">
      <thead className="bg-surface">
        <tr>
          {table.header.map((cell, index) => (
            <th key={index} className={`px-3 py-1.5 font-medium whitespace-nowrap ${alignOf(cell)}`}>
              <Inline text={cell.text} open={open && table.rows.length === 0} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((cells, index) => (
          <Row key={index} cells={cells} open={open && index === table.rows.length - 1} />
        ))}
      </tbody>
    </table>
  );
}

/** A table in a frame that scrolls horizontally on its own, also by keyboard. */
export function MarkdownTable({ table, open }: TableProps) {
  const { onCopy } = useMarkdownActions();
  if (table.header.length > maxColumns)
    return <p className="my-3 wrap-anywhere">{table.raw.slice(0, shownLength)}</p>;
  const Shown = table.rows.length > longFrom ? LongTable : ShortTable;
  return (
    <div className="group/table mt-3 mb-1">
      <div
        role="region"
        aria-label={text('ui.markdown.table')}
        dir={directionOf(table.raw)}
        tabIndex={0}
        className="max-w-full overflow-x-auto rounded-lg border border-line"
      >
        <Shown table={table} open={open} />
      </div>
      {/* A row of its own: over the table, the button would cover what scrolls under it. */}
      <div className="flex h-6 justify-end">
        {!open && (
          <div className="opacity-0 group-focus-within/table:opacity-100 group-hover/table:opacity-100">
            <CopyButton
              text={() => tableCsv(table)}
              label={text('ui.markdown.csv')}
              what={text('ui.markdown.tableAsCsv')}
              onCopy={onCopy}
            />
          </div>
        )}
      </div>
    </div>
  );
}
