import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { appError } from '#shared/app-error';
import type { Recipe } from '#shared/recipe';
import { err, ok, type Result } from '#shared/result';
import { codeOf } from '../ddrs/safe-files';
import { writeNew } from '../system/whole-file';

const pack = 'my_recipes';
const asText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Writes a recipe into the user's own pack, which is read at every start like any other; gives its file. Nothing is written over. */
export function saveOwnRecipe(home: string, recipe: Recipe): Result<string> {
  const folder = join(home, 'packs', pack);
  const file = join(folder, 'recipes', `${recipe.id}.json`);
  try {
    mkdirSync(join(folder, 'recipes'), { recursive: true, mode: 0o700 });
    const packFile = join(folder, 'pack.json');
    if (!existsSync(packFile)) writeNew(packFile, asText({ id: pack, version: '1.0.0' }));
    if (writeNew(file, asText(recipe))) return ok(file);
    const hint = 'Choose another id, or delete that file first.';
    return err(appError('HOST', 'STATE', `There is a recipe ${recipe.id} in ${file}.`, { hint }));
  } catch (error) {
    return err(appError('HOST', 'STORAGE', `The recipe could not be written (${codeOf(error)}).`));
  }
}
