import type { RecipeSummary } from '#shared/recipe';
import { ok } from '#shared/result';
import type { ItemSource } from '../ports/item-source';
import { recipesDefinition } from './provider-definitions';

/** The available recipes; `version` changes when they do. */
export interface RecipesOffered {
  readonly all: readonly RecipeSummary[];
  readonly version: () => number;
}

/** Lists the recipes loaded at startup and the user's current ones. `bundled`: the ids of Patina's own. */
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
