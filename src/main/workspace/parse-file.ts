import { parseDocument } from 'yaml';
import type { z } from 'zod';
import type { ConfigProblem } from '#shared/app-error';
import { parseJson, type Json, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { workspaceLimits } from './workspace-limits';

export type Problems = readonly ConfigProblem[];

export const problem = (file: string, field: string, rule: string, reason: string): ConfigProblem => ({
  ...{ file, field, rule, reason },
});

const oneProblem = (file: string, rule: string, reason: string): Result<never, Problems> =>
  err([problem(file, '', rule, reason)]);

/** A file's text: UTF-8, and nothing that is no text. */
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
  return text.includes('\0') ? oneProblem(file, 'text', 'It holds a zero byte; it is no text.') : ok(text);
}

/** The brackets that are open at once, before anything walks the value. */
function nesting(text: string): number {
  let open = 0;
  let most = 0;
  for (const [bracket] of text.replace(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    open += bracket === '[' || bracket === '{' ? 1 : -1;
    most = Math.max(most, open);
  }
  return most;
}

/** Whether any object in a value has the member that stands for its prototype elsewhere. */
function namesPrototype(value: Json): boolean {
  if (value === null || typeof value !== 'object') return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value as JsonObject).some(namesPrototype);
}

/** A JSON file checked against its schema; every finding has its field. */
export function parseFile<S extends z.ZodType>(
  file: string,
  bytes: Uint8Array,
  schema: S,
): Result<z.output<S>, Problems> {
  const text = textOf(file, bytes);
  if (!text.ok) return text;
  if (nesting(text.value) > workspaceLimits.jsonDepth) {
    return oneProblem(file, 'depth', `It is nested more than ${workspaceLimits.jsonDepth} levels deep.`);
  }
  const value = parseJson(text.value);
  if (!value.ok) return oneProblem(file, 'json', `It is not JSON: ${value.error}`);
  if (/__proto__|\\u/.test(text.value) && namesPrototype(value.value)) {
    return oneProblem(
      file,
      'name',
      'It has a member named "__proto__", which other programs take for something else.',
    );
  }
  const parsed = schema.safeParse(value.value);
  if (parsed.success) return ok(parsed.data);
  return err(
    parsed.error.issues.map((issue) => problem(file, issue.path.join('.'), issue.code, issue.message)),
  );
}

/** Members written twice: JSON keeps the last one silently, and a reader sees the first. */
export function repeatedKeys(file: string, bytes: Uint8Array): Problems {
  const text = textOf(file, bytes);
  if (!text.ok) return [];
  return parseDocument(text.value, { uniqueKeys: true, prettyErrors: false, schema: 'json' })
    .errors.filter(({ code }) => code === 'DUPLICATE_KEY')
    .map(() => problem(file, '', 'duplicate-id', 'An id is given twice in one object.'));
}
