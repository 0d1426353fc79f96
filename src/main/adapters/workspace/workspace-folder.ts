import { lstatSync, opendirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConfigProblem } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type {
  FileStamp,
  KnownFile,
  ReadFile,
  WantedFile,
  WorkspaceFolder,
} from '../../../core/ports/workspace-files';
import { faultOf, readOne, readPart, stampOf, type FileFault, type ReadPart } from './read-file';

export interface FolderLimits {
  readonly textBytes: number;
  readonly imageBytes: number;
  readonly totalBytes: number;
  readonly folderNames: number;
}

export interface WorkspaceFolderDeps {
  /** Absolute path. */
  readonly root: string;
  readonly limits: FolderLimits;
  readonly readPart?: ReadPart;
}

/** How long reading may block the event loop, in milliseconds. */
const sliceMs = 8;

const outside: FileFault = { rule: 'outside', reason: 'It is outside the workspace folder.' };
const caseTrick: FileFault = {
  rule: 'case',
  reason: 'Its name on the disk differs in case from this name.',
};

/** Systems with case-insensitive file names. */
const foldsCase = process.platform === 'darwin' || process.platform === 'win32';

const isFault = (found: string | FileFault): found is FileFault => typeof found !== 'string';

/** Resolves the real folders below a root, each one once. No folder may be reached through a link. */
function createLookup(root: string) {
  const folders = new Map<string, string | FileFault>();
  const names = new Map<string, ReadonlySet<string>>();

  const folderAt = (relative: string): string | FileFault => {
    try {
      const realRoot = realpathSync.native(root);
      const wanted = path.join(realRoot, relative);
      const real = realpathSync.native(wanted);
      if (real === wanted) return real;
      const inside = real.startsWith(realRoot + path.sep);
      if (inside && real.toLowerCase() === wanted.toLowerCase()) return caseTrick;
      return inside ? faultOf({ code: 'ELOOP' }) : outside;
    } catch (error) {
      const fault = faultOf(error);
      return fault.rule === 'link' ? { rule: 'link-loop', reason: 'Links form a cycle.' } : fault;
    }
  };

  const namesIn = (folder: string): ReadonlySet<string> => {
    const known = names.get(folder) ?? new Set(readdirSync(folder));
    names.set(folder, known);
    return known;
  };

  /** Returns the absolute path of a file, or why it may not be opened. */
  return (relative: string): string | FileFault => {
    const cut = relative.lastIndexOf('/');
    const parent = cut === -1 ? '.' : relative.slice(0, cut);
    let folder = folders.get(parent);
    if (folder === undefined) {
      folder = folderAt(parent);
      folders.set(parent, folder);
    }
    if (isFault(folder)) return folder;
    const name = relative.slice(cut + 1);
    const file = `${folder}${path.sep}${name}`;
    if (!foldsCase) return file;
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) return faultOf({ code: 'ELOOP' });
    return stat && !namesIn(folder).has(name) ? caseTrick : file;
  };
}

/** Yields to the event loop when the time slice is used up; checking costs almost nothing. */
function createPause() {
  let started = performance.now();
  return {
    due: () => performance.now() - started >= sliceMs,
    async rest(): Promise<void> {
      await nextTurn();
      started = performance.now();
    },
  };
}

function linkFault(file: string, fault: FileFault): FileFault {
  if (fault.rule !== 'link') return fault;
  try {
    realpathSync.native(file);
    return fault;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'ELOOP' ? { rule: 'link-loop', reason: 'Links form a cycle.' } : fault;
  }
}

type Found = Result<ReadonlyMap<string, ReadFile>, readonly ConfigProblem[]>;

/** Collects the files as they are read. */
function createCollection({ root, limits, readPart: read = readPart }: WorkspaceFolderDeps) {
  const lookup = createLookup(root);
  const files = new Map<string, ReadFile>();
  const problems: ConfigProblem[] = [];
  let total = 0;
  const readWanted = ({ path: name, kind }: WantedFile) => {
    const file = lookup(name);
    if (isFault(file)) return file;
    const maxBytes = kind === 'image' ? limits.imageBytes : limits.textBytes;
    const found = readOne(file, { maxBytes, read, withBytes: true });
    return 'rule' in found ? linkFault(file, found) : found;
  };
  return {
    take(wanted: WantedFile): void {
      // The caller reports the total limit; this check only limits memory.
      if (total > limits.totalBytes) return;
      const found = readWanted(wanted);
      if ('rule' in found) {
        const { path: file, from } = wanted;
        const named = from.file === file ? '' : ` (named by ${from.file}, ${from.field})`;
        problems.push({ ...found, file, field: '', reason: `${found.reason}${named}` });
      } else {
        files.set(wanted.path, found);
        total += found.bytes.length;
      }
    },
    found: (): Found => (problems.length > 0 ? err(problems) : ok(files)),
  };
}

