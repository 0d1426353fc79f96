import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { pathArgument } from './caller-paths';

/** In place of a text argument or of a file, reads standard input. */
export const standardInput = '-';

/** Plans, units and messages are small; a larger input is a mistake and is not read. */
const maxBytes = 8 * 1024 * 1024;

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** Errors: HOST/INVALID_INPUT when there are more than `limit` bytes, HOST/NOT_FOUND when it cannot be read. */
async function readBytes(
  source: Readable,
  name: string,
  limit: number,
): Promise<Result<Uint8Array<ArrayBuffer>>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of source) {
      chunks.push(Buffer.from(chunk as Buffer));
      bytes += (chunk as Buffer).length;
      if (bytes > limit)
        return err(appError('HOST', 'INVALID_INPUT', `${name} contains more than ${limit} bytes.`));
    }
    return ok(new Uint8Array(Buffer.concat(chunks)));
  } catch (cause) {
    return err(appError('HOST', 'NOT_FOUND', `${name} cannot be read: ${reasonOf(cause)}`));
  }
}

/** All bytes of standard input. Errors: HOST/INVALID_INPUT when there are none or more than `limit`. */
export async function readStandardInput(
  limit = maxBytes,
  stdin: Readable = process.stdin,
): Promise<Result<Uint8Array<ArrayBuffer>>> {
  const read = await readBytes(stdin, 'Standard input', limit);
  if (!read.ok || read.value.length > 0) return read;
  const hint = 'Pipe a text into the command, as in "git diff | patina ask -".';
  return err(appError('HOST', 'INVALID_INPUT', 'Standard input is empty.', { hint }));
}

/** The text of an argument; `-` stands for standard input. Errors: see `readStandardInput`. */
export async function textArgument(written: string, stdin?: Readable): Promise<Result<string>> {
  if (written !== standardInput) return ok(written);
  const read = await readStandardInput(maxBytes, stdin);
  return read.ok ? ok(new TextDecoder().decode(read.value)) : read;
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
  const read = await readBytes(path === null ? stdin : createReadStream(path.value), name, maxBytes);
  if (!read.ok) return read;
  try {
    // The decoder drops a byte order mark.
    return ok(JSON.parse(new TextDecoder().decode(read.value)));
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
