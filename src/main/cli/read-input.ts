import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { pathArgument } from './caller-paths';

/** Plans and units are small; a larger input is a mistake and is not read. */
const maxBytes = 8 * 1024 * 1024;

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

async function readText(source: Readable, name: string): Promise<Result<string>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source) {
      chunks.push(Buffer.from(chunk as Buffer));
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes)
        return err(appError('HOST', 'INVALID_INPUT', `${name} contains more than ${maxBytes} bytes.`));
    }
    return ok(Buffer.concat(chunks).toString('utf8'));
  } catch (cause) {
    return err(appError('HOST', 'NOT_FOUND', `${name} cannot be read: ${reasonOf(cause)}`));
  }
}

/**
 * Reads JSON from a file, or from standard input when no file is named. Errors: HOST/NOT_FOUND,
 * HOST/INVALID_INPUT.
 */
export async function readJson(
  file: string | undefined,
  stdin: Readable = process.stdin,
): Promise<Result<unknown>> {
  const path = file === undefined ? null : pathArgument('The file', file);
  if (path?.ok === false) return path;
  const name = file ?? 'standard input';
  const text = await readText(path === null ? stdin : createReadStream(path.value), name);
  if (!text.ok) return text;
  try {
    return ok(JSON.parse(text.value.replace(/^\uFEFF/, '')));
  } catch (cause) {
    return err(appError('HOST', 'INVALID_INPUT', `${name} is not JSON: ${reasonOf(cause)}`));
  }
}

/** Reads repeated options of the form `name=value`. Errors: HOST/INVALID_INPUT. */
export function readPairs(option: string, pairs: readonly string[]): Result<Record<string, string>> {
  const bad = pairs.find((pair) => !/^[^=]+=/.test(pair));
  if (bad !== undefined)
    return err(appError('HOST', 'INVALID_INPUT', `${option} ${bad}: use the form name=value.`));
  return ok(
    Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
  );
}
