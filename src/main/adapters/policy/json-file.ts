import { readFileSync, statSync } from 'node:fs';
import type { z } from 'zod';
import type { ConfigProblem } from '#shared/app-error';
import { escapeControlCharacters } from '#shared/escape-control-characters';
import { repeatedName } from '#shared/json-scan';
import { err, ok, type Result } from '#shared/result';

const megabyte = 1024 * 1024;

function problem(file: string, rule: string, reason: string): Result<never, readonly ConfigProblem[]> {
  return err([{ file, field: '', rule, reason: escapeControlCharacters(reason) }]);
}

function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  return code === undefined ? 'It cannot be read.' : `It cannot be read (${code}).`;
}

/** The UTF-8 text of a file; `null` when there is none. `err` says why it cannot be read. */
export function readTextFile(
  file: string,
  maxBytes: number,
): Result<string | null, readonly ConfigProblem[]> {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return ok(null);
    if (!stat.isFile()) return problem(file, 'file', 'It is not a file.');
    if (stat.size > maxBytes) return problem(file, 'size', `It is larger than ${maxBytes / megabyte} MB.`);
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)));
  } catch (error) {
    return problem(file, 'readable', error instanceof TypeError ? 'It is not UTF-8 text.' : reasonOf(error));
  }
}

/** Checks the value of a file against its schema; `err` names the file, field, rule and reason of every problem. */
export function checkJson<S extends z.ZodType>(
  file: string,
  value: unknown,
  schema: S,
): Result<z.output<S>, readonly ConfigProblem[]> {
  // Compiling a schema to code costs more than it saves for a file that is read once.
  const parsed = schema.safeParse(value, { jitless: true });
  if (parsed.success) return ok(parsed.data);
  return err(
    parsed.error.issues.map((issue) => ({
      file,
      field: escapeControlCharacters(issue.path.join('.')),
      rule: issue.code,
      reason: escapeControlCharacters(issue.message),
    })),
  );
}

/**
 * Reads a JSON file and checks it against its schema; `null` when there is none. `err` names the file, field,
 * rule and reason of every problem. Refuses a file over `maxBytes` (default 1 MB): no configuration file comes
 * near that size, and reading one would only cost memory.
 */
export function readJsonFile<S extends z.ZodType>(
  file: string,
  schema: S,
  maxBytes = megabyte,
): Result<z.output<S> | null, readonly ConfigProblem[]> {
  const text = readTextFile(file, maxBytes);
  if (!text.ok) return text;
  if (text.value === null) return ok(null);
  let value: unknown;
  try {
    value = JSON.parse(text.value);
  } catch (error) {
    return problem(file, 'json', error instanceof Error ? error.message : 'It is not valid JSON.');
  }
  // A longer text was written by a program.
  const twice = text.value.length <= megabyte ? repeatedName(text.value) : null;
  if (twice !== null) return problem(file, 'unique', `"${twice.slice(0, 100)}" appears twice in one object.`);
  return checkJson(file, value, schema);
}
