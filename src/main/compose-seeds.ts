import type { ConfigProblem } from '#shared/app-error';
import { deepFreeze } from '#shared/deep-freeze';
import type { Recipe } from '#shared/recipe';
import type { SourceDefinition } from '#shared/resolver';
import { ok, type Result } from '#shared/result';
import { readPacks } from './adapters/seeds/read-packs';
import { readSeeds, type BaseSeeds } from './adapters/seeds/read-seeds';
import { createRecipes } from './agent/recipes';
import { refusedStart, settleLayers, type SettledRows } from './control-plane/settle-layers';
import type { SeedRow } from './ports/seed-layer';

/** The data this start runs on: what Patina brings, and the packs that hold. Checked once, and frozen. */
export type Seeds = BaseSeeds & SettledRows;

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

/** `seeds/` and the packs, as one. CONFIG/INVALID with every problem, and a hint how to start without the pack at fault. */
export function composeSeeds(
  folder: string,
  { packsFolder, without, providers }: SeedOptions,
): Result<Seeds> {
  const { base, layer, problems } = readSeeds(folder);
  const packs = readPacks(packsFolder, without);
  const rows = settleLayers(layer, packs, { providers, checkRecipe });
  if (base === null || problems.length > 0) return refusedStart(packs, problems, rows);
  return rows.ok ? ok(deepFreeze({ ...base, ...rows.value })) : rows;
}
