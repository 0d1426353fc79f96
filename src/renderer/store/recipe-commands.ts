import type { RecipeDraft, SaveRecipeRequest, SavedRecipe } from '#shared/recipe-draft';
import { err, type Result } from '#shared/result';
import { noSession, type CommandDeps } from './command-deps';

/** Commands for saving a run as a recipe; `turn` selects the run in the session on the screen. */
export interface RecipeCommands {
  /** Previews the recipe; writes nothing. */
  readonly draftRecipe: (turn: number, request: SaveRecipeRequest) => Promise<Result<RecipeDraft>>;
  readonly saveRecipe: (turn: number, request: SaveRecipeRequest) => Promise<Result<SavedRecipe>>;
}

export function createRecipeCommands({ bridge, view }: CommandDeps): RecipeCommands {
  const sessionId = () => view.store.getState().sessionId;
  return {
    draftRecipe: async (turn, request) => {
      const session = sessionId();
      return session === null
        ? err(noSession())
        : bridge.invoke('recipe-draft', { sessionId: session, turn, request });
    },
    saveRecipe: async (turn, request) => {
      const session = sessionId();
      return session === null
        ? err(noSession())
        : bridge.invoke('recipe-save', { sessionId: session, turn, request });
    },
  };
}
