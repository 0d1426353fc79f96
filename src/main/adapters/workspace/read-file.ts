import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs';
import type { ReadFile } from '../../ports/workspace-files';

/** A rule that a file breaks, and why, for the person who mends it. */
export interface FileFault {
  readonly rule: string;
  readonly reason: string;
}

/** Younger changes than this, in nanoseconds, can be followed by another with the same stamp. */
const tooYoung = 50_000_000n;

export const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;

const faults: Readonly<Record<string, FileFault>> = {
  ENOENT: { rule: 'exists', reason: 'There is no such file.' },
  ENOTDIR: { rule: 'exists', reason: 'There is no such file.' },
  EACCES: { rule: 'readable', reason: 'It may not be read.' },
  EPERM: { rule: 'readable', reason: 'It may not be read.' },
  EISDIR: { rule: 'file', reason: 'It is a folder.' },
  ELOOP: { rule: 'link', reason: 'It is a link; a workspace is read without following links.' },
  ENXIO: { rule: 'file', reason: 'It is no ordinary file.' },
  ENAMETOOLONG: { rule: 'path', reason: 'Its path is too long.' },
};

export function faultOf(error: unknown): FileFault {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return faults[code] ?? { rule: 'readable', reason: `It cannot be read (${code}).` };
}

/** Reads from an open file; given by tests that change the file between two reads. */
export type ReadPart = (handle: number, into: Uint8Array, at: number) => number;
export const readPart: ReadPart = (handle, into, at) => readSync(handle, into, at, into.length - at, at);

/** Exactly `size` bytes, or fewer when the file got shorter. */
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

function readOpen(handle: number, mostBytes: number, read: ReadPart): ReadFile | FileFault {
  const before = fstatSync(handle, { bigint: true });
  if (!before.isFile()) return { rule: 'file', reason: 'It is no ordinary file.' };
  if (before.size > BigInt(mostBytes)) {
    return { rule: 'size', reason: `It is larger than ${mostBytes / 1_048_576} MB.` };
  }
  const bytes = readBytes(handle, Number(before.size), read);
  const after = fstatSync(handle, { bigint: true });
  if (stampOf(before) !== stampOf(after) || bytes.length !== Number(before.size)) {
    return { rule: 'changed', reason: 'It changed while it was read. Sync again when nobody writes it.' };
  }
  const age = BigInt(Date.now()) * 1_000_000n - after.ctimeNs;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes, sha256, stamp: age > tooYoung ? stampOf(after) : null };
}

/**
 * One ordinary file, whole and unchanged while it was read. A link is not followed, a device or pipe is not waited for.
 * Never throws.
 */
export function readOne(file: string, mostBytes: number, read: ReadPart): ReadFile | FileFault {
  let handle: number;
  try {
    // Windows has neither flag; there `lstat` of the caller sees links, and pipes have no names in folders.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    handle = openSync(file, flags);
  } catch (error) {
    return faultOf(error);
  }
  try {
    return readOpen(handle, mostBytes, read);
  } catch (error) {
    return faultOf(error);
  } finally {
    closeSync(handle);
  }
}
