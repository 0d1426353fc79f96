import type { Recipe } from '#shared/recipe';
import { createRecipes, type Recipes } from './recipes';

/** The recipes that can be run now: those of the start, and those saved since. */
export interface RecipeShelf extends Recipes {
  /** Puts a recipe beside the others, found by the next line; its id is free and its patterns hold. */
  readonly add: (recipe: Recipe) => void;
  /** Told after each addition; returns the way to stop. */
  readonly onChange: (listener: () => void) => () => void;
}

/** A shelf with the recipes of the start. Whoever holds it sees what is added. */
export function createRecipeShelf(first: readonly Recipe[]): RecipeShelf {
  let current = createRecipes(first);
  const listeners = new Set<() => void>();
  return {
    get all() {
      return current.all;
    },
    get problems() {
      return current.problems;
    },
    suggest: (text) => current.suggest(text),
    match: (goal, project) => current.match(goal, project),
    byId: (id, params, project) => current.byId(id, params, project),
    add(recipe) {
      current = createRecipes([...current.all, recipe]);
      listeners.forEach((listener) => listener());
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
