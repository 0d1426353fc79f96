import { z } from 'zod';

/** What a model can do, as far as it is known. */
export const Abilities = z
  .strictObject({
    /** The longest reply, in tokens. */
    outputTokens: z.number().int().positive(),
    /** Whether it reads images, calls tools, thinks before it answers. */
    images: z.boolean(),
    tools: z.boolean(),
    thinking: z.boolean(),
  })
  .partial();
export type Abilities = z.infer<typeof Abilities>;
export const abilityNames = ['outputTokens', 'images', 'tools', 'thinking'] as const;

/** `seeds/models.json`: sizes and abilities of models whose providers do not report them. */
export const KnownModels = z.strictObject({
  /** Where the facts come from, by the name that a model refers to: the vendor's page, and what was read of it when. */
  sources: z.record(z.string(), z.strictObject({ page: z.url(), read: z.string().min(1) })),
  models: z.array(
    Abilities.extend({
      /** The model's id without its date: `gpt-4o` is also `gpt-4o-2024-08-06` and `gpt-4o-latest`. */
      name: z.string().min(1),
      contextTokens: z.number().int().positive(),
      source: z.string(),
    }),
  ),
});
export type KnownModels = z.infer<typeof KnownModels>;
export type KnownModel = KnownModels['models'][number];

/** What may follow a name: a date or "latest". Anything else is another model, whose size may differ. */
const version = /^(-(\d{4}|\d{8}|\d{4}-\d{2}-\d{2}|latest))?$/;

/** Whether an id is a name or a version of it. */
export const isVersionOf = (id: string, name: string): boolean =>
  id.startsWith(name) && version.test(id.slice(name.length));

/** What the list says of a model, or undefined. */
export function knownModel({ models }: KnownModels, id: string): KnownModel | undefined {
  // Routers put the maker in front: "openai/gpt-4o".
  const own = id.slice(id.lastIndexOf('/') + 1).toLowerCase();
  return models.find(({ name }) => own === name) ?? models.find(({ name }) => isVersionOf(own, name));
}
