import type { FileHandle } from 'node:fs/promises';

/** A sequence of whole lines, as bytes. */
export interface LineChunk {
  /** Whether the chunk starts the file. */
  readonly first: boolean;
  /** Number of the chunk's first line, from 1. */
  readonly firstLine: number;
  readonly bytes: Buffer;
  /**
   * Whether the last line exceeds the chunk limit and continues in the next chunk, which has the same
   * `firstLine`.
   */
  readonly cut: boolean;
}

const BLOCK_BYTES = 256 * 1024;
const MAX_LINE_BYTES = 4 * 1024 * 1024;
const SNIFFED_BYTES = 8_192;
const NEWLINE = 0x0a;

/** Git's rule: a NUL in the first 8 kB. UTF-16 text counts as binary too. */
export function isBinary(first: Buffer): boolean {
  return first.subarray(0, SNIFFED_BYTES).includes(0);
}

/** Reads a file in chunks that end at line ends, so that searching text of any size needs bounded memory. */
export async function* lineChunks(handle: FileHandle, signal: AbortSignal): AsyncGenerator<LineChunk> {
  let first = true;
  let firstLine = 1;
  let rest: Buffer = Buffer.alloc(0);
  for (;;) {
    signal.throwIfAborted();
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    const { bytesRead } = await handle.read(block, 0, block.length, null);
    const carried =
      rest.length === 0 ? block.subarray(0, bytesRead) : Buffer.concat([rest, block.subarray(0, bytesRead)]);
    if (bytesRead === 0) {
      if (carried.length > 0) yield { first, firstLine, bytes: carried, cut: false };
      return;
    }
    const end = carried.lastIndexOf(NEWLINE) + 1;
    if (end === 0 && carried.length < MAX_LINE_BYTES) {
      rest = carried;
      continue;
    }
    const cut = end === 0;
    const size = cut ? characterBoundary(carried) : end;
    const bytes = carried.subarray(0, size);
    yield { first, firstLine, bytes, cut };
    first = false;
    firstLine += cut ? 0 : countNewlines(bytes);
    rest = carried.subarray(size);
  }
}

/** Counts line ends, plus a last line without one. */
export function countLines(bytes: Buffer): number {
  const open = bytes.length > 0 && bytes[bytes.length - 1] !== NEWLINE;
  return countNewlines(bytes) + (open ? 1 : 0);
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** The largest length that does not split a UTF-8 character. */
function characterBoundary(bytes: Buffer): number {
  let size = bytes.length;
  while (size > bytes.length - 4 && ((bytes[size - 1] as number) & 0xc0) === 0x80) size -= 1;
  return ((bytes[size - 1] as number) & 0x80) === 0 ? bytes.length : size - 1;
}
