import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';

/** What Patina reads of a model's file before it loads it; the library reads the rest. */
export interface GgufFacts {
  readonly architecture: string;
  /** The context that the model was trained for, in tokens. */
  readonly contextTokens: number | null;
}

/** The facts come first in a file, before the vocabulary. */
const factBytes = 1 << 20;
/** A longer header is not checked to its end: the app waits while it is read. */
const maxHeaderBytes = 1 << 24;
const maxKeys = 10_000;
const maxDimensions = 8;
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

const cutShort = 'it ends before its header is complete';
const damaged = 'its header is damaged';

/** Reads values in sequence; throws a RangeError with the reason where the bytes end or make no sense. */
function createCursor(bytes: Buffer) {
  let at = 0;
  const skip = (count: number): void => {
    if (count > bytes.length - at) throw new RangeError(cutShort);
    at += count;
  };
  const u32 = (): number => {
    skip(4);
    return bytes.readUInt32LE(at - 4);
  };
  const u64 = (): number => {
    skip(8);
    return Number(bytes.readBigUInt64LE(at - 8));
  };
  const text = (): string => {
    const length = u64();
    skip(length);
    return length > maxText ? '' : bytes.toString('utf8', at - length, at);
  };
  const skipArray = (): void => {
    const [item, count] = [u32(), u64()];
    const size = sizes[item];
    if (size !== undefined) return skip(size * count);
    for (let n = 0; n < count; n += 1) {
      if (item !== type.text) throw new RangeError(damaged);
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
    else if (sizes[kind] === undefined) throw new RangeError(damaged);
    else skip(sizes[kind]);
    return null;
  };
  /** The offset of the last of the weights, whose list ends the header; counted from the start of the file. */
  const lastWeights = (count: number, alignment: number): number => {
    let last = 0;
    for (let n = 0; n < count; n += 1) {
      skip(u64());
      const dimensions = u32();
      if (dimensions > maxDimensions) throw new RangeError(damaged);
      skip(8 * dimensions + 4);
      last = Math.max(last, u64());
    }
    return Math.ceil(at / alignment) * alignment + last;
  };
  return { u32, u64, text, value, lastWeights };
}

/** Why the first bytes are not those of a GGUF file; null when they are. */
function otherStart(head: Buffer): string | null {
  if (head.length === 0) return 'it is empty';
  const start = head.toString('latin1', 0, 512);
  if (start.startsWith('GGUF')) return null;
  const isText = !/[\0-\x08\x0E-\x1F]/.test(start);
  return isText
    ? 'it is a text, such as a web page or a Git LFS pointer, and does not begin with “GGUF”'
    : 'it does not begin with “GGUF”';
}

interface Header {
  readonly facts: GgufFacts | null;
  /** Why the header could not be read to its end; null when it was, or did not have to be. */
  readonly problem: string | null;
  /** Where the last weights begin; 0 when it was not read. */
  readonly lastWeights: number;
}

/** Reads a header: as far as the facts, or `whole`. */
function headerIn(bytes: Buffer, whole: boolean): Header {
  const values = new Map<string, string | number | null>();
  const facts = (): GgufFacts | null => {
    const architecture = values.get('general.architecture');
    if (typeof architecture !== 'string') return null;
    const trained = values.get(`${architecture}.context_length`);
    return { architecture, contextTokens: typeof trained === 'number' && trained > 0 ? trained : null };
  };
  const other = otherStart(bytes);
  if (other !== null) return { facts: null, problem: other, lastWeights: 0 };
  try {
    const cursor = createCursor(bytes);
    cursor.u32();
    const version = cursor.u32();
    if (![2, 3].includes(version))
      throw new RangeError(`its format has the version ${version}, and Patina reads 2 and 3`);
    const weights = cursor.u64();
    const keys = cursor.u64();
    if (keys > maxKeys) throw new RangeError(damaged);
    for (let n = 0; n < keys && (whole || !facts()?.contextTokens); n += 1)
      values.set(cursor.text(), cursor.value());
    const alignment = Number(values.get('general.alignment')) || 32;
    const lastWeights = whole ? cursor.lastWeights(weights, alignment) : 0;
    return { facts: facts(), problem: null, lastWeights };
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return { facts: facts(), problem: thrown.message, lastWeights: 0 };
  }
}

const notGguf = (reason: string, hint: string): Result<never> =>
  err(appError('HOST', 'INVALID_INPUT', `This file is not a GGUF model: ${reason}.`, { hint }));

const chooseOther = 'Choose a model in the GGUF format; the names of its files end with .gguf.';
const downloadAgain = 'The file is not complete. Download it again.';

function start(file: string, maxBytes: number): { readonly bytes: Buffer; readonly size: number } {
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    return { bytes: bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, 0)), size };
  } finally {
    closeSync(handle);
  }
}

/** Reads the facts of a model's file; null for another file. Throws file system errors. */
export const readGguf = (file: string): GgufFacts | null =>
  headerIn(start(file, factBytes).bytes, false).facts;

/**
 * Reads the facts of a model's file and checks that it is complete up to its last weights. HOST/INVALID_INPUT says
 * why it is no model. Throws file system errors.
 */
export function checkGguf(file: string): Result<GgufFacts> {
  const { bytes, size } = start(file, maxHeaderBytes);
  const { facts, problem, lastWeights } = headerIn(bytes, true);
  const isCut = problem === cutShort && bytes.length === size;
  if (isCut) return notGguf(cutShort, downloadAgain);
  if (!facts) return notGguf(problem ?? 'its header names no architecture', chooseOther);
  // The library reads headers that Patina cannot.
  if (lastWeights < size) return ok(facts);
  return notGguf(`it has ${size} bytes, and its last weights begin after ${lastWeights}`, downloadAgain);
}
