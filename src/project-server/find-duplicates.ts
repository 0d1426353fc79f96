import { lstatSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { Failed, Folder, Glob, IncludeIgnored, Skipped } from './fields';
import { reasonOf } from './file-problem';
import { findFiles } from './find-files';
import { hashRow, type HashRow } from './hash-files';
import { mapYielding } from './map-yielding';
import { createSmallFileReader } from './small-files';
import { projectTool, type ToolAnswer, type ToolContext } from './tool';
import type { UnreadableFile } from './walk';

/** Bytes hashed, after which a page ends with the current size. */
const PAGE_BYTES = 1e9;
/** Characters of the returned groups, after which a page ends: a script must be able to read it in its memory. */
const PAGE_TEXT = 3_000_000;
/** Maximum number of paths listed per group; `copies` counts all of them. */
const MAX_PATHS = 1_000;
/** Maximum number of unreadable files listed. */
const MAX_FAILED = 1_000;

const input = z.strictObject({
  path: Folder,
  glob: Glob,
  includeIgnored: IncludeIgnored,
  cursor: z.string().max(100).optional().describe('nextCursor of the page before.'),
});

const output = z.object({
  groups: z
    .array(
      z.object({
        size: z.number().int().nonnegative().describe('Bytes of each file.'),
        sha256: z.string().describe('64 lower-case hexadecimal digits.'),
        copies: z.number().int().min(2).describe('Files with this content.'),
        paths: z.array(z.string()).describe(`In code-unit order, at most ${MAX_PATHS}.`),
      }),
    )
    .describe('The largest files first.'),
  files: z.number().int().nonnegative().describe('Files looked at, on all pages together.'),
  truncated: z.boolean().describe('Whether more pages follow.'),
  nextCursor: z.string().optional(),
  skipped: Skipped,
  failed: Failed,
});

type Input = z.output<typeof input>;
type Group = z.output<typeof output>['groups'][number];

/** Groups files of equal content below a folder, so that the caller receives only the groups. */
export const findDuplicates = projectTool({
  name: 'find_duplicates',
  title: 'Find duplicate files',
  description:
    'Groups of files with the same content. ' +
    'Honours .gitignore; never follows links. Results come in pages: pass nextCursor back as cursor until truncated is false.',
  input,
  output,
  run,
});

interface SizeClass {
  readonly size: number;
  readonly paths: readonly string[];
}

/** The sizes shared by at least two files, largest first. */
async function sharedSizes(
  files: readonly string[],
  context: ToolContext,
  failed: UnreadableFile[],
): Promise<readonly SizeClass[]> {
  const sizes = new Map<number, string[]>();
  await mapYielding(files, context.signal, (file) => {
    try {
      const { size } = lstatSync(path.join(context.root.path, file));
      const same = sizes.get(size);
      if (same) same.push(file);
      else sizes.set(size, [file]);
    } catch (error) {
      failed.push({ path: file, reason: reasonOf(error) });
    }
  });
  return [...sizes]
    .filter(([, paths]) => paths.length > 1)
    .map(([size, paths]) => ({ size, paths }))
    .sort((a, b) => b.size - a.size);
}

/** The groups of rows of one size, by hash. */
function groupsOf(rows: readonly HashRow[]): readonly Group[] {
  const byContent = new Map<string, HashRow[]>();
  for (const row of rows) {
    const key = `${row.size} ${row.sha256}`;
    const same = byContent.get(key);
    if (same) same.push(row);
    else byContent.set(key, [row]);
  }
  const groups = [...byContent.values()].flatMap((same) => {
    const [first] = same;
    if (!first || same.length < 2) return [];
    const paths = same.slice(0, MAX_PATHS).map((row) => row.path);
    return [{ size: first.size, sha256: first.sha256, copies: same.length, paths }];
  });
  return groups.sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
}

/** What a page ended with: the larger sizes, and the hashes of this size up to this one, are done. */
interface PageCursor {
  readonly size: number;
  readonly sha256: string;
}
const start: PageCursor = { size: Infinity, sha256: '' };
/** Comes after each hash. */
const wholeSize = '~';

const textOf = ({ paths }: Group): number => paths.reduce((sum, file) => sum + file.length + 4, 120);

/** The groups after the end of the last page, until the page is full; `end` is null when nothing is left. */
async function pageAfter(
  last: PageCursor,
  sizes: readonly SizeClass[],
  context: ToolContext,
  failed: UnreadableFile[],
): Promise<{ readonly groups: Group[]; readonly end: PageCursor | null }> {
  const read = createSmallFileReader(context.root);
  const groups: Group[] = [];
  let bytesLeft = PAGE_BYTES;
  let text = PAGE_TEXT;
  for (const [at, { size, paths }] of sizes.entries()) {
    const rows = await mapYielding(paths, context.signal, (file) => hashRow(read, file, context));
    failed.push(...rows.filter((row) => 'reason' in row));
    const found = groupsOf(rows.filter((row) => 'sha256' in row));
    const rest = found.filter(({ sha256 }) => size < last.size || sha256 > last.sha256);
    for (const group of rest) {
      if (text <= 0) return { groups, end: { size, sha256: groups.at(-1)?.sha256 ?? '' } };
      groups.push(group);
      text -= textOf(group);
    }
    bytesLeft -= size * paths.length;
    if ((bytesLeft <= 0 || text <= 0) && at < sizes.length - 1)
      return { groups, end: { size, sha256: wholeSize } };
  }
  return { groups, end: null };
}

/** A cursor is the end of its page, so a tree that changes between two pages repeats nothing. */
function readCursor(cursor: string | undefined): Result<PageCursor> {
  if (cursor === undefined) return ok(start);
  const match = /^(\d{1,16}):([0-9a-f]{64}|~)$/.exec(cursor);
  if (match) return ok({ size: Number(match[1]), sha256: match[2] ?? '' });
  return err(appError('TOOL', 'INVALID_ARGUMENTS', 'cursor: not one that find_duplicates gave.'));
}

async function run(
  request: Input,
  context: ToolContext,
): Promise<Result<ToolAnswer<z.input<typeof output>>>> {
  const after = readCursor(request.cursor);
  if (!after.ok) return after;
  const last = after.value;
  const found = await findFiles(request, context);
  if (!found.ok) return found;
  const { files, skipped } = found.value;
  const failed = [...found.value.failed];
  const all = await sharedSizes(files, context, failed);
  const sizes = all.filter(
    ({ size }) => size < last.size || (size === last.size && last.sha256 !== wholeSize),
  );
  const { groups, end } = await pageAfter(last, sizes, context, failed);
  return ok({
    structured: {
      groups,
      files: files.length,
      truncated: end !== null,
      ...(end && { nextCursor: `${end.size}:${end.sha256}` }),
      skipped,
      failed: failed.slice(0, MAX_FAILED),
    },
    text: `${files.length} files, ${groups.length} groups of duplicates on this page.`,
  });
}
