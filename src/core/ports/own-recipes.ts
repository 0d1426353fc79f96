import type { ConfigProblem } from '#shared/app-error';
import type { Recipe } from '#shared/recipe';
import type { SeedRow } from './seed-layer';

/** The recipes a person keeps, as their files hold them now; another process, or a hand, may write them at any time. */
export interface OwnRecipes {
  /** Another one as soon as a file came, went or changed; looks at names, sizes and times alone. */
  readonly stamp: () => string;
  /** Every row that can be read, and what is wrong with the others. */
  readonly read: () => {
    readonly rows: readonly SeedRow<Recipe>[];
    readonly problems: readonly ConfigProblem[];
  };
}
