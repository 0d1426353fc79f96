import { z } from 'zod';
import { Json } from './json';
import { Plan } from './plan';

export const RecipeParam = z.strictObject({
  name: z.string().regex(/^[a-z][a-zA-Z0-9_]*$/),
  type: z.enum(['string', 'number', 'boolean', 'path']),
  required: z.boolean().default(false),
  default: Json.optional(),
  description: z.string().optional(),
});
export type RecipeParam = z.infer<typeof RecipeParam>;

/**
 * A saved plan with parameters; runs without a model. An intent pattern consists of words, `[optional]`,
 * `(a|b)` and `{param}`; the plan's nodes read parameters as `params.<name>`.
 */
export const Recipe = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9_]*$/),
  title: z.string().min(1),
  description: z.string().optional(),
  example: z.string().optional(),
  intentPatterns: z.array(z.string()).min(1),
  params: z.array(RecipeParam).default([]),
  plan: Plan,
  /** The stages after `plan`; in a file, `plan` is `{stages, answer}` instead. */
  following: z.array(Plan).optional(),
});
export type Recipe = z.infer<typeof Recipe>;

export const RecipeSummary = Recipe.pick({
  id: true,
  title: true,
  description: true,
  example: true,
  params: true,
});
export type RecipeSummary = z.infer<typeof RecipeSummary>;
