import { isObject, type Json } from './json';
import { spilledIn } from './spilled';

/** What a value looks like, for a reader that does not get the value itself. */
export type Shape =
  | { readonly type: 'object'; readonly keys: Readonly<Record<string, Shape>>; readonly more?: number }
  | {
      readonly type: 'array';
      readonly length: number;
      readonly items?: Shape;
      readonly first?: readonly Json[];
    }
  | { readonly type: 'string'; readonly bytes: number }
  /** A value stored outside the state. */
  | { readonly type: 'stored'; readonly bytes: number; readonly handle: string }
  | number
  | boolean
  | null;

const maxDepth = 4;
const maxKeys = 24;
/** The rows of a list that are shown, and the size up to which a row is short enough. */
const shownRows = 3;
const maxRowLength = 240;

/** The length of a text in UTF-8 bytes. */
function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function arrayShape(value: readonly Json[], rows: boolean, depth: number): Shape {
  const [head] = value;
  if (head === undefined) return { type: 'array', length: 0 };
  const first = value.slice(0, shownRows);
  const short = rows && first.every((row) => JSON.stringify(row).length <= maxRowLength);
  return {
    type: 'array',
    length: value.length,
    ...(depth > 0 && { items: shape(head, false, depth - 1) }),
    ...(short && { first }),
  };
}

function shape(value: Json, rows: boolean, depth: number): Shape {
  if (typeof value === 'string') return { type: 'string', bytes: byteLength(value) };
  if (value === null || typeof value !== 'object') return value;
  const stored = spilledIn(value);
  if (stored) return { type: 'stored', bytes: stored.bytes, handle: stored.$artifact };
  if (Array.isArray(value)) return arrayShape(value as readonly Json[], rows, depth);
  const all = isObject(value) ? Object.entries(value) : [];
  const keys = depth > 0 ? all.slice(0, maxKeys) : [];
  return {
    type: 'object',
    keys: Object.fromEntries(keys.map(([key, member]) => [key, shape(member, rows, depth - 1)])),
    ...(all.length > keys.length && { more: all.length - keys.length }),
  };
}

/**
 * The shape of a value: keys, types and counts, and with `rows` the first three rows of lists whose rows are
 * short. Bounded in depth and keys, whatever the value. Pure.
 */
export function shapeOf(value: Json, rows = true): Shape {
  return shape(value, rows, maxDepth);
}
