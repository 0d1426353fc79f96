import type { IpcHandlers } from '#shared/ipc';
import type { recipeCalls } from '#shared/ipc-recipes';
import { ok } from '#shared/result';
import type { App } from '../app';

type RecipeHandlers = Pick<IpcHandlers, keyof typeof recipeCalls>;

/** Recipes, and the runs that become some. */
export function createRecipeHandlers({ recipes, recipeDesk }: App): RecipeHandlers {
  return {
    'recipe-list': () => ok(recipes()),
    'recipe-draft': recipeDesk.draft,
    'recipe-save': recipeDesk.save,
  };
}
