import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { JsonObject } from '#shared/json';

/** More entries than this are not looked at again for each call: the call itself is no slower. */
const mostEntries = 60_000;
const foldersAtOnce = 16;
/** No part of a project's content for the server that reads it. */
const privateFolders: ReadonlySet<string> = new Set(['.git', '.patina']);

/** Size and change of a file, or that it is not there; to the nanosecond, where the disk has it. */
async function fileMark(file: string): Promise<string> {
  try {
    const stat = await lstat(file, { bigint: true });
    const kind = stat.isDirectory() ? 'd' : stat.isSymbolicLink() ? 'l' : 'f';
    return `${kind} ${stat.size} ${stat.mtimeNs} ${stat.ino}`;
  } catch {
    return 'none';
  }
}

/** Whether the project's own rules leave installed packages out, and nothing takes part of them in again. */
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

/** Every file of the project by name, size and change; null when there are too many to look at, or a folder cannot be read. */
async function treeStamp(root: string, everything: boolean): Promise<string | null> {
  const packages = !everything && (await ignoresPackages(root)) ? ['node_modules'] : [];
  const tree: Tree = { marks: [], folders: [''], skip: new Set([...privateFolders, ...packages]) };
  const names: string[] = [];
  try {
    while (tree.folders.length > 0) {
      const next = tree.folders.splice(-foldersAtOnce);
      names.push(...next);
      await Promise.all(next.map((folder) => readFolder(root, folder, tree)));
      if (tree.marks.length + names.length > mostEntries) return null;
    }
  } catch {
    return null;
  }
  // Rules of git that stand outside the tree decide what is listed.
  const rules = await fileMark(path.join(root, '.git', 'info', 'exclude'));
  const all = [...tree.marks.sort(), ...names.sort(), rules].join('\n');
  return createHash('sha256').update(all).digest('hex');
}

function inside(root: string, named: unknown): string | null {
  if (typeof named !== 'string' || named.includes('\0')) return null;
  const file = path.resolve(root, named);
  return file.startsWith(root + path.sep) ? file : null;
}

async function filesStamp(root: string, named: readonly unknown[]): Promise<string | null> {
  const files = named.map((one) => inside(root, one));
  if (files.some((file) => file === null)) return null;
  const marks = await Promise.all(files.map((file) => fileMark(file ?? '')));
  // Where a link leads is not looked at: what it names may change without it.
  if (marks.some((mark) => mark.startsWith('l'))) return null;
  return createHash('sha256').update(marks.join('\n')).digest('hex');
}

/**
 * How what a tool of the bundled project server reads looks now: size and change of the files it names, of the whole tree
 * for those that list and search. Null for every other tool, and where it cannot be told.
 */
export function createProjectStamp(
  project: string,
): (tool: string, args: JsonObject) => Promise<string | null> {
  const root = path.resolve(project);
  return (tool, args) => {
    switch (tool) {
      case 'read_text':
        return filesStamp(root, [args['path']]);
      case 'hash_files':
        return Array.isArray(args['paths'])
          ? filesStamp(root, args['paths'] as unknown[])
          : Promise.resolve(null);
      case 'list_files':
      case 'search_text':
        return treeStamp(root, args['includeIgnored'] === true);
      default:
        return Promise.resolve(null);
    }
  };
}
