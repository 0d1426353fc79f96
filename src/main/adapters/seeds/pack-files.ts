import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { rowFolders } from './read-layer';

/** What a pack may bring; nothing else is copied. */
const parts: ReadonlySet<string> = new Set([
  'pack.json',
  'README.md',
  'LICENSE',
  'LICENSE.md',
  ...rowFolders,
]);

/** `copying` may be incomplete, `installing` is complete. Folders whose names begin with a dot are not packs. */
const hidden = (packs: string, state: 'copying' | 'installing' | 'removed', id: string): string =>
  path.join(packs, `.${state}-${id}`);

const notWritten = (what: string, cause: unknown) =>
  appError('HOST', 'STORAGE', `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    hint: 'Check the free space and the permissions of Patina’s folder, then try again.',
  });

/** A copy has the modes of its source, which others may read; Patina's files are for their owner alone. */
async function makePrivate(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const inside = path.join(folder, entry.name);
    await (entry.isDirectory() ? makePrivate(inside) : chmod(inside, 0o600));
  }
}

/** Copies the parts of a pack, without links; a link could lead to files that the user never chose. */
async function copyParts(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true, mode: 0o700 });
  const filter = (file: string): boolean => {
    const [top = ''] = path.relative(from, file).split(path.sep);
    const stat = lstatSync(file);
    return (top === '' || parts.has(top)) && (stat.isFile() || stat.isDirectory());
  };
  await cp(from, to, { recursive: true, filter });
  await makePrivate(to);
}

/** Moves a pack's folder aside; it replaces the folder of an earlier removal. */
function putAside(packs: string, id: string): void {
  const aside = hidden(packs, 'removed', id);
  rmSync(aside, { recursive: true, force: true });
  renameSync(path.join(packs, id), aside);
}

/** Puts a complete copy in its place. */
function placeCopy(packs: string, id: string): void {
  if (existsSync(path.join(packs, id))) putAside(packs, id);
  renameSync(hidden(packs, 'installing', id), path.join(packs, id));
}

/**
 * Copies a pack into the folder of packs, in place of an installed one with the same id, which is moved aside.
 * The new folder appears complete or not at all; `finishInstalls` completes what a crash interrupted. Errors:
 * HOST/STORAGE.
 */
export async function installPack(packs: string, from: string, id: string): Promise<Result<null>> {
  try {
    const copied = hidden(packs, 'installing', id);
    await rm(copied, { recursive: true, force: true });
    await copyParts(from, hidden(packs, 'copying', id));
    await rename(hidden(packs, 'copying', id), copied);
    placeCopy(packs, id);
    return ok(null);
  } catch (cause) {
    return err(notWritten('The pack could not be installed', cause));
  }
}

/** The names in a folder; none when it is missing or cannot be read, which the reader of the packs reports. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Places the complete copies of packs whose installation a crash interrupted. */
export function finishInstalls(packs: string): void {
  const start = path.basename(hidden(packs, 'installing', ''));
  for (const name of namesIn(packs).filter((found) => found.startsWith(start))) {
    try {
      placeCopy(packs, name.slice(start.length));
    } catch {
      // A folder that cannot be written stays as it is until the next start.
    }
  }
}

/** Takes a pack out of the folder of packs and puts it aside. Errors: HOST/STORAGE. */
export function removePack(packs: string, id: string): Result<null> {
  try {
    putAside(packs, id);
    return ok(null);
  } catch (cause) {
    return err(notWritten('The pack could not be removed', cause));
  }
}
