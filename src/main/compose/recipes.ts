import { basename } from 'node:path';
import { appError, type ConfigProblem } from '#shared/app-error';
import type { Notice } from '#shared/notice';
import type { RecipeDraft, SaveRecipeRequest, SavedRecipe } from '#shared/recipe-draft';
import { err, ok, type Result } from '#shared/result';
import type { RunState, SessionState } from '#shared/session-state';
import { createOwnRecipes, ownPack, saveOwnRecipe } from '../adapters/recipes/own-recipes';
import { createRecipeRegistry, type RecipeRegistry } from '../../core/agent/recipe-registry';
import { draftRecipe, recipeOf, type RecipeContext } from '../../core/agent/save-recipe';
import type { CoreDeps } from './core-deps';
import { joinFew } from '../notices/pack-notices';
import type { OwnRecipes } from '../../core/ports/own-recipes';
import type { SessionLog } from '../../core/session/session-log';

const noticeId = 'own-recipes';
const noRecipes: OwnRecipes = { stamp: () => '', read: () => ({ rows: [], problems: [] }) };

/** Identifies the run to save: that of a line, or the newest of its session. */
export interface SaveRecipeInput {
  readonly sessionId: string;
  readonly turn?: number | undefined;
  readonly request: SaveRecipeRequest;
}

/** Saves runs as recipes of the user. */
export type RecipeSaver = ReturnType<typeof createRecipeSaver>;

function runOf({ blocks }: SessionState, turn: number | undefined): RunState | undefined {
  const lines = blocks.flat().filter((line) => turn === undefined || line.turn === turn);
  return lines.findLast(({ run }) => run !== undefined)?.run;
}

const noRun = appError('HOST', 'NOT_FOUND', 'That line has no run.', {
  hint: 'patina session show ID lists the lines of a session.',
});

/** The notice about invalid recipes of the user. */
function noticeOf(problems: readonly ConfigProblem[]): Notice {
  const lines = problems.map(
    ({ file, field, reason }) => `${basename(file)}${field && ` ${field}`}: ${reason}`,
  );
  const [title, hint] = [
    'Some of your recipes cannot be used',
    'Fix or delete these files. Patina reads them again immediately.',
  ];
  return { id: noticeId, level: 'warning', title, detail: joinFew(lines), hint };
}

/**
 * The recipes loaded at the start, plus the user's own pack unless it is left out; a notice reports invalid
 * recipes in that pack.
 */
export function composeRecipeRegistry(
  { seeds, host, notices }: Pick<CoreDeps, 'seeds' | 'host' | 'notices'>,
  without: readonly string[],
): RecipeRegistry {
  const own = without.includes(ownPack) ? noRecipes : createOwnRecipes(host.home);
  const registry = createRecipeRegistry(seeds.recipes, own);
  registry.onChange(() => {
    if (registry.problems.length > 0) notices.raise(noticeOf(registry.problems));
    else notices.withdraw(noticeId);
  });
  registry.version();
  return registry;
}

/** Saves runs as recipes in the user's own pack. */
export function createRecipeSaver({ host, recipes }: CoreDeps, log: SessionLog) {
  const findRun = ({ sessionId, turn }: SaveRecipeInput): Result<{ run: RunState; place: RecipeContext }> => {
    const state = log.peek(sessionId);
    if (!state.ok) return state;
    const run = runOf(state.value, turn);
    if (!run) return err(noRun);
    return ok({ run, place: { project: state.value.project ?? host.home, there: recipes } });
  };
  return {
    /** Previews the recipe of a run; writes nothing. HOST/NOT_FOUND. */
    draft(input: SaveRecipeInput): Result<RecipeDraft> {
      const target = findRun(input);
      return target.ok ? ok(draftRecipe(target.value.run, input.request, target.value.place)) : target;
    },
    /**
     * Saves the recipe; the next line, in this or any other process, finds it. HOST/NOT_FOUND,
     * HOST/INVALID_INPUT, HOST/STATE when the id is taken, HOST/STORAGE.
     */
    save(input: SaveRecipeInput): Result<SavedRecipe> {
      const target = findRun(input);
      if (!target.ok) return target;
      const recipe = recipeOf(target.value.run, input.request, target.value.place);
      if (!recipe.ok) return recipe;
      const file = saveOwnRecipe(host.home, recipe.value);
      if (!file.ok) return file;
      return ok({ recipe: recipe.value, file: file.value });
    },
  };
}
