import { escapeControlCharacters } from './escape-control-characters';
import { z } from 'zod';
import { isNestedTooDeeply, maxNesting } from './json-scan';
import { err, ok, type Result } from './result';

export const Json: z.ZodType<Json> = z.json();
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };
export const JsonObject: z.ZodType<JsonObject> = z.record(z.string(), Json);

/** Parses a JSON text; the error says what is wrong with it. */
export function parseJson(text: string): Result<Json, string> {
  if (isNestedTooDeeply(text)) return err(`it is nested more than ${maxNesting} levels deep`);
  try {
    return ok(JSON.parse(text) as Json);
  } catch (cause) {
    return err(cause instanceof Error ? escapeControlCharacters(cause.message) : 'it is not JSON');
  }
}

/** Whether a value is an object and not a list. */
export function isObject(value: Json): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

type Members = readonly (readonly [string, unknown])[];

/** Members in code-unit order of their names, without `undefined` ones. */
function membersOf(value: object): Members {
  const members = value as Readonly<Record<string, unknown>>;
  return Object.keys(members)
    .sort()
    .map((name) => [name, members[name]] as const)
    .filter(([, member]) => member !== undefined);
}

const isLeaf = (value: unknown): boolean => value === null || typeof value !== 'object';
const leafText = (value: unknown): string => JSON.stringify(value) ?? 'null';

/** Writes the text of `canonicalJson(value)` in pieces, for values whose text is too long for one string. */
export function writeCanonicalJson(value: unknown, write: (piece: string) => void): void {
  if (value === null || typeof value !== 'object') {
    write(leafText(value));
    return;
  }
  let before = '';
  if (Array.isArray(value)) {
    write('[');
    for (const item of value as readonly unknown[]) {
      if (before) write(before);
      writeCanonicalJson(item, write);
      before = ',';
    }
    write(']');
    return;
  }
  write('{');
  for (const [name, member] of membersOf(value)) {
    write(`${before}${JSON.stringify(name)}:`);
    writeCanonicalJson(member, write);
    before = ',';
  }
  write('}');
}

/**
 * One text per value: keys in code-unit order, no white space, `undefined` members omitted. Hashes of plans,
 * arguments and states cover this text, so it must never depend on insertion order.
 */
export function canonicalJson(value: unknown): string {
  let text = '';
  writeCanonicalJson(value, (piece) => (text += piece));
  return text;
}

/** Whether two values have the same canonical text, without building the text. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isLeaf(a) || isLeaf(b)) return isLeaf(a) && isLeaf(b) && leafText(a) === leafText(b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  return sameMembers(membersOf(a as object), membersOf(b as object));
}

function sameMembers(members: Members, others: Members): boolean {
  return (
    members.length === others.length &&
    members.every(([name, member], index) => {
      const other = others[index];
      return other?.[0] === name && sameJson(member, other[1]);
    })
  );
}
