import { dirname, join } from 'node:path';
import type { ConfigProblem } from '#shared/app-error';
import { deepFreeze } from '#shared/deep-freeze';
import type { Recipe } from '#shared/recipe';
import type { SourceDefinition } from '#shared/resolver';
import { ok, type Result } from '#shared/result';
import { ownPack } from '../adapters/recipes/own-recipes';
import { readPacks } from '../adapters/seeds/read-packs';
import { readSeeds, type BaseSeeds } from '../adapters/seeds/read-seeds';
import { createRecipes } from '../../core/agent/recipes';
import { refusedStart, mergeSeedLayers, type MergedSeeds } from '../../core/control-plane/merge-seed-layers';
import type { SeedLayer, SeedRow } from '../../core/ports/seed-layer';

/** The data this start runs on: what Patina brings, and the packs that hold. Checked once, and frozen. */
export type Seeds = BaseSeeds & MergedSeeds;

export interface SeedOptions {
  /** `PATINA_HOME/packs`; it need not exist. */
  readonly packsFolder: string;
  /** Names of pack folders to leave out of this start. */
  readonly without: readonly string[];
  /** Sources made by code, which commands may name. */
  readonly providers: readonly SourceDefinition[];
}

/** Pattern problems carry the recipe's place in `seeds/`; a pack's lies elsewhere. */
function checkRecipe({ file, row }: SeedRow<Recipe>): readonly ConfigProblem[] {
  return createRecipes([row]).problems.map((problem) => ({ ...problem, file }));
}

/** The names in `PATINA_WITHOUT_PACKS=tickets,other`. */
export function packsLeftOut(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env['PATINA_WITHOUT_PACKS'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The user's own recipes are read whenever they are asked for (`RecipeShelf`), so one that is broken switches nothing off. */
function withoutOwnRecipes(layer: SeedLayer): SeedLayer {
  if (layer.pack?.name !== ownPack) return layer;
  const folder = join(layer.folder, 'recipes');
  const header = join(layer.folder, 'pack.json');
  // Who puts a recipe there by hand need not know that a pack has a header.
  const others = layer.problems.filter(
    ({ file, rule }) =>
      file !== folder && dirname(file) !== folder && !(file === header && rule === 'exists'),
  );
  return { ...layer, recipes: [], problems: others };
}

/** `seeds/` and the packs, as one. CONFIG/INVALID with every problem, and a hint how to start without the pack at fault. */
export function composeSeeds(
  folder: string,
  { packsFolder, without, providers }: SeedOptions,
): Result<Seeds> {
  const { base, layer, problems } = readSeeds(folder);
  const packs = readPacks(packsFolder, without).map(withoutOwnRecipes);
  const rows = mergeSeedLayers(layer, packs, { providers, checkRecipe });
  if (base === null || problems.length > 0) return refusedStart(packs, problems, rows);
  return rows.ok ? ok(deepFreeze({ ...base, ...rows.value })) : rows;
}
