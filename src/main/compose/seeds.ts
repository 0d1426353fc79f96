import { dirname, join } from 'node:path';
import type { ConfigProblem } from '#shared/app-error';
import { deepFreeze } from '#shared/deep-freeze';
import type { Recipe } from '#shared/recipe';
import type { SourceDefinition } from '#shared/resolver';
import { ok, type Result } from '#shared/result';
import { ownPack } from '../adapters/recipes/own-recipes';
import { readSeeds, type BaseSeeds } from '../adapters/seeds/read-seeds';
import { createRecipes } from '../../core/agent/recipes';
import { refusedStart, mergeSeedLayers, type MergedSeeds } from '../../core/control-plane/merge-seed-layers';
import type { SeedLayer, SeedRow } from '../../core/ports/seed-layer';

/** The data of this start: Patina's own seeds and the valid packs, checked once and frozen. */
export type Seeds = BaseSeeds & MergedSeeds;

export interface SeedOptions {
  /** As read from `PATINA_HOME/packs`. */
  readonly packs: readonly SeedLayer[];
  /** Coded sources that commands may name. */
  readonly providers: readonly SourceDefinition[];
}

/** Pattern problems name the recipe's location in `seeds/`; a pack's recipe lies elsewhere. */
function checkRecipe({ file, row }: SeedRow<Recipe>): readonly ConfigProblem[] {
  return createRecipes([row]).problems.map((problem) => ({ ...problem, file }));
}

/** Parses the names in `PATINA_WITHOUT_PACKS=tickets,other`. */
export function packsLeftOut(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env['PATINA_WITHOUT_PACKS'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The recipe registry reads the user's own recipes on demand, so an invalid one disables nothing. */
function withoutOwnRecipes(layer: SeedLayer): SeedLayer {
  if (layer.pack?.name !== ownPack) return layer;
  const folder = join(layer.folder, 'recipes');
  const header = join(layer.folder, 'pack.json');
  // A user who adds a recipe by hand need not know about pack headers.
  const others = layer.problems.filter(
    ({ file, rule }) =>
      file !== folder && dirname(file) !== folder && !(file === header && rule === 'exists'),
  );
  return { ...layer, recipes: [], problems: others };
}

/**
 * Merges `seeds/` and the packs. CONFIG/INVALID lists every problem, with a hint how to start without the
 * invalid pack.
 */
export function composeSeeds(folder: string, { packs: read, providers }: SeedOptions): Result<Seeds> {
  const { base, layer, problems } = readSeeds(folder);
  const packs = read.map(withoutOwnRecipes);
  const rows = mergeSeedLayers(layer, packs, { providers, checkRecipe });
  if (base === null || problems.length > 0) return refusedStart(packs, problems, rows);
  return rows.ok ? ok(deepFreeze({ ...base, ...rows.value })) : rows;
}
