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

/** Where the project's own rules ignore installed packages. */
type IgnoredPackages = 'nowhere' | 'at the root' | 'everywhere';

/** The server ignores the rules of a longer file. */
const maxRulesLength = 1_000_000;
const includesAgain = /^!/m;

const rulesOf = (folder: string): Promise<string> =>
  readFile(path.join(folder, '.gitignore'), 'utf8').catch(() => '');

/** Where the root's rules ignore installed packages; nowhere when a rule includes something again. */
async function ignoredPackages(root: string): Promise<IgnoredPackages> {
  const text = await rulesOf(root);
  if (text.length > maxRulesLength || includesAgain.test(text)) return 'nowhere';
  if (/^node_modules\/?\s*$/m.test(text)) return 'everywhere';
  return /^\/node_modules\/?\s*$/m.test(text) ? 'at the root' : 'nowhere';
}

interface Folder {
  /** Root-relative; `''` is the root. */
  readonly relative: string;
  /** Where in this folder and below it installed packages are ignored. */
  readonly packages: IgnoredPackages;
}

interface Tree {
  readonly marks: string[];
  readonly folders: Folder[];
  readonly skip: ReadonlySet<string>;
}

async function readFolder(root: string, { relative: folder, packages }: Folder, tree: Tree): Promise<void> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true });
  const own = folder !== '' && entries.some(({ name }) => name === '.gitignore');
  const includesPackages = own && includesAgain.test(await rulesOf(path.join(root, folder)));
  const ignored = includesPackages ? 'nowhere' : packages;
  const below = ignored === 'everywhere' ? 'everywhere' : 'nowhere';
  await Promise.all(
    entries.map(async (entry) => {
      if (tree.skip.has(entry.name)) return;
      const relative = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!entry.isDirectory()) tree.marks.push(`${relative} ${await fileMark(path.join(root, relative))}`);
      else if (entry.name !== 'node_modules' || ignored === 'nowhere')
        tree.folders.push({ relative, packages: below });
    }),
  );
}

/**
 * Every file of the project by name, size and change time; null when there are too many or a folder cannot be
 * read.
 */
async function treeStamp(
  root: string,
  skip: ReadonlySet<string>,
  packages: IgnoredPackages,
): Promise<string | null> {
  const tree: Tree = { marks: [], folders: [{ relative: '', packages }], skip };
  const names: string[] = [];
  try {
    while (tree.folders.length > 0) {
      const next = tree.folders.splice(-foldersAtOnce);
      names.push(...next.map(({ relative }) => relative));
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

/** A folder that a call names is read also where the rules ignore it. */
const namesPackages = (named: unknown): boolean =>
  typeof named === 'string' && named.toLowerCase().includes('node_modules');

async function searchedTree(root: string, args: JsonObject): Promise<string | null> {
  const everything = args['includeIgnored'] === true || namesPackages(args['path']);
  return treeStamp(root, privateFolders, everything ? 'nowhere' : await ignoredPackages(root));
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
      return searchedTree(root, args);
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
      return treeStamp(root, new Set(), 'nowhere');
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
