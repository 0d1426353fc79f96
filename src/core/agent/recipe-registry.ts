import { appError, type AppError, type ConfigProblem } from '#shared/app-error';
import type { Recipe } from '#shared/recipe';
import { err } from '#shared/result';
import type { OwnRecipes } from '../ports/own-recipes';
import { createRecipes, type Recipes } from './recipes';

/** The recipes available now: those loaded at startup, and the user's own as their files define them. */
export interface RecipeRegistry extends Recipes {
  /** Changes whenever the recipes change. */
  readonly version: () => number;
  /** Calls the listener after the user's own recipes were reloaded. */
  readonly onChange: (listener: () => void) => void;
}

interface CheckedRecipes {
  readonly good: readonly Recipe[];
  readonly problems: readonly ConfigProblem[];
}

/** Checks the user's recipes one by one, so that an invalid or duplicate one does not hide the others. */
function checkOwnRecipes(first: readonly Recipe[], own: OwnRecipes): CheckedRecipes {
  const { rows, problems: unread } = own.read();
  const ids = new Set(first.map(({ id }) => id));
  const unreadable = new Set(unread.map(({ file }) => file));
  const problems = [...unread];
  const good: Recipe[] = [];
  for (const { file, row } of rows) {
    const taken = ids.has(row.id)
      ? [{ file, field: 'id', rule: 'unique', reason: `Patina or a pack already has a recipe "${row.id}".` }]
      : [];
    const wrong = [...taken, ...createRecipes([row]).problems.map((problem) => ({ ...problem, file }))];
    problems.push(...wrong);
    if (wrong.length === 0 && !unreadable.has(file)) good.push(row);
  }
  return { good, problems };
}

const isFileOf = (id: string, { file }: ConfigProblem): boolean =>
  file.split(/[\\/]/).at(-1) === `${id}.json`;

function unusable(id: string, problems: readonly ConfigProblem[]): AppError {
  const hint = 'Fix the file, then run the recipe again. The other recipes still work.';
  const message = `The recipe "${id}" cannot be used: its file is not valid.`;
  return appError('CONFIG', 'INVALID', message, { problems: [...problems], hint });
}

/**
 * Checks the user's own recipes on every request, so that a recipe saved by another process is available at
 * once. They come after the recipes loaded at startup. CONFIG/INVALID for a recipe with an invalid file.
 */
export function createRecipeRegistry(first: readonly Recipe[], own: OwnRecipes): RecipeRegistry {
  let stamp: string | null = null;
  let version = 0;
  let current = createRecipes(first);
  let problems: readonly ConfigProblem[] = [];
  const listeners: (() => void)[] = [];
  const now = (): Recipes => {
    const next = own.stamp();
    if (next === stamp) return current;
    // The stamp is taken before reading, so a change made meanwhile causes another read next time.
    stamp = next;
    version += 1;
    const checked = checkOwnRecipes(first, own);
    current = createRecipes([...first, ...checked.good]);
    problems = checked.problems;
    for (const listener of listeners) listener();
    return current;
  };
  return {
    get all() {
      return now().all;
    },
    get problems() {
      now();
      return problems;
    },
    suggest: (text) => now().suggest(text),
    match: (goal, project) => now().match(goal, project),
    byId(id, params, project) {
      const found = now().byId(id, params, project);
      const wrong = problems.filter((problem) => isFileOf(id, problem));
      const there = current.all.some((recipe) => recipe.id === id);
      return there || wrong.length === 0 ? found : err(unusable(id, wrong));
    },
    version() {
      now();
      return version;
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
