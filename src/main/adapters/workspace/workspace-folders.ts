import path from 'node:path';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { appError, type AppError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { defaultWorkspace, WorkspaceName } from '#shared/workspace';
import type { WorkspaceFolders } from '../../../core/ports/workspace-files';
import { readJsonFile } from '../policy/json-file';
import { writeFileAtomic } from '../system/atomic-file';
import { createWorkspaceFolder, type FolderLimits } from './workspace-folder';

/**
 * The files in and below a folder, relative to it. The index comes last, so that an interrupted copy is not a
 * workspace.
 */
function filesOf(root: string, index: string): readonly string[] {
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
  return [...found.filter((file) => file !== index), index];
}

const notEmpty = (folder: string, name: string): AppError =>
  appError('HOST', 'STATE', `${folder} is not empty: it has ${name}. Nothing was written.`, {
    hint: 'Choose an empty folder, or bind this one if it already is a workspace.',
  });

/**
 * Copies Patina's workspace, as an example to start from, into an empty folder, which is created when
 * missing. Hidden entries, such as a version control folder, do not count as content. HOST/STATE when the
 * folder has content, HOST/STORAGE when it cannot be written. Never overwrites an existing file.
 */
function writeExample({ seed, index }: { readonly seed: string; readonly index: string }) {
  return (folder: string): Result<null> => {
    try {
      const there = statSync(folder, { throwIfNoEntry: false });
      const names = there?.isDirectory() ? readdirSync(folder) : [];
      const content =
        there && !there.isDirectory() ? path.basename(folder) : names.find((n) => !n.startsWith('.'));
      if (content !== undefined) return err(notEmpty(folder, content));
      for (const file of filesOf(seed, index)) {
        const target = path.join(folder, file);
        mkdirSync(path.dirname(target), { recursive: true });
        writeFileSync(target, readFileSync(path.join(seed, file)), { flag: 'wx' });
      }
      return ok(null);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const hint = 'Choose a writable folder on a disk with free space.';
      return err(appError('HOST', 'STORAGE', `The workspace could not be written: ${reason}`, { hint }));
    }
  };
}

export interface WorkspaceFoldersDeps {
  /** `PATINA_HOME/workspaces.json`: the allowed names and their folders. */
  readonly file: string;
  /** The workspace that ships with Patina. */
  readonly seed: string;
  readonly limits: FolderLimits;
}

const WorkspacesFile = z.strictObject({
  workspaces: z.record(
    WorkspaceName,
    z
      .string()
      .refine((folder) => path.isAbsolute(folder), { message: 'The folder must be an absolute path.' }),
  ),
});

function notAllowed(name: string, allowed: readonly string[]): AppError {
  const hint = `Allowed here: ${allowed.join(', ')}. Add others to workspaces.json in Patina's home folder.`;
  return appError('POLICY', 'CAPABILITY_DENIED', `The workspace "${name}" is not allowed.`, { hint });
}

const taken = (name: string, folder: string): AppError =>
  appError('HOST', 'INVALID_INPUT', `"${name}" is already bound to ${folder}.`, {
    hint: 'Choose another name.',
  });

function save(file: string, folders: ReadonlyMap<string, string>): Result<null> {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileAtomic(file, `${JSON.stringify({ workspaces: Object.fromEntries(folders) }, null, 2)}\n`);
    return ok(null);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(appError('HOST', 'STORAGE', `${file} could not be written: ${reason}`));
  }
}

/** Whether a path exists. An inaccessible path counts as existing: reading it reports the reason. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

const noFolder = (folder: string): AppError =>
  appError('HOST', 'INVALID_INPUT', `There is no folder ${folder}.`, {
    hint: 'Name an existing folder, or create a workspace in a new one.',
  });

/**
 * Resolves workspaces by name. `default` is the project's `.patina/workspace` when that exists, else Patina's
 * own. Every other name must be listed in `workspaces.json`, which is read on each call; otherwise it is
 * refused before any file access.
 */
export function createWorkspaceFolders({ file, seed, limits }: WorkspaceFoldersDeps): WorkspaceFolders {
  const listed = (): Result<ReadonlyMap<string, string>> => {
    const found = readJsonFile(file, WorkspacesFile);
    if (found.ok) return ok(new Map(Object.entries(found.value?.workspaces ?? {})));
    const problems = [...found.error];
    const message = `${file} is not valid: ${problems[0]?.reason ?? ''}`;
    return err(appError('CONFIG', 'INVALID', message, { problems, hint: 'Fix the file, or remove it.' }));
  };
  const defaultRoot = (project: string | null): string => {
    const own = project === null ? null : path.join(project, '.patina', 'workspace');
    return own !== null && isThere(own) ? own : seed;
  };
  /** Adds a name for a folder; changes nothing when the name is already bound to that folder. */
  const withName = (name: string, folder: string): Result<ReadonlyMap<string, string>> => {
    const folders = listed();
    if (!folders.ok) return folders;
    const known = name === defaultWorkspace ? 'the folder of the project' : folders.value.get(name);
    if (known !== undefined && known !== folder) return err(taken(name, known));
    return ok(new Map([...folders.value, [name, folder]]));
  };
  const allow: WorkspaceFolders['allow'] = (name, folder) => {
    const folders = withName(name, folder);
    if (!folders.ok) return folders;
    return isThere(folder) ? save(file, folders.value) : err(noFolder(folder));
  };
  const write = writeExample({ seed, index: 'agent.workspace.json' });
  return {
    allow,
    builtIn: (root) => root === seed,
    create(name, folder) {
      // Check the name first, so that no folder is filled in vain.
      const free = withName(name, folder);
      const written = free.ok ? write(folder) : free;
      return written.ok ? allow(name, folder) : written;
    },
    names: () => {
      const folders = listed();
      return folders.ok ? ok([defaultWorkspace, ...folders.value.keys()]) : folders;
    },
    open: (name, project) => {
      const folders = listed();
      if (!folders.ok) return folders;
      const own = folders.value.get(name);
      const root = name === defaultWorkspace ? (own ?? defaultRoot(project)) : own;
      if (root === undefined) return err(notAllowed(name, [defaultWorkspace, ...folders.value.keys()]));
      return ok(createWorkspaceFolder({ root, limits }));
    },
  };
}
