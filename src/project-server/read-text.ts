import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { fileError } from './file-problem';
import { countLines, isBinary, lineChunks, type LineChunk } from './line-chunks';
import { quoted } from './path-rules';
import { projectTool, type ToolAnswer, type ToolContext } from './tool';

const MAX_BYTES = 4_000_000;

const line = z.number().int().min(1);

const input = z.strictObject({
  path: z.string().describe('File, relative to the project folder.'),
  from: line.default(1).describe('First line, from 1.'),
  to: line.optional().describe('Last line; without it, to the end.'),
  maxBytes: z
    .number()
    .int()
    .min(1)
    .max(MAX_BYTES)
    .default(256_000)
    .describe('Cut after the last whole line that fits.'),
});

const output = z.object({
  path: z.string(),
  text: z.string().describe('The lines with their line ends, as they are in the file.'),
  from: z.number().int().describe('First line given.'),
  to: z.number().int().describe('Last line given; from - 1 when there is none.'),
  totalLines: z.number().int().nonnegative(),
  size: z.number().int().nonnegative().describe('Bytes of the whole file.'),
  truncated: z
    .boolean()
    .describe('Whether maxBytes left out lines that were asked for; read on from to + 1.'),
});

type Input = z.output<typeof input>;

/** Reads lines of a UTF-8 text file. */
export const readText = projectTool({
  name: 'read_text',
  title: 'Read text',
  description: 'A text file, or its lines from..to. Binary files and text that is not UTF-8 are refused.',
  input,
  output,
  run,
});

async function run(
  request: Input,
  context: ToolContext,
): Promise<Result<ToolAnswer<z.input<typeof output>>>> {
  if (request.to !== undefined && request.to < request.from) {
    return err(appError('TOOL', 'INVALID_ARGUMENTS', `to (${request.to}) is before from (${request.from}).`));
  }
  const opened = await context.root.openFile(request.path);
  if (!opened.ok) return opened;
  const { handle, size } = opened.value;
  try {
    const picked = await pickLines(request, handle, context.signal);
    if (!picked.ok) return picked;
    const { bytes, totalLines, truncated } = picked.value;
    const text = decode(bytes);
    if (text === null) return refused(request.path, 'is not UTF-8 text');
    const to = request.from + countLines(bytes) - 1;
    return ok({
      structured: { path: request.path, text, from: request.from, to, totalLines, size, truncated },
      text,
    });
  } catch (error) {
    context.signal.throwIfAborted();
    return err(fileError(request.path, error));
  } finally {
    await handle.close();
  }
}

interface Picked {
  readonly bytes: Buffer;
  readonly totalLines: number;
  readonly truncated: boolean;
}

/** Reads the whole file to count its lines, and keeps only the requested ones. */
async function pickLines(request: Input, handle: FileHandle, signal: AbortSignal): Promise<Result<Picked>> {
  const chunks: Buffer[] = [];
  let bytesLeft = request.maxBytes;
  let totalLines = 0;
  let truncated = false;
  for await (const chunk of lineChunks(handle, signal)) {
    if (chunk.first && isBinary(chunk.bytes)) return refused(request.path, 'is a binary file');
    totalLines = chunk.firstLine - 1 + countLines(chunk.bytes);
    const wanted: Buffer | null = truncated ? null : rangeOf(chunk, request.from, request.to ?? Infinity);
    if (wanted === null) continue;
    const fitting = wholeLines(wanted, bytesLeft);
    truncated = fitting.length < wanted.length;
    bytesLeft -= fitting.length;
    chunks.push(fitting);
  }
  const bytes = Buffer.concat(chunks);
  if (truncated && bytes.length === 0) {
    return refused(request.path, `line ${request.from} is longer than maxBytes (${request.maxBytes})`);
  }
  return ok({ bytes, totalLines, truncated });
}

/** The bytes of the chunk's lines `from` to `to`; null when it contains none of them. */
function rangeOf(chunk: LineChunk, from: number, to: number): Buffer | null {
  const { bytes, firstLine } = chunk;
  const start = offsetOfLine(bytes, from - firstLine);
  const end = to === Infinity ? bytes.length : offsetOfLine(bytes, to + 1 - firstLine);
  return end > start ? bytes.subarray(start, end) : null;
}

/** As many whole lines as fit in `room` bytes. */
function wholeLines(bytes: Buffer, byteLimit: number): Buffer {
  if (bytes.length <= byteLimit) return bytes;
  return bytes.subarray(0, bytes.subarray(0, byteLimit).lastIndexOf(0x0a) + 1);
}

function offsetOfLine(bytes: Buffer, ahead: number): number {
  let offset = 0;
  for (let skipped = 0; skipped < ahead; skipped += 1) {
    const newline = bytes.indexOf(0x0a, offset);
    if (newline === -1) return bytes.length;
    offset = newline + 1;
  }
  return offset;
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function refused(path: string, why: string): Result<never> {
  return err(appError('TOOL', 'INVALID_ARGUMENTS', `${quoted(path)} ${why}.`));
}
