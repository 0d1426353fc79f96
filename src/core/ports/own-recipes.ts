import type { ConfigProblem } from '#shared/app-error';
import type { Recipe } from '#shared/recipe';
import type { SeedRow } from './seed-layer';

/** The user's own recipes, read from their files; another process or the user may change them at any time. */
export interface OwnRecipes {
  /** Changes whenever a file is added, removed or changed; compares only names, sizes and times. */
  readonly stamp: () => string;
  /** All readable rows, and the problems of the others. */
  readonly read: () => {
    readonly rows: readonly SeedRow<Recipe>[];
    readonly problems: readonly ConfigProblem[];
  };
}
