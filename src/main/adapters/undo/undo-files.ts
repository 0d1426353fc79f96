import { constants, type Dirent } from 'node:fs';
import { chmod, lstat, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { maxUndoBytes, sameContent, type PathState, type UndoObstacle } from '#shared/undo';
import type { FileState } from '../../../core/ports/project-files';
import type { UndoFiles } from '../../../core/ports/undo-files';
import { readProjectFile } from '../system/read-project-file';
import type { SavedContents } from './saved-contents';

type Readable = Exclude<FileState, { kind: 'unreadable' }>;

const realOf = async (project: string, relative: string): Promise<string> =>
  path.join(await realpath(project), ...relative.split('/'));

/** The spelling of an existing path on a disk that takes names of different case for one; null: there is none. */
async function otherSpelling(project: string, relative: string): Promise<string | null> {
  try {
    const file = await realOf(project, relative);
    await lstat(file);
    return path
      .relative(await realpath(project), await realpath(file))
      .split(path.sep)
      .join('/');
  } catch {
    return null;
  }
}

/** The state of the path, as the bundled server resolves it; null when undo must not touch it. */
async function resolve(project: string, named: string): Promise<Readable | null> {
  const found = await readProjectFile(project, named, 0);
  if (found.kind === 'unreadable') return null;
  if (found.kind !== 'missing') return found;
  const spelled = await otherSpelling(project, found.path);
  if (spelled === null) return found;
  const reread = await readProjectFile(project, spelled, 0);
  return reread.kind === 'unreadable' || reread.kind === 'missing' ? null : reread;
}

async function stateOf(project: string, found: Readable): Promise<PathState> {
  if (found.kind !== 'file') return { kind: found.kind, path: found.path };
  const { mode } = await lstat(await realOf(project, found.path));
  return { kind: 'file', path: found.path, hash: found.hash, bytes: found.bytes, mode: mode & 0o7777 };
}

async function look(project: string, named: string): Promise<PathState | null> {
  try {
    const found = await resolve(project, named);
    return found && (await stateOf(project, found));
  } catch {
    return null;
  }
}

async function readWhole(file: string): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

async function save(
  contents: SavedContents,
  project: string,
  named: string,
): Promise<Result<PathState, UndoObstacle>> {
  try {
    const found = await resolve(project, named);
    if (!found) return err('outside');
    const state = await stateOf(project, found);
    if (state.kind !== 'file') return ok(state);
    if (state.bytes > maxUndoBytes) return err('too-large');
    const content = await readWhole(await realOf(project, state.path));
    return ok({ ...state, bytes: content.length, hash: contents.put(content) });
  } catch {
    return err('not-saved');
  }
}

/** What file managers put into the folders that they show; they do so again, so it is nobody's work. */
const systemFiles = new Set(['.ds_store', 'thumbs.db', 'desktop.ini']);

const isSystemFile = (entry: Dirent): boolean => entry.isFile() && systemFiles.has(entry.name.toLowerCase());

/** Removes a folder that holds nothing, or nothing but files of the system. */
async function removeFolder(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.every(isSystemFile)) for (const { name } of entries) await rm(path.join(folder, name));
  await rmdir(folder);
}

const maxContents = 10_000;

/**
 * The paths of what a folder holds, at any depth, without files of the system; links are not followed. Null: they are
 * too many.
 */
async function contentsOf(folder: string): Promise<readonly string[] | null> {
  const contents: string[] = [];
  const open = [''];
  for (let inner = open.pop(); inner !== undefined; inner = open.pop()) {
    for (const entry of await readdir(path.join(folder, inner), { withFileTypes: true })) {
      if (isSystemFile(entry)) continue;
      const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
      contents.push(name);
      if (contents.length > maxContents) return null;
      if (entry.isDirectory()) open.push(name);
    }
  }
  return contents.sort();
}

const changed = (path: string) =>
  err(appError('HOST', 'STATE', `${path} changed while it was being undone, so it was left as it is.`));

const notWritten = (path: string, fault: unknown) => {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
  return err(appError('HOST', 'STORAGE', `${path} could not be changed (${code}).`));
};

/** Whether the path has exactly the expected state, and is not a link to it. */
async function matchesState(project: string, expected: PathState): Promise<boolean> {
  const now = await look(project, expected.path);
  return now !== null && now.path === expected.path && sameContent(now, expected);
}

/** Replaces the bytes of a file in one step; the replaced content was checked just before. */
async function replace(file: string, content: Uint8Array, mode: number): Promise<void> {
  const draft = path.join(path.dirname(file), `.${randomUUID()}.patina-undo`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(content);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The files of projects for undo, with the saved contents of a home folder. */
export function createUndoFiles(contents: SavedContents): UndoFiles {
  return {
    look,
    save: (project, named) => save(contents, project, named),
    read: (hash) => contents.read(hash),
    contentsOf: async (project, folder) => {
      try {
        return await contentsOf(await realOf(project, folder));
      } catch {
        return null;
      }
    },
    saveText(text) {
      try {
        return Promise.resolve(contents.put(new TextEncoder().encode(text)));
      } catch {
        return Promise.resolve(null);
      }
    },
    async remove(project, expected) {
      try {
        if (!(await matchesState(project, expected))) return changed(expected.path);
        const file = await realOf(project, expected.path);
        await (expected.kind === 'folder' ? removeFolder(file) : rm(file));
        return ok(null);
      } catch (fault) {
        return notWritten(expected.path, fault);
      }
    },
    async restore(project, expected, to) {
      try {
        if (to.kind !== 'file') return changed(to.path);
        const content = await contents.bytes(to.hash);
        if (typeof content === 'string') return notWritten(to.path, `the saved content is ${content}`);
        if (!(await matchesState(project, expected))) return changed(expected.path);
        await replace(await realOf(project, to.path), content, to.mode);
        return ok(null);
      } catch (fault) {
        return notWritten(to.path, fault);
      }
    },
    async setMode(project, relative, mode) {
      try {
        await chmod(await realOf(project, relative), mode);
        return ok(null);
      } catch (fault) {
        return notWritten(relative, fault);
      }
    },
  };
}
