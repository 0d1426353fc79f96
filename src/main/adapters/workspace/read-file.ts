import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { FileStamp, ReadFile } from '../../../core/ports/workspace-files';

/** A rule that a file breaks, and the reason, for the person who fixes it. */
export interface FileFault {
  readonly rule: string;
  readonly reason: string;
}

/** A change younger than this, in milliseconds, may be followed by another with the same stamp. */
const tooYoungMs = 50;

/** Plain numbers distinguish a quarter of a microsecond and cost a fraction of the exact ones. */
export const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): FileStamp => ({
  dev,
  ino,
  size,
  mtimeMs,
  ctimeMs,
});

const unchanged = (before: Stats, after: Stats): boolean =>
  before.mtimeMs === after.mtimeMs && before.ctimeMs === after.ctimeMs && before.size === after.size;

const faults: Readonly<Record<string, FileFault>> = {
  ENOENT: { rule: 'exists', reason: 'There is no such file.' },
  ENOTDIR: { rule: 'exists', reason: 'There is no such file.' },
  EACCES: { rule: 'readable', reason: 'You have no permission to read it.' },
  EPERM: { rule: 'readable', reason: 'You have no permission to read it.' },
  EISDIR: { rule: 'file', reason: 'It is a folder.' },
  ELOOP: { rule: 'link', reason: 'It is a link; Patina does not follow links in a workspace.' },
  ENXIO: { rule: 'file', reason: 'It is not a regular file.' },
  ENAMETOOLONG: { rule: 'path', reason: 'Its path is too long.' },
};

export function faultOf(error: unknown): FileFault {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return faults[code] ?? { rule: 'readable', reason: `It cannot be read (${code}).` };
}

/** Reads from an open file; tests replace it to change the file between two reads. */
export type ReadPart = (handle: number, into: Uint8Array, at: number) => number;
export const readPart: ReadPart = (handle, into, at) => readSync(handle, into, at, into.length - at, at);

/** Reads exactly `size` bytes, or fewer when the file was truncated. */
function readBytes(handle: number, size: number, read: ReadPart): Uint8Array {
  const bytes = new Uint8Array(size);
  let length = 0;
  while (length < size) {
    const count = read(handle, bytes, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

const sha256Of = (bytes: Uint8Array): string => hash('sha256', bytes);

function readCarefully(handle: number, maxBytes: number, read: ReadPart): ReadFile | FileFault {
  const before = fstatSync(handle);
  if (!before.isFile()) return { rule: 'file', reason: 'It is not a regular file.' };
  if (before.size > maxBytes) {
    return { rule: 'size', reason: `It is larger than ${maxBytes / 1_048_576} MB.` };
  }
  const bytes = readBytes(handle, before.size, read);
  const after = fstatSync(handle);
  if (!unchanged(before, after) || bytes.length !== before.size) {
    return {
      rule: 'changed',
      reason: 'It changed while Patina read it. Sync again when no program is writing it.',
    };
  }
  const old = Date.now() - after.ctimeMs > tooYoungMs;
  return { bytes, sha256: sha256Of(bytes), stamp: old ? stampOf(after) : null };
}

/** Most files fit into this size. */
const smallBytes = 65_536;
/** Small files share one block of memory, which is far cheaper than a block for each. */
const sheetBytes = 1_048_576;
/** The unused part of the shared block. */
let rest: Uint8Array = new Uint8Array(0);
/** The buffer for the next small file; reused until a file's bytes are kept. */
let free: Uint8Array = rest;

function nextBuffer(): Uint8Array {
  if (rest.length < smallBytes) {
    rest = Buffer.allocUnsafeSlow(sheetBytes);
    free = rest.subarray(0, smallBytes);
  }
  return free;
}

/** Marks the first bytes of the buffer as used. */
function advance(length: number): void {
  rest = rest.subarray(length);
  free = rest.subarray(0, smallBytes);
}

/**
 * Reads the part of a file that fits into the buffer; null when the read fails and the caller needs a `stat`
 * first.
 */
function readStart(handle: number, buffer: Uint8Array, read: ReadPart): number | null {
  try {
    return read(handle, buffer, 0);
  } catch {
    return null;
  }
}

/**
 * Reads a small file that has not changed recently. One `stat` after the read is enough, because the last
 * change precedes the read. Null: the file needs a `stat` both before and after the read.
 */
function readQuietly(handle: number, { maxBytes, read, withBytes: withBytes }: Reading): ReadFile | null {
  const began = Date.now();
  const into = nextBuffer();
  const length = readStart(handle, into, read);
  if (length === null) return null;
  const stat = fstatSync(handle);
  const quiet = stat.isFile() && stat.size === length && began - stat.ctimeMs > tooYoungMs;
  if (!quiet || length === into.length || length > maxBytes) return null;
  const bytes = into.subarray(0, length);
  if (withBytes) advance(length);
  return { bytes, sha256: sha256Of(bytes), stamp: stampOf(stat) };
}

/** How to read a file. */
export interface Reading {
  readonly maxBytes: number;
  readonly read: ReadPart;
  /** Whether to keep the bytes; otherwise the next read overwrites them. */
  readonly withBytes: boolean;
}

function readOpen(handle: number, reading: Reading): ReadFile | FileFault {
  return readQuietly(handle, reading) ?? readCarefully(handle, reading.maxBytes, reading.read);
}

/**
 * Reads one regular file completely, and fails when it changes during the read. Does not follow a link, and
 * does not block on a device or pipe. Never throws.
 */
export function readOne(file: string, reading: Reading): ReadFile | FileFault {
  let handle: number;
  try {
    // Windows has neither flag; there the caller's `lstat` detects links, and folders contain no pipes.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    handle = openSync(file, flags);
  } catch (error) {
    return faultOf(error);
  }
  try {
    return readOpen(handle, reading);
  } catch (error) {
    return faultOf(error);
  } finally {
    closeSync(handle);
  }
}
