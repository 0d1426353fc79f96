import type { Json, JsonObject } from '#shared/json';

const maxRows = 200;
const maxColumns = 12;

const isObject = (value: Json): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const isScalar = (value: Json): boolean => value === null || typeof value !== 'object';

/** Renders a value inside a sentence: one line of plain text. */
export function renderInline(value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'none';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return 'none';
    return value.map((item: Json) => renderInline(item)).join(', ');
  }
  const members = Object.entries(value).map(([key, member]) => `${key}: ${renderInline(member)}`);
  return members.length === 0 ? 'none' : members.join(', ');
}

/** Escapes text for a table cell or list item, so that file content cannot end the cell or start markup. */
export function cell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  const text = renderInline(value).replace(/\s+/g, ' ').trim();
  return text.replace(/[\\|`*[\]<>~]|(?<!\w)_|_(?!\w)/g, (special) => `\\${special}`);
}

/** `wastedBytes` and `wasted_bytes` become “Wasted bytes”. */
function heading(key: string): string {
  if (/^[A-Z]+$/.test(key)) return key;
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
    .trim();
  return cell(words.charAt(0).toUpperCase() + words.slice(1));
}

/** A number with its unit, as recipes write sizes and spans: `48.0 kB`, `3.5 s`, `12 %`. */
const quantity = /^-?\d[\d.,]*\s(?:bytes?|B|[kMGT]B|ms|s|min|%)$/;
const isAmount = (value: Json | undefined): boolean =>
  typeof value === 'number' || (typeof value === 'string' && quantity.test(value));

function table(rows: readonly JsonObject[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, maxColumns);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = [
    line(columns.map(heading)),
    line(columns.map((column) => (rows.every((row) => isAmount(row[column])) ? '---:' : '---'))),
    ...rows.slice(0, maxRows).map((row) => line(columns.map((column) => cell(row[column])))),
  ];
  return `${lines.join('\n')}${more(rows.length)}`;
}

const more = (count: number): string => (count > maxRows ? `\n\n… and ${count - maxRows} more.` : '');

function list(items: readonly string[]): string {
  return `${items
    .slice(0, maxRows)
    .map((item) => `- ${item}`)
    .join('\n')}${more(items.length)}`;
}

/** Renders a value as a block: objects as table rows, other collections as a list, empty ones as nothing. */
export function renderBlock(value: Json): string {
  if (isScalar(value)) return renderInline(value);
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (items.length === 0) return '';
    return items.every(isObject) &&
      items.every((row) => Object.values(row).every((member) => !isObject(member)))
      ? table(items)
      : list(items.map(cell));
  }
  const members = Object.entries(value as JsonObject);
  return list(members.map(([key, member]) => `**${heading(key)}**: ${cell(member)}`));
}
