import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Of the vectors that the model writes. */
export const dimensions = 512;
const keyBytes = 32;
const rowBytes = keyBytes + dimensions * Float32Array.BYTES_PER_ELEMENT;
/** A larger file is none of ours: a set has fewer texts. */
const maxRows = 5_000;

export type Vectors = Map<string, Float32Array>;

/** The key of a text: its SHA-256 in hex, so that the file does not contain the text. */
export const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const isVector = (vector: Float32Array): boolean => {
  const length = Math.hypot(...vector);
  return length > 0.9 && length < 1.1;
};

/** The stored vectors; none when the file is missing or damaged, because all of them can be computed again. */
export async function readVectors(file: string): Promise<Vectors> {
  const vectors: Vectors = new Map();
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  if (bytes.length % rowBytes !== 0 || bytes.length > maxRows * rowBytes) return vectors;
  for (let at = 0; at < bytes.length; at += rowBytes) {
    const start = bytes.byteOffset + at + keyBytes;
    const vector = new Float32Array(bytes.buffer.slice(start, start + rowBytes - keyBytes));
    if (isVector(vector)) vectors.set(bytes.toString('hex', at, at + keyBytes), vector);
  }
  return vectors;
}

/** Writes the vectors in one step; a disk that refuses only means that they are computed again. */
export async function writeVectors(file: string, vectors: Vectors): Promise<void> {
  const rows = [...vectors].flatMap(([key, { buffer }]) => [Buffer.from(key, 'hex'), Buffer.from(buffer)]);
  const draft = `${file}.${process.pid}.new`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(draft, Buffer.concat(rows), { mode: 0o600 });
    await rename(draft, file);
  } catch {
    return;
  }
}
