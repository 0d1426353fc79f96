import { z } from 'zod';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { projectTool, type ToolAnswer, type ToolContext } from '../tool';
import { PathInRepository, Revision, Truncated } from './git-fields';
import { fieldsOf, openRepository, type GitRepository } from './git-repository';

const MAX_LIST_BYTES = 4_000_000;

const input = z.strictObject({
  from: Revision.optional().describe('Compare with this commit; without it, with the last one.'),
  to: Revision.optional().describe('The later commit; without it, the files as they are now.'),
  staged: z.boolean().default(false).describe('The index instead of the files; not together with to.'),
  path: PathInRepository,
  context: z.number().int().min(0).max(50).default(3).describe('Unchanged lines around each change.'),
  maxBytes: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(128_000)
    .describe('Cut the patch after the last whole line that fits; 0 gives the list of files alone.'),
});

const output = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      from: z.string().optional().describe('Where a renamed or copied file was before.'),
      change: z.string().describe('added, modified, deleted, renamed, copied, type-changed or unmerged.'),
      added: z.number().int().nonnegative().nullable().describe('Lines; null for a binary file.'),
      removed: z.number().int().nonnegative().nullable(),
    }),
  ),
  patch: z.string().describe('Unified diff; untracked files are not in it.'),
  truncated: Truncated,
});
type Input = z.output<typeof input>;
type Output = z.input<typeof output>;

/** Compares two states of the project. */
export const gitDiff = projectTool({
  name: 'git_diff',
  title: 'Git diff',
  description:
    'What differs between two commits, or a commit and now. Gives a list of files with counts, and a unified patch. Without arguments: everything not committed yet (untracked files are listed by git_status). Reads only.',
  input,
  output,
  run,
});

const FLAGS = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--ignore-submodules=dirty',
  '--submodule=short',
  '--find-renames',
  '--relative',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

async function run(request: Input, context: ToolContext): Promise<Result<ToolAnswer<Output>>> {
  if (request.staged && request.to !== undefined) {
    return err(appError('TOOL', 'INVALID_ARGUMENTS', 'Give `to` or `staged`, not both.'));
  }
  const opened = await openRepository(context);
  if (!opened.ok) return opened;
  const sides = await sidesOf(request, opened.value);
  if (!sides.ok) return sides;
  const pathspec = opened.value.pathspec(request.path ?? '');
  if (!pathspec.ok) return pathspec;
  return compare(request, opened.value, [...sides.value, '--', pathspec.value]);
}

async function compare(
  request: Input,
  repository: GitRepository,
  rest: readonly string[],
): Promise<Result<ToolAnswer<Output>>> {
  const list = ['diff', ...FLAGS, '--raw', '--numstat', '-z', ...rest];
  const listed = await repository.run(list, MAX_LIST_BYTES);
  if (!listed.ok) return listed;
  const files = readChanges(fieldsOf(listed.value.stdout));
  const patch = await patchOf(request, repository, rest);
  if (!patch.ok) return patch;
  const truncated = listed.value.truncated || patch.value.truncated;
  return ok({
    structured: { files, patch: patch.value.text, truncated },
    text: patch.value.text === '' ? `${files.length} files differ.` : patch.value.text,
  });
}

/**
 * The commits to compare, as full hashes: git never receives a name that it could interpret as something
 * else.
 */
async function sidesOf(request: Input, repository: GitRepository): Promise<Result<string[]>> {
  const from = await repository.commit(request.from ?? 'HEAD');
  const first = from.ok || request.from !== undefined ? from : await emptyTree(repository);
  if (!first.ok) return first;
  if (request.staged) return ok(['--cached', first.value]);
  if (request.to === undefined) return ok([first.value]);
  const to = await repository.commit(request.to);
  return to.ok ? ok([first.value, to.value]) : to;
}

/**
 * The empty tree, to which everything is compared before the first commit; its hash depends on the object
 * format.
 */
async function emptyTree(repository: GitRepository): Promise<Result<string>> {
  const format = await repository.run(['rev-parse', '--show-object-format'], 1_000);
  if (!format.ok) return format;
  return ok(
    format.value.stdout.toString('utf8').trim() === 'sha256'
      ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
      : '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  );
}

async function patchOf(
  request: Input,
  repository: GitRepository,
  rest: readonly string[],
): Promise<Result<{ readonly text: string; readonly truncated: boolean }>> {
  if (request.maxBytes === 0) return ok({ text: '', truncated: false });
  const result = await repository.run(
    ['diff', ...FLAGS, '--patch', `--unified=${request.context}`, ...rest],
    request.maxBytes,
  );
  if (!result.ok) return result;
  const { stdout, truncated } = result.value;
  const whole = truncated ? stdout.subarray(0, stdout.lastIndexOf(0x0a) + 1) : stdout;
  return ok({ text: whole.toString('utf8'), truncated });
}

/** One file that differs between two states; line counts are null for a binary file. */
export interface FileChange {
  readonly path: string;
  readonly from?: string;
  readonly change: string;
  readonly added: number | null;
  readonly removed: number | null;
}
const CHANGES: Readonly<Record<string, string>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type-changed',
  U: 'unmerged',
};

/**
 * Parses the output of `git diff --raw --numstat -z`: first the state of each file, then their counts in the
 * same order.
 */
function readChanges(fields: readonly string[]): FileChange[] {
  const counts = new Map<string, Pick<FileChange, 'added' | 'removed'>>();
  const states: Pick<FileChange, 'path' | 'from' | 'change'>[] = [];
  let at = 0;
  const next = (): string => fields[at++] ?? '';
  while (at < fields.length) {
    const field = next();
    if (field.startsWith(':')) states.push(stateOf(field, next));
    else readCount(field, next, counts);
  }
  return states.map((state) => ({ ...state, ...(counts.get(state.path) ?? { added: null, removed: null }) }));
}
function stateOf(field: string, next: () => string): Pick<FileChange, 'path' | 'from' | 'change'> {
  const letter = field.slice(field.lastIndexOf(' ') + 1, field.lastIndexOf(' ') + 2);
  const change = CHANGES[letter] ?? 'modified';
  const first = next();
  return letter === 'R' || letter === 'C' ? { change, from: first, path: next() } : { change, path: first };
}

/** Parses `added TAB removed TAB path`; for a rename the path is empty, and the old and new paths follow. */
function readCount(
  field: string,
  next: () => string,
  counts: Map<string, Pick<FileChange, 'added' | 'removed'>>,
): void {
  const [added = '-', removed = '-', ...rest] = field.split('\t');
  const inline = rest.join('\t');
  if (inline === '') next();
  const path = inline === '' ? next() : inline;
  counts.set(path, { added: countOf(added), removed: countOf(removed) });
}
function countOf(text: string): number | null {
  return text === '-' ? null : Number(text);
}
