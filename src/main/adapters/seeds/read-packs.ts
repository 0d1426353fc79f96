import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { ConfigProblem } from '#shared/app-error';
import { err } from '#shared/result';
import type { SeedLayer } from '../../../core/ports/seed-layer';
import { readJsonFile } from '../policy/json-file';
import { outsideOf, readLayer, rowFolders } from './read-layer';

export const PackFile = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  version: z.string().min(1),
  /** Display title. */
  title: z.string().optional(),
  description: z.string().optional(),
});

/** A dangling or circular link must not hide the other folders. */
function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch {
    return false;
  }
}

function subfolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .filter((name) => isFolder(path.join(folder, name)))
      .sort();
  } catch {
    return [];
  }
}

/** Reports folders with unknown names: their rows would silently have no effect. */
function strangers(folder: string): readonly ConfigProblem[] {
  const known: readonly string[] = rowFolders;
  return subfolders(folder)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      file: path.join(folder, name),
      field: '',
      rule: 'pack-layout',
      reason: `A pack cannot have a folder "${name}". It can have: ${known.join(', ')}.`,
    }));
}

/** Reads the pack in a folder. Never throws: the layer lists its problems. */
export function readPack(folder: string): SeedLayer {
  const name = path.basename(folder);
  const file = path.join(folder, 'pack.json');
  const outside = outsideOf(folder, file);
  const found = outside ? err([outside]) : readJsonFile(file, PackFile);
  const missing = {
    file,
    field: '',
    rule: 'exists',
    reason: 'A pack needs a pack.json with id and version.',
  };
  const wrong = found.ok ? (found.value === null ? [missing] : []) : found.error;
  const header = (found.ok ? found.value : null) ?? { id: name, version: '' };
  const layer = readLayer(folder, { name, folder, ...header });
  return { ...layer, problems: [...wrong, ...strangers(folder), ...layer.problems] };
}

/** Why a folder cannot be listed; null for a readable or a missing one. */
function unlistable(folder: string): string | null {
  try {
    readdirSync(folder);
    return null;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? null : code;
  }
}

/** Stands for all packs of a folder that cannot be listed, so that they do not disappear silently. */
function unlistedPacks(folder: string, code: string): SeedLayer {
  const reason = `The folder of the packs cannot be read (${code}); no pack is used.`;
  const name = path.basename(folder);
  return {
    pack: { name, folder, id: name, version: '' },
    folder,
    modes: [],
    toolboxes: [],
    commands: [],
    catalogs: [],
    actions: [],
    recipes: [],
    workflows: [],
    modeProblems: [],
    workflowProblems: [],
    problems: [{ file: folder, field: '', rule: 'readable', reason }],
  };
}

/**
 * Reads the packs in a folder, sorted by name, except the excluded ones; a missing folder has no packs, and one that
 * cannot be listed counts as one pack with that problem.
 */
export function readPacks(folder: string, without: readonly string[]): readonly SeedLayer[] {
  const code = unlistable(folder);
  if (code !== null) return [unlistedPacks(folder, code)];
  return subfolders(folder)
    .filter((name) => !without.includes(name))
    .map((name) => readPack(path.join(folder, name)));
}
