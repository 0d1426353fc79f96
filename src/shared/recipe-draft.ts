import { z } from 'zod';
import type { Recipe, RecipeParam } from './recipe';

const name = z.string().max(100);

/** How a run is to be kept. Names and choices go by a value's key; without `params`, what the goal names becomes one. */
export const SaveRecipeRequest = z.strictObject({
  id: z.string().max(100),
  title: z.string().max(200).optional(),
  description: z.string().max(2_000).optional(),
  /** Other names for parameters, by key. */
  names: z.record(name, name).optional(),
  /** What parameters are unless a value is given, by key; without it, what they were in the run. */
  values: z.record(name, z.union([z.string().max(2_000), z.number()])).optional(),
  /** The keys of the values that become parameters. */
  params: z.array(name).max(200).optional(),
});
export type SaveRecipeRequest = z.infer<typeof SaveRecipeRequest>;

/** A value written in a finished run's plan that a parameter could stand for. */
export interface RecipeCandidate {
  /** What it is called unless the user says otherwise; tells it from the others. */
  readonly key: string;
  readonly name: string;
  readonly type: RecipeParam['type'];
  readonly value: string | number;
  /** What it is in the recipe unless another value is given. */
  readonly fallback: string | number;
  readonly chosen: boolean;
  /** The goal says it, so a sentence can say another. */
  readonly inGoal: boolean;
}

/** What stands in the way of saving, or is good to know. `field`: `run`, `id`, `title`, `pattern` or `params.<key>`. */
export interface RecipeFinding {
  readonly field: string;
  readonly level: 'error' | 'note';
  readonly message: string;
  readonly hint?: string;
}

/** What a run would become; `recipe` is null while a finding is an error. */
export interface RecipeDraft {
  readonly candidates: readonly RecipeCandidate[];
  readonly recipe: Recipe | null;
  readonly findings: readonly RecipeFinding[];
}

/** A recipe that was saved, and its file. */
export interface SavedRecipe {
  readonly recipe: Recipe;
  readonly file: string;
}
