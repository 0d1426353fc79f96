import path from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { quoted, relativeToRoot } from '../path-rules';
import type { ToolContext } from '../tool';
import { runGit, type GitOutput } from './run-git';
import { devNull } from 'os';
import { accessSync, constants, statSync } from 'node:fs';

/**
 * Finds git on the search path, as an absolute path outside `folder`; null when there is none. A bare name
 * would let Windows run `git.exe` from the current, untrusted folder.
 */
export function findGit(folder: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const name = process.platform === 'win32' ? 'git.exe' : 'git';
  const searched = environment.PATH ?? environment.Path ?? '';
  for (const place of searched.split(path.delimiter)) {
    if (!path.isAbsolute(place) || isWithin(folder, place)) continue;
    const program = path.join(place, name);
    if (isProgram(program)) return program;
  }
  return null;
}

function isWithin(folder: string, place: string): boolean {
  const relative = path.relative(folder, place);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The repository that contains the project folder; only read, through git. */
export interface GitRepository {
  /**
   * The project folder relative to the repository, POSIX with a trailing slash; `''` when they are the same.
   */
  readonly prefix: string;
  /** Runs git in the project folder, with dangerous settings of the untrusted repository disabled. */
  run(args: readonly string[], maxBytes: number): Promise<Result<GitOutput>>;
  /**
   * The full hash of the commit that a revision names. TOOL/INVALID_ARGUMENTS for an invalid name,
   * TOOL/NOT_FOUND for an unknown one.
   */
  commit(revision: string): Promise<Result<string>>;
  /**
   * Normalizes a path without disk access (the file may be deleted): relative to the project folder and
   * inside it, `.` for the folder.
   */
  pathspec(text: string): Result<string>;
}

const SMALL = 64_000;
const MANY_SETTINGS = 1_000_000;

/** Allows names, hashes, `HEAD~2`, `main@{1}`; no options, ranges, paths within a commit, or searches. */
const REVISION = /^[\p{L}\p{N}_][\p{L}\p{N}_./@{}^~+#-]{0,249}$/u;

/** Opens the repository. TOOL/UNAVAILABLE without git, TOOL/NOT_FOUND outside a repository. */
export async function openRepository(context: ToolContext): Promise<Result<GitRepository>> {
  const folder = context.root.path;
  const program = findGit(folder);
  if (program === null) {
    return err(appError('TOOL', 'UNAVAILABLE', 'Git is not installed, or not in the search path.'));
  }
  const { signal } = context;
  const started = (filters: readonly string[]) => {
    const environment = gitEnvironment(filters);
    return (args: readonly string[], maxBytes: number) =>
      runGit({ program, args, folder, environment, maxBytes, signal });
  };
  const plain = started([]);
  const prefix = await prefixOf(folder, plain);
  if (!prefix.ok) return prefix;
  const settings = await plain(['config', '--list', '--name-only', '-z'], MANY_SETTINGS);
  if (!settings.ok) return settings;
  if (settings.value.truncated) return err(appError('TOOL', 'FAILED', 'The git configuration is too large.'));
  const run = started([...new Set(fieldsOf(settings.value.stdout).filter(startsProgram))]);
  return ok({
    prefix: prefix.value,
    run,
    commit: (revision) => commitOf(run, revision),
    pathspec: (text) => pathspecOf(folder, text),
  });
}

type Run = GitRepository['run'];

/**
 * A repository's settings can name another folder as its work tree: the project folder must lie inside it.
 */
async function prefixOf(folder: string, run: Run): Promise<Result<string>> {
  const top = await run(['rev-parse', '--show-toplevel'], SMALL);
  if (!top.ok) return top;
  const relative = path.relative(path.resolve(lineOf(top.value.stdout)), folder);
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) {
    const message = 'The repository stores its files outside the project folder, so Patina does not read it.';
    return err(appError('TOOL', 'FAILED', message));
  }
  return ok(relative === '' ? '' : `${relative.split(path.sep).join('/')}/`);
}

async function commitOf(run: Run, revision: string): Promise<Result<string>> {
  if (!REVISION.test(revision) || revision.includes('..')) {
    const message = `${quoted(revision)} is not the name of one commit; give a branch, a tag or a hash.`;
    return err(appError('TOOL', 'INVALID_ARGUMENTS', message));
  }
  const found = await run(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
    SMALL,
  );
  if (found.ok) return ok(lineOf(found.value.stdout));
  if (found.error.code !== 'FAILED') return found;
  const message =
    revision === 'HEAD' ? 'There is no commit yet.' : `There is no commit called ${quoted(revision)}.`;
  return err(appError('TOOL', 'NOT_FOUND', message));
}

function pathspecOf(folder: string, text: string): Result<string> {
  const relative = relativeToRoot(text, folder);
  if (!relative.ok) return relative;
  return ok(relative.value === '' ? '.' : relative.value);
}

function lineOf(stdout: Buffer): string {
  return stdout.toString('utf8').replace(/\r?\n$/, '');
}

/** Splits the output of `git -z` into its NUL-terminated fields. Drops a truncated last field. */
export function fieldsOf(stdout: Buffer): string[] {
  const fields = stdout.toString('utf8').split('\0');
  fields.pop();
  return fields;
}

/** Overrides settings that make git run a program, write, or change the output format parsed here. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['core.pager', 'cat'],
  ['core.untrackedCache', 'false'],
  ['core.sshCommand', 'false'],
  ['core.quotePath', 'false'],
  ['color.ui', 'false'],
  ['log.showSignature', 'false'],
  ['blame.ignoreRevsFile', ''],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['diff.orderFile', devNull],
  ['protocol.allow', 'never'],
  // A bare repository hidden among a project's files would bring its own settings.
  ['safe.bareRepository', 'explicit'],
];

/**
 * The environment for git: the caller's without any `GIT_*`, and with the settings above pinned. `filters`
 * names the settings found in the repository (`filter.x.clean`, …) that would start a program; each one is
 * set to empty.
 */
function gitEnvironment(
  filters: readonly string[],
  inherited: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const safeVariables = Object.entries(inherited).filter(([name]) => !/^git_/i.test(name));
  const overrides = [...SETTINGS, ...filters.map((name) => [name, emptied(name)] as const)];
  const settings = new Map<string, string>(
    overrides.flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  );
  return {
    ...Object.fromEntries<string | undefined>(safeVariables),
    ...Object.fromEntries<string | undefined>(settings),
    GIT_CONFIG_COUNT: String(overrides.length),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // An empty list: git may not fetch by any protocol, whatever a remote's URL says.
    GIT_ALLOW_PROTOCOL: '',
    LC_ALL: 'C',
  };
}
function emptied(name: string): string {
  return name.toLowerCase().endsWith('.required') ? 'false' : '';
}

/** Whether a repository setting makes git start a program for a file that it compares. */
function startsProgram(name: string): boolean {
  return /^filter\..+\.(clean|smudge|process|required)$/is.test(name);
}
