import type { Tokens } from 'marked';
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
