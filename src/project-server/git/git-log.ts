import { z } from 'zod';
import { err, ok, type Result } from '#shared/result';
import { projectTool, type ToolAnswer, type ToolContext } from '../tool';
import { PathInRepository, Revision, Truncated } from './git-fields';
import { fieldsOf, openRepository, type GitRepository } from './git-repository';

const MAX_BYTES = 2_000_000;

const input = z.strictObject({
  from: Revision.optional().describe('Only what is not yet in this commit: the last release, for instance.'),
  to: Revision.default('HEAD').describe('Up to this commit.'),
  path: PathInRepository,
  limit: z.number().int().min(1).max(1_000).default(100).describe('At most this many commits, newest first.'),
  skip: z.number().int().min(0).max(1_000_000).default(0).describe('Pass over this many, to read on.'),
});

const Commit = z.object({
  hash: z.string(),
  parents: z.array(z.string()),
  author: z.string(),
  email: z.string(),
  date: z.string().describe('When it was written, ISO 8601 with the zone of its author.'),
  refs: z.array(z.string()).describe('Branches and tags that name it; a tag as "tag: v1.0".'),
  subject: z.string(),
  body: z.string(),
});

const output = z.object({ commits: z.array(Commit), truncated: Truncated });
type Input = z.output<typeof input>;
type Output = z.input<typeof output>;

/** Lists the commits that led to a state. */
export const gitLog = projectTool({
  name: 'git_log',
  title: 'Git log',
  description: 'Commits, newest first. With from, only those since it. Reads only.',
  input,
  output,
  run,
});

const FIELDS = ['%H', '%P', '%an', '%ae', '%aI', '%D', '%s', '%b'] as const;
const FLAGS = ['--no-show-signature', '--no-color', '--encoding=UTF-8', '--decorate=short'];

async function run(request: Input, context: ToolContext): Promise<Result<ToolAnswer<Output>>> {
  const opened = await openRepository(context);
  if (!opened.ok) return opened;
  const range = await rangeOf(request, opened.value);
  if (!range.ok) return range;
  const pathspec = opened.value.pathspec(request.path ?? '');
  if (!pathspec.ok) return pathspec;
  // Pass no path for the whole repository: a path would leave out commits that change no file.
  const paths = pathspec.value === '.' && opened.value.prefix === '' ? [] : [pathspec.value];
  const count = [`--max-count=${request.limit + 1}`, `--skip=${request.skip}`];
  const format = ['-z', `--format=tformat:${FIELDS.join('%x00')}`];
  const result = await opened.value.run(
    ['log', ...FLAGS, ...format, ...count, ...range.value, '--', ...paths],
    MAX_BYTES,
  );
  if (!result.ok) return result;
  const commits = readCommits(fieldsOf(result.value.stdout));
  const truncated = result.value.truncated || commits.length > request.limit;
  const shownCommits = commits.slice(0, request.limit);
  const text = shownCommits.map(({ hash, subject }) => `${hash.slice(0, 10)} ${subject}`).join('\n');
  return ok({ structured: { commits: shownCommits, truncated }, text: text === '' ? 'No commits.' : text });
}

async function rangeOf(request: Input, repository: GitRepository): Promise<Result<string[]>> {
  const to = await repository.commit(request.to);
  if (!to.ok) return to;
  if (request.from === undefined) return ok([to.value]);
  const from = await repository.commit(request.from);
  return from.ok ? ok([to.value, `^${from.value}`]) : err(from.error);
}

function readCommits(fields: readonly string[]): Output['commits'] {
  const commits: Output['commits'] = [];
  for (let at = 0; at + FIELDS.length <= fields.length; at += FIELDS.length) {
    const [hash = '', parents = '', author = '', email = '', date = '', refs = '', subject = '', body = ''] =
      fields.slice(at, at + FIELDS.length);
    commits.push({
      hash,
      parents: listOf(parents, ' '),
      author,
      email,
      date,
      refs: listOf(refs, ', '),
      subject,
      body: body.trimEnd(),
    });
  }
  return commits;
}

function listOf(text: string, separator: string): string[] {
  return text === '' ? [] : text.split(separator);
}
