import { z } from 'zod';
import { Abilities } from './known-models';
import { ModelPrice, type ModelRef } from './model';

/** The parameters of a model's replies; a parameter that is not set is not sent, so the provider's own default applies. */
export const ModelParameters = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  effort: z.enum(['low', 'medium', 'high']).optional(),
  maxOutputTokens: z.number().int().min(1).max(1_000_000).optional(),
  /** Texts that end the reply when the model writes them. */
  stop: z.array(z.string().min(1).max(200)).min(1).max(4).optional(),
});
export type ModelParameters = z.infer<typeof ModelParameters>;

/** The parameters that a run takes: its plan and its packs decide all but the effort. */
export const runParameters = ({ effort }: ModelParameters = {}): ModelParameters | undefined =>
  effort && { effort };

/** What the user set for one model. */
export const ModelOptions = ModelParameters.extend({
  ...Abilities.shape,
  /** The size of the model's context, where neither its provider nor Patina knows it, or to correct them. */
  contextTokens: z.number().int().min(256).max(100_000_000).optional(),
  /** What the user pays for the model. */
  price: ModelPrice.optional(),
});
export type ModelOptions = z.infer<typeof ModelOptions>;

/** The name of a model among the options of all models. */
export const modelKey = ({ providerId, model }: ModelRef): string => `${providerId}/${model}`;

/** Parameters that are set. */
export interface SetParameters {
  readonly temperature?: number;
  readonly effort?: 'low' | 'medium' | 'high';
  readonly maxOutputTokens?: number;
  readonly stop?: readonly string[];
}

/** Parameters of several places in one; a later place wins. */
export function mergeParameters(...places: readonly (ModelParameters | undefined)[]): SetParameters {
  const { temperature, effort, maxOutputTokens, stop } = places.reduce<ModelParameters>(
    (merged, place) => ({ ...merged, ...place }),
    {},
  );
  return {
    ...(temperature !== undefined && { temperature }),
    ...(effort && { effort }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(stop && { stop }),
  };
}
