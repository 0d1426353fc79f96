import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/** Plans and units are small; more than this is a mistake, and is not read. */
const maxBytes = 8 * 1024 * 1024;

function readText(file: string | undefined): Result<string> {
  const name = file ?? 'standard input';
  try {
    const text = readFileSync(file ?? 0, 'utf8');
    if (text.length <= maxBytes) return ok(text);
    return err(appError('HOST', 'INVALID_INPUT', `${name} holds more than ${maxBytes} characters.`));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return err(appError('HOST', 'NOT_FOUND', `${name} cannot be read: ${reason}`));
  }
}

/** The JSON of a file, or of standard input when no file is named. */
export function readJson(file: string | undefined): Result<unknown> {
  const text = readText(file);
  if (!text.ok) return text;
  try {
    return ok(JSON.parse(text.value.replace(/^\uFEFF/, '')));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return err(appError('HOST', 'INVALID_INPUT', `${file ?? 'standard input'} is not JSON: ${reason}`));
  }
}

/** The JSON of a file, checked; the error names each field that does not hold. */
export function readChecked<T>(file: string | undefined, schema: z.ZodType<T>): Result<T> {
  const json = readJson(file);
  if (!json.ok) return json;
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return ok(parsed.data);
  const fields = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || 'document'}: ${issue.message}`,
  );
  return err(appError('HOST', 'INVALID_INPUT', `${file ?? 'standard input'}: ${fields.join('; ')}`));
}
