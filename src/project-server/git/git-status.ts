import { z } from 'zod';
import { ok, type Result } from '#shared/result';
import { projectTool, type ToolAnswer, type ToolContext } from '../tool';
import { PathInRepository, Truncated } from './git-fields';
import { fieldsOf, openRepository } from './git-repository';

const MAX_BYTES = 4_000_000;

const input = z.strictObject({
  path: PathInRepository,
  limit: z.number().int().min(1).max(5_000).default(1_000).describe('At most this many files.'),
});

const State = z
  .enum(['added', 'modified', 'deleted', 'renamed', 'copied', 'type-changed', 'unmerged'])
  .meta({ title: 'Change' });

const ChangedFile = z.object({
  path: z.string(),
  from: z.string().optional().describe('Where a renamed or copied file was before.'),
  staged: State.nullable().describe('How the index differs from the last commit.'),
  unstaged: State.nullable().describe('How the file differs from the index.'),
  untracked: z.boolean(),
});

const output = z.object({
  branch: z.string().nullable().describe('Null when no branch is checked out.'),
  head: z.string().nullable().describe('Null before the first commit.'),
  upstream: z.string().nullable(),
  ahead: z.number().int().nonnegative(),
  behind: z.number().int().nonnegative(),
  clean: z.boolean(),
  files: z.array(ChangedFile),
  truncated: Truncated,
});
type Output = z.input<typeof output>;
type ChangedFile = Output['files'][number];

/** Lists the changes since the last commit. */
export const gitStatus = projectTool({
  name: 'git_status',
  title: 'Git status',
  description: 'Branch and changed, staged, unmerged or untracked files. Reads only.',
  input,
  output,
  run,
});

const ARGS = [
  'status',
  '--porcelain=v2',
  '-z',
  '--branch',
  '--untracked-files=all',
  '--ignore-submodules=dirty',
  '--find-renames',
];

async function run(
  request: z.output<typeof input>,
  context: ToolContext,
): Promise<Result<ToolAnswer<Output>>> {
  const opened = await openRepository(context);
  if (!opened.ok) return opened;
  const pathspec = opened.value.pathspec(request.path ?? '');
  if (!pathspec.ok) return pathspec;
  const result = await opened.value.run([...ARGS, '--', pathspec.value], MAX_BYTES);
  if (!result.ok) return result;
  const { files, header } = readStatus(fieldsOf(result.value.stdout), opened.value.prefix);
  const structured: Output = {
    ...header,
    clean: files.length === 0,
    files: files.slice(0, request.limit),
    truncated: result.value.truncated || files.length > request.limit,
  };
  return ok({ structured, text: describeStatus(structured) });
}

type Header = Pick<Output, 'branch' | 'head' | 'upstream' | 'ahead' | 'behind'>;

/**
 * Parses porcelain format 2: header lines, then one record per file; the old path follows the record of a
 * renamed file.
 */
function readStatus(
  records: readonly string[],
  prefix: string,
): { readonly header: Header; readonly files: ChangedFile[] } {
  let header: Header = { branch: null, head: null, upstream: null, ahead: 0, behind: 0 };
  const files: ChangedFile[] = [];
  const within = (path: string): string => (path.startsWith(prefix) ? path.slice(prefix.length) : path);
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? '';
    if (record.startsWith('# ')) header = { ...header, ...headerOf(record) };
    const file = fileOf(record);
    if (file === null) continue;
    const from = record.startsWith('2 ') ? records[(at += 1)] : undefined;
    files.push({ ...file, path: within(file.path), ...(from !== undefined && { from: within(from) }) });
  }
  return { header, files };
}

function headerOf(record: string): Partial<Header> {
  const [, key, value = '', second = ''] = record.split(' ');
  switch (key) {
    case 'branch.oid':
      return { head: value === '(initial)' ? null : value };
    case 'branch.head':
      return { branch: value === '(detached)' ? null : value };
    case 'branch.upstream':
      return { upstream: value };
    case 'branch.ab':
      return { ahead: Number(value), behind: Math.abs(Number(second)) };
    default:
      return {};
  }
}

/** The number of fields before the path, by kind of record. */
const FIELDS_BEFORE_PATH: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10 };

function fileOf(record: string): ChangedFile | null {
  if (record.startsWith('? ')) {
    return { path: record.slice(2), staged: null, unstaged: null, untracked: true };
  }
  const before = FIELDS_BEFORE_PATH[record.split(' ', 1)[0] ?? ''];
  if (before === undefined) return null;
  const parts = record.split(' ');
  const path = parts.slice(before).join(' ');
  if (record.startsWith('u ')) return { path, staged: 'unmerged', unstaged: 'unmerged', untracked: false };
  const [staged = '.', unstaged = '.'] = parts[1] ?? '';
  return { path, staged: STATES[staged] ?? null, unstaged: STATES[unstaged] ?? null, untracked: false };
}

const STATES: Readonly<Record<string, z.infer<typeof State>>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type-changed',
  U: 'unmerged',
};

function describeStatus(status: Output): string {
  const where = status.branch === null ? 'no branch checked out' : `on ${status.branch}`;
  const more = status.truncated ? ' or more' : '';
  return status.clean ? `Clean, ${where}.` : `${status.files.length}${more} changed files, ${where}.`;
}
