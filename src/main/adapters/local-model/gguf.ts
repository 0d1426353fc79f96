import { closeSync, openSync, readSync } from 'node:fs';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/** What Patina reads of a model's file before it loads it; the library reads the rest. */
export interface GgufFacts {
  readonly architecture: string;
  /** The context that the model was trained for, in tokens. */
  readonly contextTokens: number | null;
}

/** The facts come first in a file, before the vocabulary. */
const headBytes = 1 << 20;
const maxKeys = 10_000;
const maxText = 1 << 16;

const sizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const type = { u32: 4, text: 8, array: 9, u64: 10 } as const;

/** Reads values in sequence; throws a RangeError beyond the bytes that were read. */
function createCursor(bytes: Buffer) {
  let at = 0;
  const skip = (count: number): void => {
    if (count > bytes.length - at) throw new RangeError('behind the end');
    at += count;
  };
  const u32 = (): number => {
    at += 4;
    return bytes.readUInt32LE(at - 4);
  };
  const u64 = (): number => {
    at += 8;
    return Number(bytes.readBigUInt64LE(at - 8));
  };
  const text = (): string => {
    const length = u64();
    if (length > maxText) throw new RangeError('a text too long');
    skip(length);
    return bytes.toString('utf8', at - length, at);
  };
  const skipArray = (): void => {
    const [item, count] = [u32(), u64()];
    const size = sizes[item];
    if (size !== undefined) return skip(size * count);
    for (let n = 0; n < count; n += 1) {
      if (item !== type.text) throw new RangeError('an array of arrays');
      skip(u64());
    }
  };
  /** The value, if it is a text or a whole number. */
  const value = (): string | number | null => {
    const kind = u32();
    if (kind === type.text) return text();
    if (kind === type.u32) return u32();
    if (kind === type.u64) return u64();
    if (kind === type.array) skipArray();
    else skip(sizes[kind] ?? Infinity);
    return null;
  };
  return { u32, u64, text, value };
}

function factsIn(head: Buffer): GgufFacts | null {
  if (head.toString('latin1', 0, 4) !== 'GGUF') return null;
  const values = new Map<string, string | number | null>();
  const found = (): GgufFacts | null => {
    const architecture = values.get('general.architecture');
    if (typeof architecture !== 'string') return null;
    const trained = values.get(`${architecture}.context_length`);
    return { architecture, contextTokens: typeof trained === 'number' && trained > 0 ? trained : null };
  };
  try {
    const cursor = createCursor(head);
    cursor.u32();
    if (![2, 3].includes(cursor.u32())) return null;
    cursor.u64();
    const keys = Math.min(cursor.u64(), maxKeys);
    for (let n = 0; n < keys && !found()?.contextTokens; n += 1) values.set(cursor.text(), cursor.value());
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  return found();
}

const notGguf = appError('HOST', 'INVALID_INPUT', 'This file is not a GGUF model.', {
  hint: 'Choose a file that ends with .gguf.',
});

/** Reads the head of a model's file. HOST/INVALID_INPUT for another file. Throws file system errors. */
export function readGguf(file: string): Result<GgufFacts> {
  const handle = openSync(file, 'r');
  try {
    const head = Buffer.alloc(headBytes);
    const facts = factsIn(head.subarray(0, readSync(handle, head, 0, headBytes, 0)));
    return facts ? ok(facts) : err(notGguf);
  } finally {
    closeSync(handle);
  }
}
