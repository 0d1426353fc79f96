import { z } from 'zod';
import { ok, type Result } from '#shared/result';
import { Failed, Folder, Glob, IncludeIgnored, Skipped } from './fields';
import { findFiles } from './find-files';
import { createLineMatcher } from './line-matcher';
import { searchFiles, type MatchCounts } from './search-files';
import { projectTool, type ToolAnswer, type ToolContext } from './tool';

const DEFAULT_MATCHES = 200;

const input = z.strictObject({
  query: z
    .string()
    .min(1)
    .max(1_000)
    .describe('Text to find, or a JavaScript regular expression with regex.'),
  path: Folder,
  glob: Glob,
  regex: z.boolean().default(false),
  caseSensitive: z.boolean().default(true),
  includeIgnored: IncludeIgnored,
  maxMatches: z
    .number()
    .int()
    .min(0)
    .max(10_000)
    .optional()
    .describe('Matches given in full (200, or none with countBy); all are counted.'),
  context: z.number().int().min(0).max(5).default(0).describe('Lines shown before and after each match.'),
  countBy: z
    .enum(['none', 'file', 'folder'])
    .default('none')
    .describe('Also give counts per file, or per folder that directly holds the files.'),
});

const count = z.number().int().nonnegative();

const output = z.object({
  matches: z.array(
    z.object({
      path: z.string(),
      line: z.number().int().describe('From 1.'),
      column: z.number().int().describe('From 1, in UTF-16 units.'),
      text: z.string().describe('The line, long ones cut around the match.'),
      before: z.array(z.string()).optional(),
      after: z.array(z.string()).optional(),
    }),
  ),
  counts: z
    .array(
      z.object({
        path: z.string().describe('File, or folder ("." is the project folder).'),
        matches: count,
        lines: count.describe('Lines with at least one match.'),
        files: count,
      }),
    )
    .optional()
    .describe('Only where something was found, sorted by path.'),
  totalMatches: count.describe('Occurrences in all files, also those not given in full.'),
  matchingFiles: count,
  filesSearched: count,
  truncated: z.boolean().describe('Whether there are more matches than given in full.'),
  binary: count.describe('Files passed over because they are binary.'),
  skipped: Skipped,
  failed: Failed,
});

type Input = z.output<typeof input>;

/**
 * Searches text in the project with exact counts; skips binary files, and no pattern can block the server.
 */
export const searchText = projectTool({
  name: 'search_text',
  title: 'Search text',
  description:
    'Finds a text or regular expression in lines. ' +
    'Counts are exact; binary files and what .gitignore leaves out are passed over. With countBy, gives counts per file or folder.',
  input,
  output,
  run,
});

async function run(
  request: Input,
  context: ToolContext,
): Promise<Result<ToolAnswer<z.input<typeof output>>>> {
  const matcher = createLineMatcher(request);
  if (!matcher.ok) return matcher;
  const found = await findFiles(request, context);
  if (!found.ok) return found;
  const searched = await searchFiles(
    {
      files: found.value.files,
      ...matcher.value,
      maxHits: request.maxMatches ?? (request.countBy === 'none' ? DEFAULT_MATCHES : 0),
      context: request.context,
    },
    context,
  );
  if (!searched.ok) return searched;
  const { tallies, hits, binary, failed } = searched.value;
  const totalMatches = tallies.reduce((sum, tally) => sum + tally.matches, 0);
  const filesSearched = found.value.files.length - binary - failed.length;
  return ok({
    structured: {
      matches: [...hits],
      ...(request.countBy === 'none' ? {} : { counts: countsBy(request.countBy, tallies) }),
      totalMatches,
      matchingFiles: tallies.length,
      filesSearched,
      truncated: hits.length < totalMatches,
      binary,
      skipped: found.value.skipped,
      failed: [...found.value.failed, ...failed],
    },
    text: `${totalMatches} matches in ${tallies.length} of ${filesSearched} files.`,
  });
}

interface Count {
  path: string;
  matches: number;
  lines: number;
  files: number;
}

function countsBy(by: 'file' | 'folder', tallies: readonly MatchCounts[]): Count[] {
  const counts = new Map<string, Count>();
  for (const tally of tallies) {
    const key = by === 'file' ? tally.path : folderOf(tally.path);
    const sum = counts.get(key) ?? { path: key, matches: 0, lines: 0, files: 0 };
    sum.matches += tally.matches;
    sum.lines += tally.lines;
    sum.files += 1;
    counts.set(key, sum);
  }
  return [...counts.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '.' : path.slice(0, slash);
}
