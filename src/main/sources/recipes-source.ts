import type { RecipeSummary } from '#shared/recipe';
import { ok } from '#shared/result';
import type { ItemSource } from '../ports/item-source';
import { recipesDefinition } from './provider-definitions';

/** What is there to choose from; told when there is more. */
export interface RecipesOffered {
  readonly all: readonly RecipeSummary[];
  readonly onChange: (listener: () => void) => () => void;
}

/** The recipes: those of this start, and those saved since. */
export function createRecipesSource(recipes: RecipesOffered): ItemSource {
  const items = () =>
    recipes.all.map(({ id, title, description }) => ({
      header: { id, displayName: title },
      ...(description !== undefined && { description }),
      aliases: [],
      keywords: [],
    }));
  return {
    source: { providerId: recipesDefinition.id },
    definition: recipesDefinition,
    scopeKey: () => '',
    load: () => Promise.resolve(ok(items())),
    onChange: recipes.onChange,
  };
}
