import { z } from 'zod';

/** `seeds/models.json`: the context sizes of models whose providers do not report them. */
export const KnownModels = z.strictObject({
  /** Where the sizes come from, by the name that a model refers to: the vendor's page, and what was read of it when. */
  sources: z.record(z.string(), z.strictObject({ page: z.url(), read: z.string().min(1) })),
  models: z.array(
    z.strictObject({
      /** The model's id without its date: `gpt-4o` is also `gpt-4o-2024-08-06` and `gpt-4o-latest`. */
      name: z.string().min(1),
      contextTokens: z.number().int().positive(),
      source: z.string(),
    }),
  ),
});
export type KnownModels = z.infer<typeof KnownModels>;

/** What may follow a name: a date or "latest". Anything else is another model, whose size may differ. */
const version = /^(-(\d{4}|\d{8}|\d{4}-\d{2}-\d{2}|latest))?$/;

/** The size of a model's context according to the list, or undefined. */
export function knownContextTokens({ models }: KnownModels, id: string): number | undefined {
  // Routers put the maker in front: "openai/gpt-4o".
  const own = id.slice(id.lastIndexOf('/') + 1).toLowerCase();
  return models.find(({ name }) => own.startsWith(name) && version.test(own.slice(name.length)))
    ?.contextTokens;
}
