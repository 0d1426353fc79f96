import type { z } from 'zod';
import type { ConfigProblem } from '#shared/app-error';
import { parseJson, type Json, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { workspaceLimits } from './workspace-limits';

export type Problems = readonly ConfigProblem[];

export const problem = (file: string, field: string, rule: string, reason: string): ConfigProblem => ({
  file,
  field,
  rule,
  reason,
});

const oneProblem = (file: string, rule: string, reason: string): Result<never, Problems> =>
  err([problem(file, '', rule, reason)]);

/** Decodes a file as UTF-8 text; rejects byte order marks and NUL bytes. */
export function textOf(file: string, bytes: Uint8Array): Result<string, Problems> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return oneProblem(file, 'utf-8', 'It is not UTF-8 text.');
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return oneProblem(file, 'bom', 'It begins with a byte order mark. Save it as UTF-8 without one.');
  }
  return text.includes('\0')
    ? oneProblem(file, 'text', 'It is not a text file: it contains a NUL byte.')
    : ok(text);
}

/**
 * A JSON text without its strings. An unclosed string extends to the end of the text: otherwise each quote in
 * it would be tried as the start of a string, and a text of one megabyte would take minutes.
 */
const marksOf = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/gs, '');

/** The maximum nesting depth, measured before anything traverses the value. */
function nesting(marks: string): number {
  let open = 0;
  let deepest = 0;
  for (const [bracket] of marks.matchAll(/[[\]{}]/g)) {
    open += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, open);
  }
  return deepest;
}

/**
 * Whether any object in a value has a member named `__proto__`, which sets the prototype in other programs.
 */
function namesPrototype(value: Json): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value as JsonObject).some(namesPrototype);
}

/** The number of members of all objects in a value. */
function memberCount(value: Json): number {
  if (value === null || typeof value !== 'object') return 0;
  const inside = Object.values(value as JsonObject).reduce((sum: number, part) => sum + memberCount(part), 0);
  return inside + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

/**
 * Detects repeated members: the text has more colons than the value has members. JSON silently keeps the last
 * of two members with the same name, but a reader sees the first.
 */
const hasRepeatedMembers = (marks: string, value: Json): boolean =>
  marks.split(':').length - 1 > memberCount(value);

/** Parses a JSON file and checks it against its schema; every problem names its field. */
export function parseFile<S extends z.ZodType>(
  file: string,
  bytes: Uint8Array,
  schema: S,
): Result<z.output<S>, Problems> {
  const text = textOf(file, bytes);
  if (!text.ok) return text;
  const marks = marksOf(text.value);
  if (nesting(marks) > workspaceLimits.jsonDepth) {
    return oneProblem(file, 'depth', `It is nested more than ${workspaceLimits.jsonDepth} levels deep.`);
  }
  const value = parseJson(text.value);
  if (!value.ok) return oneProblem(file, 'json', `It is not JSON: ${value.error}`);
  if (/__proto__|\\u/.test(text.value) && namesPrototype(value.value)) {
    return oneProblem(file, 'name', 'It has a member named "__proto__", which other programs misread.');
  }
  if (hasRepeatedMembers(marks, value.value)) {
    return oneProblem(file, 'duplicate-id', 'A name appears twice in one object.');
  }
  const parsed = schema.safeParse(value.value);
  if (parsed.success) return ok(parsed.data);
  return err(
    parsed.error.issues.map((issue) => problem(file, issue.path.join('.'), issue.code, issue.message)),
  );
}
