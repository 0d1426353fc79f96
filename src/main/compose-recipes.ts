import { appError } from '#shared/app-error';
import type { Recipe } from '#shared/recipe';
import { err, type Result } from '#shared/result';
import type { RunState, SessionState } from '#shared/session-state';
import { saveOwnRecipe } from './adapters/recipes/own-recipes';
import { recipeOf, type SaveRecipe } from './agent/save-recipe';
import type { Foundation } from './foundation';
import type { SessionLog } from './session/session-log';

/** The run to keep: that of a line, or the newest of its session. */
export interface RunToKeep extends SaveRecipe {
  readonly sessionId: string;
  readonly turn?: number;
}

/** A recipe that was saved, and its file; it is there from the next start on. */
export interface SavedRecipe {
  readonly recipe: Recipe;
  readonly file: string;
}

function runOf({ blocks }: SessionState, turn: number | undefined): RunState | undefined {
  const lines = blocks.flat().filter((line) => turn === undefined || line.turn === turn);
  return lines.findLast(({ run }) => run !== undefined)?.run;
}

const noRun = appError('HOST', 'NOT_FOUND', 'There is no run on that line.', {
  hint: 'patina session show ID lists the lines of a session.',
});

/** Keeps runs as recipes of the user. HOST/NOT_FOUND, HOST/INVALID_INPUT, HOST/STATE when the id is taken. */
export function composeRecipes({ host, recipes }: Foundation, log: SessionLog) {
  return (asked: RunToKeep): Result<SavedRecipe> => {
    const state = log.peek(asked.sessionId);
    if (!state.ok) return state;
    const run = runOf(state.value, asked.turn);
    if (!run) return err(noRun);
    // Two recipes of one id would stop the next start.
    if (recipes.all.some(({ id }) => id === asked.id)) {
      const hint = 'Choose another id.';
      return err(appError('HOST', 'STATE', `There is a recipe ${asked.id} already.`, { hint }));
    }
    const recipe = recipeOf(run, asked, state.value.project ?? host.home);
    if (!recipe.ok) return recipe;
    const file = saveOwnRecipe(host.home, recipe.value);
    return file.ok ? { ok: true, value: { recipe: recipe.value, file: file.value } } : file;
  };
}
