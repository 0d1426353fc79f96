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

/** The run to keep: that of a line, or the newest of its session. */
export interface RunToKeep {
  readonly sessionId: string;
  readonly turn?: number | undefined;
  readonly wish: SaveRecipeRequest;
}

/** Runs that become recipes of the user. */
export interface RecipeDesk {
  /** What a run would become; writes nothing. HOST/NOT_FOUND. */
  readonly draft: (asked: RunToKeep) => Result<RecipeDraft>;
  /** Keeps it; the next line, of this or of any other process, finds it. HOST/NOT_FOUND, HOST/INVALID_INPUT, HOST/STATE when the id is taken, HOST/STORAGE. */
  readonly save: (asked: RunToKeep) => Result<SavedRecipe>;
}

function runOf({ blocks }: SessionState, turn: number | undefined): RunState | undefined {
  const lines = blocks.flat().filter((line) => turn === undefined || line.turn === turn);
  return lines.findLast(({ run }) => run !== undefined)?.run;
}

const noRun = appError('HOST', 'NOT_FOUND', 'There is no run on that line.', {
  hint: 'patina session show ID lists the lines of a session.',
});

/** What is wrong with the user's own recipes, for whoever sits at the window. */
function noticeOf(problems: readonly ConfigProblem[]): Notice {
  const lines = problems.map(
    ({ file, field, reason }) => `${basename(file)}${field && ` ${field}`}: ${reason}`,
  );
  const [title, hint] = [
    'Some of your recipes cannot be used',
    'Mend or delete these files; they are read again at once.',
  ];
  return { id: noticeId, level: 'warning', title, detail: joinFew(lines), hint };
}

/** The recipes of the start, and those of the user's own pack unless it is left out; what is wrong with these is told in a notice. */
export function composeRecipeShelf(
  { seeds, host, notices }: Pick<CoreDeps, 'seeds' | 'host' | 'notices'>,
  without: readonly string[],
): RecipeRegistry {
  const own = without.includes(ownPack) ? noRecipes : createOwnRecipes(host.home);
  const shelf = createRecipeRegistry(seeds.recipes, own);
  shelf.onChange(() => {
    if (shelf.problems.length > 0) notices.raise(noticeOf(shelf.problems));
    else notices.withdraw(noticeId);
  });
  shelf.version();
  return shelf;
}

/** The part of the app that has to do with recipes. */
interface RecipeFace {
  readonly recipes: () => RecipeRegistry['all'];
  readonly recipeDesk: RecipeDesk;
}

/** What the app says of recipes, and does with them. */
export function recipesOf(coreDeps: CoreDeps, log: SessionLog): RecipeFace {
  const { recipes } = coreDeps;
  return {
    recipes: () => recipes.all,
    recipeDesk: composeRecipes(coreDeps, log),
  };
}

/** Keeps runs as recipes, in the user's own pack. */
function composeRecipes({ host, recipes }: CoreDeps, log: SessionLog): RecipeDesk {
  const found = ({ sessionId, turn }: RunToKeep): Result<{ run: RunState; place: RecipeContext }> => {
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
      return ok({ recipe: recipe.value, file: file.value });
    },
  };
}
