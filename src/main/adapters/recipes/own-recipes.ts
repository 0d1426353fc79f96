import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { appError } from '#shared/app-error';
import type { Recipe } from '#shared/recipe';
import { err, ok, type Result } from '#shared/result';
import type { OwnRecipes } from '../../../core/ports/own-recipes';
import { codeOf } from '../system/file-error';
import { readRecipes } from '../seeds/read-layer';
import { writeNew } from '../system/atomic-file';

/** The folder of the user's own recipes under `packs`. */
export const ownPack = 'my_recipes';
const asText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeMs}` : '';
}

/** Reads the recipes in the user's own pack. */
export function createOwnRecipes(home: string): OwnRecipes {
  const within = join(home, 'packs', ownPack);
  const folder = join(within, 'recipes');
  return {
    stamp() {
      try {
        const names = readdirSync(folder).filter((name) => /\.js(on)?$/.test(name));
        return JSON.stringify(names.sort().map((name) => [name, stampOf(join(folder, name))]));
      } catch (error) {
        return codeOf(error);
      }
    },
    read: () => readRecipes({ folder, within }),
  };
}

/** A recipe as its file has it: several stages are one plan, `{stages, answer}`. */
function inFile({ following = [], ...recipe }: Recipe): object {
  if (following.length === 0) return recipe;
  const stages = [recipe.plan, ...following];
  const { answer } = stages.at(-1) ?? recipe.plan;
  return { ...recipe, plan: { stages: stages.map(({ answer: _own, ...stage }) => stage), answer } };
}

/**
 * Writes a recipe into the user's own pack, which every read of the recipes includes, and returns its file.
 * Never overwrites a file.
 */
export function saveOwnRecipe(home: string, recipe: Recipe): Result<string> {
  const folder = join(home, 'packs', ownPack);
  const file = join(folder, 'recipes', `${recipe.id}.json`);
  try {
    mkdirSync(join(folder, 'recipes'), { recursive: true, mode: 0o700 });
    const packFile = join(folder, 'pack.json');
    if (!existsSync(packFile)) writeNew(packFile, asText({ id: ownPack, version: '1.0.0' }));
    if (writeNew(file, asText(inFile(recipe)))) return ok(file);
    const hint = 'Choose another id, or delete that file first.';
    return err(appError('HOST', 'STATE', `A recipe ${recipe.id} already exists in ${file}.`, { hint }));
  } catch (error) {
    return err(appError('HOST', 'STORAGE', `The recipe could not be written (${codeOf(error)}).`));
  }
}