type Listing = ReturnType<WorkspaceFolder['list']>;

/**
 * The JSON files of a folder; null when there are more than `most`, so that a folder of a hundred thousand
 * files is not read to its end.
 */
function jsonNames(folder: string, maxFiles: number): readonly string[] | null {
  const opened = opendirSync(folder);
  const names: string[] = [];
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      if (entry.name.endsWith('.json') && !entry.name.startsWith('.')) names.push(entry.name);
      if (names.length > maxFiles) return null;
    }
    return names.sort();
  } finally {
    opened.closeSync();
  }
}

/** The problem with the root itself; null when it is a folder. */
function rootFault(root: string): FileFault | null {
  try {
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory()) return null;
    return { rule: 'folder', reason: `The workspace folder ${root} does not exist.` };
  } catch (error) {
    return faultOf(error);
  }
}

function listJson(root: string, name: string, maxFiles: number): Listing {
  const fail = ({ rule, reason }: FileFault, file = name): Listing =>
    err([{ file, field: '', rule, reason }]);
  const fault = rootFault(root);
  if (fault) return fail(fault, '.');
  const file = createLookup(root)(`${name}/x`);
  if (isFault(file)) return file.rule === 'exists' ? ok(null) : fail(file);
  try {
    const names = jsonNames(path.dirname(file), maxFiles);
    return names ? ok(names) : fail({ rule: 'count', reason: `It contains more than ${maxFiles} files.` });
  } catch (error) {
    return fail(faultOf(error));
  }
}

/** The stamp of a regular file; null for anything else, and for anything inaccessible. */
function stampAt(file: string): FileStamp | null {
  try {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    return stat?.isFile() ? stampOf(stat) : null;
  } catch {
    return null;
  }
}

/** Reads all files in order and yields to the event loop in between. */
async function readAll(deps: WorkspaceFolderDeps, wanted: readonly WantedFile[]): Promise<Found> {
  const collection = createCollection(deps);
  const pause = createPause();
  for (const each of wanted) {
    collection.take(each);
    if (pause.due()) await pause.rest();
  }
  return collection.found();
}

/** The stamps of the files if each one still has its known content; null at the first mismatch. */
async function stampsOfSame(
  { root, readPart: read = readPart }: WorkspaceFolderDeps,
  known: readonly KnownFile[],
): Promise<readonly (FileStamp | null)[] | null> {
  const lookup = createLookup(root);
  const pause = createPause();
  const stamps: (FileStamp | null)[] = [];
  for (const { path: name, size, sha256 } of known) {
    const file = lookup(name);
    const found = isFault(file) ? file : readOne(file, { maxBytes: size, read, withBytes: false });
    if ('rule' in found || found.sha256 !== sha256) return null;
    stamps.push(found.stamp);
    if (pause.due()) await pause.rest();
  }
  return stamps;
}

/** Reads the folder of one workspace. */
export function createWorkspaceFolder(deps: WorkspaceFolderDeps): WorkspaceFolder {
  const { root, limits } = deps;
  return {
    root,
    read: (wanted) => readAll(deps, wanted),
    same: (known) => stampsOfSame(deps, known),
    readNow(wanted) {
      const collection = createCollection(deps);
      wanted.forEach(collection.take);
      return collection.found();
    },
    list: (folder) => listJson(root, folder, limits.folderNames),
    async stamps(paths) {
      const lookup = createLookup(root);
      const pause = createPause();
      const stamps: (FileStamp | null)[] = [];
      for (const each of paths) {
        const file = lookup(each);
        stamps.push(isFault(file) ? null : stampAt(file));
        if (pause.due()) await pause.rest();
      }
      return stamps;
    },
  };
}
