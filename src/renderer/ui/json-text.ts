import { isObject, type Json, type JsonObject } from '#shared/json';

/** Sets or removes a field of an object. */
export function withField(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  const { [name]: _before, ...others } = object;
  return value === undefined ? others : { ...object, [name]: value };
}

export const objectOf = (value: Json | undefined): JsonObject =>
  value !== undefined && isObject(value) ? value : {};

/** The rows of a list; an item that is not an object becomes an empty row. */
export const rowsOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((row: Json) => objectOf(row)) : [];

const plain = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const lineText = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : plain(value);

/** A list row in one line: `name: file · type: path`. */
function rowText(value: Json): string {
  if (Array.isArray(value)) return value.map(rowText).join(', ');
  if (value === null || !isObject(value)) return lineText(value);
  const parts = Object.entries(value).map(([name, member]) => [name, rowText(member)] as const);
  return parts.flatMap(([name, text]) => (text === '' ? [] : [`${name}: ${text}`])).join(' · ');
}

/** Any value of a definition as text for display; it cannot be parsed back. */
export const shownText = (value: Json): string =>
  Array.isArray(value) ? value.map(rowText).join('\n') : rowText(value);

/** A list of texts, one per line. */
export const linesText = (value: Json | undefined): string =>
  Array.isArray(value) ? value.map(plain).join('\n') : lineText(value);

export const readLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `{operation: ["a", "b"]}` as `operation: a, b`, one name per line. */
export const pairsText = (value: Json | undefined): string =>
  Object.entries(objectOf(value))
    .map(
      ([name, member]) => `${name}: ${Array.isArray(member) ? member.map(plain).join(', ') : plain(member)}`,
    )
    .join('\n');

/** Parses pairs; a line without a name or a value is ignored. Undefined if there are no pairs. */
export function readPairs(text: string, single: boolean): JsonObject | undefined {
  const pairs = readLines(text).flatMap((line): [string, Json][] => {
    const at = line.indexOf(':');
    const name = line.slice(0, at).trim();
    const rest = line.slice(at + 1).trim();
    if (at < 1 || name === '' || rest === '') return [];
    const each = rest.split(',').map((one) => one.trim());
    return [[name, single ? rest : each.filter((one) => one !== '')]];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** Parses a typed number; undefined if empty. Invalid input stays a text so that the check reports it. */
export function readNumber(text: string): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : trimmed;
}
