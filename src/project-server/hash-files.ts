import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { ok, type Result } from '#shared/result';
import { Failed } from './fields';
import { reasonOf } from './file-problem';
import { mapYielding } from './map-yielding';
import { createSmallFileReader } from './small-files';
import { projectTool, type ToolAnswer, type ToolContext } from './tool';
import type { UnreadableFile } from './walk';

const MAX_PATHS = 10_000;
const BLOCK_BYTES = 1 << 20;

const input = z.strictObject({
  paths: z.array(z.string()).max(MAX_PATHS).describe('Files, relative to the project folder.'),
  algorithm: z.literal('sha256').default('sha256'),
});

const output = z.object({
  hashes: z.array(
    z.object({
      path: z.string().describe('As it was asked for.'),
      sha256: z.string().describe('64 lower-case hexadecimal digits, over the bytes of the file.'),
      size: z.number().int().nonnegative().describe('Bytes that were hashed.'),
    }),
  ),
  failed: Failed,
});

export type HashRow = z.output<typeof output>['hashes'][number];
type Row = HashRow | UnreadableFile;

/** Streams the SHA-256 of many files: exact for binary files and for files larger than memory. */
export const hashFiles = projectTool({
  name: 'hash_files',
  title: 'Hash files',
  description:
    'SHA-256 of up to 10,000 files, in the order asked. ' +
    'Equal hashes mean equal content. A file that is missing or unreadable is listed in failed; the others are still hashed.',
  input,
  output,
  run,
});

async function run(
  request: z.output<typeof input>,
  context: ToolContext,
): Promise<Result<ToolAnswer<z.input<typeof output>>>> {
  const read = createSmallFileReader(context.root);
  const rows = await mapYielding(request.paths, context.signal, (path) => hashRow(read, path, context));
  const hashes = rows.filter((row) => 'sha256' in row);
  const failed = rows.filter((row) => 'reason' in row);
  const text = `${hashes.length} files hashed, ${failed.length} failed.`;
  return ok({ structured: { hashes, failed }, text });
}

/** Returns the hash of one file, or why it has none. */
export function hashRow(
  read: ReturnType<typeof createSmallFileReader>,
  path: string,
  context: ToolContext,
): Row | Promise<Row> {
  const file = read(path);
  if (!file.ok) return { path, reason: file.error.message };
  if (file.value.kind === 'large') return hashLarge(path, context);
  const { bytes } = file.value;
  return { path, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

async function hashLarge(path: string, context: ToolContext): Promise<Row> {
  const opened = await context.root.openFile(path);
  if (!opened.ok) return { path, reason: opened.error.message };
  try {
    return { path, ...(await digest(opened.value.handle, context.signal)) };
  } catch (error) {
    context.signal.throwIfAborted();
    return { path, reason: reasonOf(error) };
  } finally {
    await opened.value.handle.close();
  }
}

/**
 * Reads to the end regardless of the reported size: a file may grow or shrink meanwhile, and the hash covers
 * the bytes read.
 */
async function digest(handle: FileHandle, signal: AbortSignal): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let size = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(block, 0, block.length, null);
    if (bytesRead === 0) return { sha256: hash.digest('hex'), size };
    hash.update(block.subarray(0, bytesRead));
    size += bytesRead;
  }
}
