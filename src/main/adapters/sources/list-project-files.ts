import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { appError } from '#shared/app-error';
import { usableIgnoreLines } from '#shared/ignore-lines';
import { err, ok, type Result } from '#shared/result';
import type { ListProjectFiles, ProjectFiles } from '../../../core/ports/project-files';

/** Nobody picks from more files than this; search finds the rest. */
const maxFiles = 200_000;
const foldersAtOnce = 16;
const maxIgnoreBytes = 1_000_000;
const caseless = process.platform === 'win32' || process.platform === 'darwin';
/** Git's own folder and Patina's contain no project content. */
const privateNames: ReadonlySet<string> = new Set(['.git', '.patina']);

/** The rules of one ignore file for the paths below its folder, on top of the rules of its parent folders. */
interface Rules {
  readonly base: string;
  readonly own: Ignore;
  readonly above: Rules | null;
}

interface Folder {
  readonly relative: string;
  readonly rules: Rules | null;
}

interface Walk {
  readonly root: string;
  readonly files: string[];
  readonly folders: Folder[];
}

async function readRules(file: string, base: string, above: Rules | null): Promise<Rules | null> {
  try {
    const text = await readFile(file, 'utf8');
    if (text.length > maxIgnoreBytes) return above;
    return { base, own: ignore({ ignorecase: caseless }).add(usableIgnoreLines(text)), above };
  } catch {
    // An unreadable ignore file ignores nothing, as in git.
    return above;
  }
}

/** The nearest ignore file with a matching rule decides. A folder's path ends in a slash. */
function isIgnored(rules: Rules | null, relative: string): boolean {
  for (let level = rules; level !== null; level = level.above) {
    const verdict = level.own.test(relative.slice(level.base.length));
    if (verdict.ignored || verdict.unignored) return verdict.ignored;
  }
  return false;
}

async function rulesOf(walk: Walk, folder: Folder, entries: readonly Dirent[]): Promise<Rules | null> {
  const has = (name: string): boolean => entries.some((entry) => entry.name === name);
  const base = folder.relative === '' ? '' : `${folder.relative}/`;
  const root = base === '' && has('.git');
  const above = root ? await readRules(path.join(walk.root, '.git/info/exclude'), '', null) : folder.rules;
  return has('.gitignore') ? readRules(path.join(walk.root, base, '.gitignore'), base, above) : above;
}

const unprintable = /\p{Cc}|\uFFFD/u;

function take(walk: Walk, entry: Dirent, folder: string, rules: Rules | null): void {
  const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
  if (privateNames.has(entry.name) || unprintable.test(entry.name)) return;
  if (entry.isDirectory() && !isIgnored(rules, `${relative}/`)) walk.folders.push({ relative, rules });
  else if (entry.isFile() && !isIgnored(rules, relative)) walk.files.push(relative);
}

async function readFolder(walk: Walk, folder: Folder): Promise<void> {
  const entries = await readdir(path.join(walk.root, folder.relative), { withFileTypes: true });
  const rules = await rulesOf(walk, folder, entries);
  for (const entry of entries) take(walk, entry, folder.relative, rules);
}

/** A subfolder that cannot be read or no longer exists has no files to choose from. */
async function readQuietly(walk: Walk, folder: Folder): Promise<void> {
  try {
    await readFolder(walk, folder);
  } catch (error) {
    if (folder.relative === '') throw error;
  }
}

/**
 * Lists regular files and applies ignore files; neither follows nor lists links. Returns at most 200,000
 * files, those nearest the root.
 */
export const listProjectFiles = listFilesUpTo(maxFiles);

/** The same with a different limit. */
export function listFilesUpTo(maxFiles: number): ListProjectFiles {
  return (project, signal) => list(project, signal, maxFiles);
}

async function list(project: string, signal: AbortSignal, maxFiles: number): Promise<Result<ProjectFiles>> {
  const walk: Walk = { root: project, files: [], folders: [{ relative: '', rules: null }] };
  try {
    while (walk.folders.length > 0 && walk.files.length < maxFiles) {
      if (signal.aborted) return err(appError('HOST', 'CANCELLED', 'Cancelled.'));
      await Promise.all(walk.folders.splice(0, foldersAtOnce).map((folder) => readQuietly(walk, folder)));
    }
    const complete = walk.folders.length === 0 && walk.files.length <= maxFiles;
    return ok({ paths: walk.files.slice(0, maxFiles).sort(), complete });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return err(appError('TOOL', 'NOT_FOUND', `The project folder cannot be read (${code}).`));
  }
}
