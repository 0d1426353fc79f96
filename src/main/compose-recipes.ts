import { appError } from '#shared/app-error';
import type { RecipeDraft, RecipeWish, SavedRecipe } from '#shared/recipe-draft';
import { err, ok, type Result } from '#shared/result';
import type { RunState, SessionState } from '#shared/session-state';
import { saveOwnRecipe } from './adapters/recipes/own-recipes';
import { draftRecipe, recipeOf, type RecipePlace } from './agent/save-recipe';
import type { Foundation } from './foundation';
import type { SessionLog } from './session/session-log';

/** The run to keep: that of a line, or the newest of its session. */
export interface RunToKeep {
  readonly sessionId: string;
  readonly turn?: number | undefined;
  readonly wish: RecipeWish;
}

/** Runs that become recipes of the user. */
export interface RecipeDesk {
  /** What a run would become; writes nothing. HOST/NOT_FOUND. */
  readonly draft: (asked: RunToKeep) => Result<RecipeDraft>;
  /** Keeps it; the next line finds it. HOST/NOT_FOUND, HOST/INVALID_INPUT, HOST/STATE when the id is taken, HOST/STORAGE. */
  readonly save: (asked: RunToKeep) => Result<SavedRecipe>;
}

function runOf({ blocks }: SessionState, turn: number | undefined): RunState | undefined {
  const lines = blocks.flat().filter((line) => turn === undefined || line.turn === turn);
  return lines.findLast(({ run }) => run !== undefined)?.run;
}

const noRun = appError('HOST', 'NOT_FOUND', 'There is no run on that line.', {
  hint: 'patina session show ID lists the lines of a session.',
});

/** Keeps runs as recipes, in the user's own pack and beside the recipes of this start. */
export function composeRecipes({ host, recipes }: Foundation, log: SessionLog): RecipeDesk {
  const found = ({ sessionId, turn }: RunToKeep): Result<{ run: RunState; place: RecipePlace }> => {
    const state = log.peek(sessionId);
    if (!state.ok) return state;
    const run = runOf(state.value, turn);
    if (!run) return err(noRun);
    return ok({ run, place: { project: state.value.project ?? host.home, there: recipes } });
  };
  return {
    draft(asked) {
      const kept = found(asked);
      return kept.ok ? ok(draftRecipe(kept.value.run, asked.wish, kept.value.place)) : kept;
    },
    save(asked) {
      const kept = found(asked);
      if (!kept.ok) return kept;
      const recipe = recipeOf(kept.value.run, asked.wish, kept.value.place);
      if (!recipe.ok) return recipe;
      const file = saveOwnRecipe(host.home, recipe.value);
      if (!file.ok) return file;
      recipes.add(recipe.value);
      return ok({ recipe: recipe.value, file: file.value });
    },
  };
}
