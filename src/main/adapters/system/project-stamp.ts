import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '#shared/json';

/** With more entries than this, checking the tree before each call takes longer than the call itself. */
const maxEntries = 60_000;
const foldersAtOnce = 16;
/** Not project content for the server that reads it. */
const privateFolders: ReadonlySet<string> = new Set(['.git', '.patina']);

/**
 * The size and change time of a file, in nanoseconds where the disk supports it, or that it is missing.
 * No program can set the change time (ctime): a copy that preserves the modification time still changes it.
 */
async function fileMark(file: string): Promise<string> {
  try {
    const stat = await lstat(file, { bigint: true });
    const kind = stat.isDirectory() ? 'd' : stat.isSymbolicLink() ? 'l' : 'f';
    return `${kind} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino}`;
  } catch {
    return 'none';
  }
}

/** Whether the project's own rules ignore installed packages and no rule includes part of them again. */
async function ignoresPackages(root: string): Promise<boolean> {
  const text = await readFile(path.join(root, '.gitignore'), 'utf8').catch(() => '');
  return /^\/?node_modules\/?\s*$/m.test(text) && !/^!/m.test(text);
}

interface Tree {
  readonly marks: string[];
  readonly folders: string[];
  readonly skip: ReadonlySet<string>;
}

async function readFolder(root: string, folder: string, tree: Tree): Promise<void> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      if (tree.skip.has(entry.name)) return;
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) tree.folders.push(relative);
      else tree.marks.push(`${relative} ${await fileMark(path.join(root, relative))}`);
    }),
  );
}

/**
 * Every file of the project by name, size and change time; null when there are too many or a folder cannot be
 * read.
 */
async function treeStamp(root: string, skip: ReadonlySet<string>): Promise<string | null> {
  const tree: Tree = { marks: [], folders: [''], skip };
  const names: string[] = [];
  try {
    while (tree.folders.length > 0) {
      const next = tree.folders.splice(-foldersAtOnce);
      names.push(...next);
      await Promise.all(next.map((folder) => readFolder(root, folder, tree)));
      if (tree.marks.length + names.length > maxEntries) return null;
    }
  } catch {
    return null;
  }
  // Git's rules outside the tree affect the listing.
  const rules = await fileMark(path.join(root, '.git', 'info', 'exclude'));
  const all = [...tree.marks.sort(), ...names.sort(), rules].join('\n');
  return createHash('sha256').update(all).digest('hex');
}

async function searchedTree(root: string, everything: boolean): Promise<string | null> {
  const packages = !everything && (await ignoresPackages(root)) ? ['node_modules'] : [];
  return treeStamp(root, new Set([...privateFolders, ...packages]));
}

/**
 * A name that a server may interpret instead of using it literally: home folder, quotation marks, surrounding
 * spaces.
 */
const readOtherwise = /^[~\s"']|[\s"']$|\\/;

function inside(root: string, named: unknown): string | null {
  if (typeof named !== 'string' || named.includes('\0') || readOtherwise.test(named)) return null;
  const file = path.resolve(root, named);
  return file.startsWith(root + path.sep) ? file : null;
}

async function filesStamp(root: string, named: readonly unknown[]): Promise<string | null> {
  const files = named.map((one) => inside(root, one));
  if (files.some((file) => file === null)) return null;
  const marks = await Promise.all(files.map((file) => fileMark(file ?? '')));
  // The server may resolve a name that does not exist literally.
  if (marks.includes('none')) return null;
  // Link targets are not checked: they may change while the link does not.
  if (marks.some((stamp) => stamp.startsWith('l'))) return null;
  return createHash('sha256').update(marks.join('\n')).digest('hex');
}

const listOf = (value: unknown): readonly unknown[] | null => (Array.isArray(value) ? value : null);
const ofFiles = (root: string, named: readonly unknown[] | null): Promise<string | null> =>
  named === null ? Promise.resolve(null) : filesStamp(root, named);
const none = Promise.resolve(null);

function stampOfProject(root: string, tool: string, args: JsonObject): Promise<string | null> {
  switch (tool) {
    case 'read_text':
      return ofFiles(root, [args['path']]);
    case 'hash_files':
      return ofFiles(root, listOf(args['paths']));
    case 'list_files':
    case 'find_duplicates':
    case 'search_text':
      return searchedTree(root, args['includeIgnored'] === true);
    default:
      return none;
  }
}

/**
 * `get_file_info` returns the last access time and `read_media_file` creates an artifact, so both always run.
 */
function stampOfFilesystem(root: string, tool: string, args: JsonObject): Promise<string | null> {
  switch (tool) {
    case 'read_file':
    case 'read_text_file':
      return ofFiles(root, [args['path']]);
    case 'read_multiple_files':
      return ofFiles(root, listOf(args['paths']));
    case 'list_directory':
    case 'list_directory_with_sizes':
    case 'directory_tree':
    case 'search_files':
      return treeStamp(root, new Set());
    default:
      return none;
  }
}

/** The current state of a read's inputs; null when it cannot be determined. */
export type ProjectStamp = (
  server: string | undefined,
  tool: string,
  args: JsonObject,
) => Promise<string | null>;

/**
 * The current state of the inputs of a bundled server's tool: size and change time of the files it names, or
 * of the whole tree for tools that list and search. Null for every other server and tool, and when it cannot
 * be determined.
 */
export function createProjectStamp(project: string): ProjectStamp {
  const root = path.resolve(project);
  return (server, tool, args) => {
    if (server === 'project') return stampOfProject(root, tool, args);
    return server === 'filesystem' ? stampOfFilesystem(root, tool, args) : none;
  };
}
