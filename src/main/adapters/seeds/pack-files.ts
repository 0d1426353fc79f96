import { existsSync, lstatSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
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

/** Folders whose names begin with a dot are not packs. */
const hidden = (packs: string, state: 'installing' | 'removed', id: string): string =>
  path.join(packs, `.${state}-${id}`);

const notWritten = (what: string, cause: unknown) =>
  appError('HOST', 'STORAGE', `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    hint: 'Check the free space and the permissions of Patina’s folder, then try again.',
  });

/** Copies the parts of a pack, without links; a link could lead to files that the user never chose. */
async function copyParts(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  const filter = (file: string): boolean => {
    const [top = ''] = path.relative(from, file).split(path.sep);
    const stat = lstatSync(file);
    return (top === '' || parts.has(top)) && (stat.isFile() || stat.isDirectory());
  };
  await cp(from, to, { recursive: true, filter });
}

/** Moves a pack's folder aside; it replaces the folder of an earlier removal. */
async function putAside(packs: string, id: string): Promise<void> {
  const aside = hidden(packs, 'removed', id);
  await rm(aside, { recursive: true, force: true });
  await rename(path.join(packs, id), aside);
}

/**
 * Copies a pack into the folder of packs, in place of an installed one with the same id, which is moved aside.
 * The new folder appears complete or not at all. Errors: HOST/STORAGE.
 */
export async function installPack(packs: string, from: string, id: string): Promise<Result<null>> {
  try {
    const copied = hidden(packs, 'installing', id);
    await copyParts(from, copied);
    if (existsSync(path.join(packs, id))) await putAside(packs, id);
    await rename(copied, path.join(packs, id));
    return ok(null);
  } catch (cause) {
    return err(notWritten('The pack could not be installed', cause));
  }
}

/** Takes a pack out of the folder of packs and puts it aside. Errors: HOST/STORAGE. */
export async function removePack(packs: string, id: string): Promise<Result<null>> {
  try {
    await putAside(packs, id);
    return ok(null);
  } catch (cause) {
    return err(notWritten('The pack could not be removed', cause));
  }
}
