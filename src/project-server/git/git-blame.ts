import { z } from 'zod';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { projectTool, type ToolAnswer, type ToolContext } from '../tool';
import { Revision, Truncated } from './git-fields';
import { openRepository } from './git-repository';

const MAX_BYTES = 8_000_000;
const MAX_LINES = 2_000;

const line = z.number().int().min(1).max(10_000_000);

const input = z.strictObject({
  path: z.string().min(1).max(4_096).describe('File, relative to the project folder.'),
  from: line.default(1).describe('First line, from 1.'),
  to: line.optional().describe(`Last line; at most ${MAX_LINES} lines in one call.`),
  revision: Revision.optional().describe('The file as of this commit; without it, as it is now.'),
});

const Span = z.object({
  from: z.number().int(),
  to: z.number().int(),
  hash: z.string().nullable().describe('Null for lines that are not committed yet.'),
  author: z.string(),
  email: z.string(),
  date: z.string().describe('ISO 8601, UTC.'),
  subject: z.string(),
});

const output = z.object({
  path: z.string(),
  spans: z.array(Span).describe('Neighbouring lines of one commit together, in the order of the file.'),
  truncated: Truncated,
});
type Input = z.output<typeof input>;
type Output = z.input<typeof output>;
type Span = Output['spans'][number];

/** Reports the author and commit of each line of a file. */
export const gitBlame = projectTool({
  name: 'git_blame',
  title: 'Git blame',
  description: 'Commit, author and date of each line. Reads only.',
  input,
  output,
  run,
});

async function run(request: Input, context: ToolContext): Promise<Result<ToolAnswer<Output>>> {
  if (request.to !== undefined && request.to < request.from) {
    return err(appError('TOOL', 'INVALID_ARGUMENTS', `to (${request.to}) is before from (${request.from}).`));
  }
  const opened = await openRepository(context);
  if (!opened.ok) return opened;
  const pathspec = opened.value.pathspec(request.path);
  if (!pathspec.ok) return pathspec;
  const commit = request.revision === undefined ? ok(null) : await opened.value.commit(request.revision);
  if (!commit.ok) return commit;
  const { last, lookedAt } = rangeOf(request);
  const flags = ['--no-textconv', '--line-porcelain', '-L', `${request.from},${lookedAt}`];
  const at = commit.value === null ? [] : [commit.value];
  const result = await opened.value.run(['blame', ...flags, ...at, '--', pathspec.value], MAX_BYTES);
  if (!result.ok) return result;
  const lines = readLines(result.value.stdout.toString('utf8'));
  const shown = lines.filter(({ number }) => number <= last);
  const truncated = result.value.truncated || lines.length > shown.length;
  const spans = spansOf(shown);
  return ok({ structured: { path: pathspec.value, spans, truncated }, text: describeSpans(spans) });
}

/** The last line to return, and the last line to read: one more at the limit, to see whether there are more. */
function rangeOf(request: Input): { readonly last: number; readonly lookedAt: number } {
  const lastAllowed = request.from + MAX_LINES - 1;
  if (request.to !== undefined && request.to <= lastAllowed)
    return { last: request.to, lookedAt: request.to };
  return { last: lastAllowed, lookedAt: lastAllowed + 1 };
}

interface BlamedLine extends Omit<Span, 'from' | 'to'> {
  readonly number: number;
}

/** Parses `--line-porcelain`: each line has its commit's header, followed by the line itself after a tab. */
function readLines(text: string): BlamedLine[] {
  const lines: BlamedLine[] = [];
  let header = new Map<string, string>();
  for (const row of text.split('\n')) {
    const start = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(row);
    if (start !== null)
      header = new Map([
        ['hash', start[1] ?? ''],
        ['number', start[2] ?? ''],
      ]);
    else if (row.startsWith('\t')) lines.push(lineOf(header));
    else header.set(row.split(' ', 1)[0] ?? '', row.slice(row.indexOf(' ') + 1));
  }
  return lines;
}

function lineOf(header: ReadonlyMap<string, string>): BlamedLine {
  const field = (name: string): string => header.get(name) ?? '';
  const hash = field('hash');
  return {
    number: Number(field('number')),
    hash: /^0+$/.test(hash) ? null : hash,
    author: field('author'),
    email: field('author-mail').replace(/^<|>$/g, ''),
    date: new Date(Number(field('author-time')) * 1000).toISOString(),
    subject: field('summary'),
  };
}

function spansOf(lines: readonly BlamedLine[]): Span[] {
  const spans: Span[] = [];
  for (const { number, ...commit } of lines) {
    const last = spans.at(-1);
    if (last?.hash === commit.hash && last.to === number - 1) last.to = number;
    else spans.push({ from: number, to: number, ...commit });
  }
  return spans;
}

function describeSpans(spans: readonly Span[]): string {
  const rows = spans.map(({ from, to, hash, author }) => {
    const where = from === to ? `${from}` : `${from}-${to}`;
    return `${where}: ${author} (${hash === null ? 'not committed' : hash.slice(0, 10)})`;
  });
  return rows.join('\n');
}
