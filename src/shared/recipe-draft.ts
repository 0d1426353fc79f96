import { z } from 'zod';
import type { Recipe, RecipeParam } from './recipe';

const name = z.string().max(100);

/**
 * Request to save a run as a recipe. Names and values are keyed by a value's key; without `params`, the
 * values named in the goal become parameters.
 */
export const SaveRecipeRequest = z.strictObject({
  id: z.string().max(100),
  title: z.string().max(200).optional(),
  description: z.string().max(2_000).optional(),
  /** Other names for parameters, by key. */
  names: z.record(name, name).optional(),
  /** Parameter defaults, by key; default: the values of the run. */
  values: z.record(name, z.union([z.string().max(2_000), z.number()])).optional(),
  /** The keys of the values that become parameters. */
  params: z.array(name).max(200).optional(),
});
export type SaveRecipeRequest = z.infer<typeof SaveRecipeRequest>;

/** A value in a finished run's plan that could become a parameter. */
export interface RecipeCandidate {
  /** Default parameter name; unique among the candidates. */
  readonly key: string;
  readonly name: string;
  readonly type: RecipeParam['type'];
  readonly value: string | number;
  /** Default value of the parameter. */
  readonly fallback: string | number;
  readonly chosen: boolean;
  /** The goal contains the value, so another sentence can replace it. */
  readonly inGoal: boolean;
}

/** A problem that prevents saving, or a note. `field`: `run`, `id`, `title`, `pattern` or `params.<key>`. */
export interface RecipeFinding {
  readonly field: string;
  readonly level: 'error' | 'note';
  readonly message: string;
  readonly hint?: string;
}

/** Preview of saving a run; `recipe` is null while any finding is an error. */
export interface RecipeDraft {
  readonly candidates: readonly RecipeCandidate[];
  readonly recipe: Recipe | null;
  readonly findings: readonly RecipeFinding[];
}

/** A saved recipe and its file. */
export interface SavedRecipe {
  readonly recipe: Recipe;
  readonly file: string;
}
