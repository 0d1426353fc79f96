import { lstatSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { reasonOf } from './file-problem';
import { Failed, Folder, Glob, IncludeIgnored, Skipped } from './fields';
import { findFiles } from './find-files';
import { mapYielding } from './map-yielding';
import { projectTool, type ToolAnswer, type ToolContext } from './tool';
import type { UnreadableFile } from './walk';

const DEFAULT_LIMIT = 10_000;
const MAX_LIMIT = 50_000;
/** Keeps a page of very long paths well below the 32 MB limit of a message. */
const MAX_PAGE_BYTES = 12_000_000;

const input = z.strictObject({
  path: Folder,
  glob: Glob,
  includeIgnored: IncludeIgnored,
  limit: z.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('Files in one page.'),
  cursor: z.string().max(5_000).optional().describe('nextCursor of the page before.'),
});

const output = z.object({
  files: z.array(
    z.object({
      path: z.string().describe('Relative to the project folder, with forward slashes.'),
      size: z.number().int().nonnegative().describe('Exact size in bytes.'),
      mtimeMs: z.number().int().describe('Last change, milliseconds since 1970.'),
    }),
  ),
  total: z.number().int().nonnegative().describe('Files that match, on all pages together.'),
  truncated: z.boolean().describe('Whether more pages follow.'),
  nextCursor: z.string().optional(),
  skipped: Skipped,
  failed: Failed,
});

type Input = z.output<typeof input>;
type FileRow = z.output<typeof output>['files'][number];

/** Lists files below a folder with exact sizes and times, page by page, in code-unit order of their paths. */
export const listFiles = projectTool({
  name: 'list_files',
  title: 'List files',
  description:
    'Files beneath a folder, sorted by path. Sizes are in bytes. ' +
    'Honours .gitignore; never follows links. Results come in pages: pass nextCursor back as cursor until truncated is false.',
  input,
  output,
  run,
});

async function run(
  request: Input,
  context: ToolContext,
): Promise<Result<ToolAnswer<z.input<typeof output>>>> {
  const after = request.cursor === undefined ? ok('') : readCursor(request.cursor);
  if (!after.ok) return after;
  const found = await findFiles(request, context);
  if (!found.ok) return found;
  const { files, skipped, failed } = found.value;
  const rest = files.slice(firstAfter(files, after.value));
  const wanted = rest.slice(0, pageLength(rest, request.limit));
  const rows = await mapYielding(wanted, context.signal, (file) => statRow(context.root.path, file));
  const page = rows.filter((row) => 'size' in row);
  const lost = rows.filter((row) => 'reason' in row);
  const truncated = wanted.length < rest.length;
  const last = wanted.at(-1);
  return ok({
    structured: {
      files: page,
      total: files.length,
      truncated,
      ...(truncated && last !== undefined ? { nextCursor: writeCursor(last) } : {}),
      skipped,
      failed: [...failed, ...lost],
    },
    text: describeFiles(page, files.length, truncated),
  });
}

/** A file that has disappeared since the walk, or cannot be read, becomes a row of `failed`. */
function statRow(root: string, file: string): FileRow | UnreadableFile {
  try {
    const stat = lstatSync(path.join(root, file));
    return { path: file, size: stat.size, mtimeMs: Math.trunc(stat.mtimeMs) };
  } catch (error) {
    return { path: file, reason: reasonOf(error) };
  }
}

function pageLength(paths: readonly string[], limit: number): number {
  let bytes = 0;
  for (let index = 0; index < Math.min(paths.length, limit); index += 1) {
    bytes += 3 * (paths[index]?.length ?? 0) + 60;
    if (bytes > MAX_PAGE_BYTES) return Math.max(1, index);
  }
  return Math.min(paths.length, limit);
}

/**
 * A cursor is the last path of its page, so a tree that changes between pages neither shifts nor repeats
 * rows.
 */
function writeCursor(last: string): string {
  return `after:${last}`;
}

function readCursor(cursor: string): Result<string> {
  if (cursor.startsWith('after:')) return ok(cursor.slice('after:'.length));
  return err(appError('TOOL', 'INVALID_ARGUMENTS', 'cursor: not one that list_files gave.'));
}

function firstAfter(paths: readonly string[], last: string): number {
  if (last === '') return 0;
  let low = 0;
  let high = paths.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((paths[middle] as string) <= last) low = middle + 1;
    else high = middle;
  }
  return low;
}

const LINES_IN_WORDS = 20;

function describeFiles(page: readonly FileRow[], total: number, truncated: boolean): string {
  const lines = page.slice(0, LINES_IN_WORDS).map((file) => `${file.path}\t${file.size}`);
  const more = page.length > LINES_IN_WORDS || truncated ? ['…'] : [];
  return [`${total} files, ${page.length} on this page (path, bytes):`, ...lines, ...more].join('\n');
}
