import type { RecipeSummary } from '#shared/recipe';
import { ok } from '#shared/result';
import type { ItemSource } from '../ports/item-source';
import { recipesDefinition } from './provider-definitions';

/** What is there to choose from; another version when there is something else. */
export interface RecipesOffered {
  readonly all: readonly RecipeSummary[];
  readonly version: () => number;
}

/** The recipes: those of this start, and the user's own as they are now. `brought`: the ids of Patina's own. */
export function createRecipesSource(recipes: RecipesOffered, bundled: ReadonlySet<string>): ItemSource {
  const items = () =>
    recipes.all.map(({ id, title, description }) => ({
      header: { id, displayName: title },
      ...(description !== undefined && { description }),
      aliases: [],
      keywords: [],
      userTitled: !bundled.has(id),
    }));
  return {
    source: { providerId: recipesDefinition.id },
    definition: recipesDefinition,
    scopeKey: () => String(recipes.version()),
    load: () => Promise.resolve(ok(items())),
  };
}
