import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { usableIgnoreLines } from '#shared/ignore-lines';
import { reasonOf } from './file-problem';

/** The rules of one folder's ignore file and of its parent folders. */
interface IgnoreRules {
  /** The folder that the patterns are relative to, root-relative with a trailing slash, or `''`. */
  readonly base: string;
  readonly rules: Ignore;
  readonly above: IgnoreRules | null;
}

const MAX_IGNORE_FILE_BYTES = 1_000_000;
const CASELESS = process.platform === 'win32' || process.platform === 'darwin';

/**
 * Whether git ignores this path: the nearest file with a matching rule decides. A folder's path ends in a
 * slash.
 */
function isIgnored(rules: IgnoreRules | null, relative: string): boolean {
  for (let level = rules; level !== null; level = level.above) {
    const verdict = verdictOf(level.rules, relative.slice(level.base.length));
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

/** A folder that no pattern can match. */
const ELSEWHERE = '\u0001';

/**
 * The package also reports a path as ignored when a parent folder is. The walk enters such a folder only when
 * a nearer file includes it again; then, as in git, only the rules about the name itself count.
 */
function verdictOf(rules: Ignore, relative: string): { ignored: boolean; unignored: boolean } {
  const verdict = rules.test(relative);
  const slash = relative.lastIndexOf('/', relative.length - 2);
  if (!verdict.ignored || slash === -1 || !rules.ignores(relative.slice(0, slash + 1))) return verdict;
  return rules.test(`${ELSEWHERE}${relative.slice(slash)}`);
}

/**
 * Adds a folder's own `.gitignore` (for the root, also `.git/info/exclude` below it) to the rules of its
 * parents.
 */
async function rulesIn(root: string, folder: string, above: IgnoreRules | null): Promise<IgnoreRules | null> {
  const base = folder === '' ? '' : `${folder}/`;
  const repository =
    folder === '' ? await read(path.join(root, '.git', 'info', 'exclude'), base, above) : above;
  return read(path.join(root, folder, '.gitignore'), base, repository);
}

async function read(file: string, base: string, above: IgnoreRules | null): Promise<IgnoreRules | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    // A missing or unreadable ignore file ignores nothing, as in git.
    return above;
  }
  if (text.length > MAX_IGNORE_FILE_BYTES) return above;
  return { base, rules: ignore({ ignorecase: CASELESS }).add(usableIgnoreLines(text)), above };
}

export interface UnreadableFile {
  readonly path: string;
  readonly reason: string;
}

export interface Walk {
  /** Root-relative POSIX paths of regular files, in code-unit order. */
  readonly files: readonly string[];
  /** Entries skipped on purpose. An ignored folder counts once. */
  readonly skipped: { readonly ignored: number; readonly links: number; readonly special: number };
  /** Folders that could not be read. */
  readonly failed: readonly UnreadableFile[];
  /** Whether the walk stopped at `maxFiles`. */
  readonly incomplete: boolean;
}

export interface WalkRequest {
  readonly root: string;
  /** Root-relative folder to start in; `''` is the root. */
  readonly start: string;
  readonly includeIgnored: boolean;
  readonly signal: AbortSignal;
  readonly maxFiles?: number;
}

/** Git's own folder and Patina's are not project content, at any depth. */
const PRIVATE_FOLDERS: ReadonlySet<string> = new Set(['.git', '.patina']);
const FOLDERS_AT_ONCE = 16;
const MAX_FILES = 1_000_000;

interface Folder {
  readonly relative: string;
  readonly rules: IgnoreRules | null;
}

interface Finding {
  files: string[];
  folders: Folder[];
  ignored: number;
  links: number;
  special: number;
  failed: UnreadableFile[];
}

/**
 * Lists every regular file below a folder. Neither follows nor lists links, so no file appears twice or lies
 * outside the root.
 */
export async function walk(request: WalkRequest): Promise<Walk> {
  const found: Finding = { files: [], folders: [], ignored: 0, links: 0, special: 0, failed: [] };
  const limit = request.maxFiles ?? MAX_FILES;
  found.folders.push({ relative: request.start, rules: await rulesAbove(request) });
  while (found.folders.length > 0 && found.files.length <= limit) {
    request.signal.throwIfAborted();
    const next = found.folders.splice(-FOLDERS_AT_ONCE);
    await Promise.all(next.map((folder) => readFolder(request, folder, found)));
  }
  const incomplete = found.files.length > limit;
  const { ignored, links, special } = found;
  const byPath = (a: UnreadableFile, b: UnreadableFile): number => (a.path < b.path ? -1 : 1);
  return {
    files: found.files.sort().slice(0, limit),
    skipped: { ignored, links, special },
    failed: found.failed.sort(byPath),
    incomplete,
  };
}

/**
 * The rules of the folders from the root down to the start; none when the start itself is ignored, because
 * the caller named it.
 */
async function rulesAbove({ root, start, includeIgnored }: WalkRequest): Promise<IgnoreRules | null> {
  if (includeIgnored || start === '') return null;
  let rules: IgnoreRules | null = null;
  const parts = start.split('/');
  for (let depth = 0; depth < parts.length; depth += 1) {
    rules = await rulesIn(root, parts.slice(0, depth).join('/'), rules);
    if (isIgnored(rules, `${parts.slice(0, depth + 1).join('/')}/`)) return null;
  }
  return rules;
}

async function readFolder(request: WalkRequest, folder: Folder, found: Finding): Promise<void> {
  let entries: Dirent[];
  try {
    entries = await readdir(path.join(request.root, folder.relative), { withFileTypes: true });
  } catch (error) {
    found.failed.push({ path: folder.relative === '' ? '.' : folder.relative, reason: reasonOf(error) });
    return;
  }
  const rules = request.includeIgnored ? null : await rulesFor(request.root, folder, entries);
  for (const entry of entries) sort(entry, folder.relative, rules, found);
}

/**
 * Reads ignore files only where the listing shows one: a failed open per folder would double the cost of a
 * walk.
 */
async function rulesFor(
  root: string,
  folder: Folder,
  entries: readonly Dirent[],
): Promise<IgnoreRules | null> {
  const mayContain = (name: string): boolean =>
    name === '.gitignore' || (folder.relative === '' && name === '.git');
  return entries.some((entry) => mayContain(entry.name))
    ? rulesIn(root, folder.relative, folder.rules)
    : folder.rules;
}

function sort(entry: Dirent, folder: string, rules: IgnoreRules | null, found: Finding): void {
  const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
  if (PRIVATE_FOLDERS.has(entry.name)) return;
  if (entry.isSymbolicLink()) found.links += 1;
  else if (entry.isDirectory()) {
    if (isIgnored(rules, `${relative}/`)) found.ignored += 1;
    else found.folders.push({ relative, rules });
  } else if (!entry.isFile()) found.special += 1;
  else if (isIgnored(rules, relative)) found.ignored += 1;
  else found.files.push(relative);
}
