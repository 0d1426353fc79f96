import type { RecipeSummary } from '#shared/recipe';
import { ok } from '#shared/result';
import type { ItemSource } from '../ports/item-source';
import { recipesDefinition } from './provider-definitions';

/** The recipes of this start; they do not change while it runs. */
export function createRecipesSource(recipes: readonly RecipeSummary[]): ItemSource {
  const items = recipes.map(({ id, title, description }) => ({
    header: { id, displayName: title },
    ...(description !== undefined && { description }),
    aliases: [],
    keywords: [],
  }));
  return {
    source: { providerId: recipesDefinition.id },
    definition: recipesDefinition,
    scopeKey: () => '',
    load: () => Promise.resolve(ok(items)),
  };
}
