import { z } from 'zod';
import { isVersionOf } from './known-models';
import { ModelPrice } from './model';

/** `seeds/prices.json` and `PATINA_HOME/prices.json`: what models cost at their own providers. */
export const KnownPrices = z.strictObject({
  /** Where prices come from: the vendor's page, the day it was read, and how. */
  sources: z.record(
    z.string(),
    z.strictObject({ page: z.url(), date: z.iso.date(), read: z.string().min(1).optional() }),
  ),
  prices: z.array(
    ModelPrice.extend({
      /** A row of `seeds/providers.json` or a provider of the user; the price holds at its address only. */
      provider: z.string().min(1),
      /** The model's id; without a date it also stands for its dated versions. */
      model: z.string().min(1),
      source: z.string().min(1),
    }),
  ),
});
export type KnownPrices = z.infer<typeof KnownPrices>;
export type KnownPrice = KnownPrices['prices'][number];

/** The price of a model at a provider according to a list; the longest name that fits wins. */
export function knownPrice(
  { prices }: KnownPrices,
  providers: readonly (string | undefined)[],
  model: string,
): KnownPrice | null {
  const id = model.toLowerCase();
  let found: KnownPrice | null = null;
  for (const price of prices) {
    const fits = providers.includes(price.provider) && isVersionOf(id, price.model.toLowerCase());
    if (fits && price.model.length > (found?.model.length ?? 0)) found = price;
  }
  return found;
}

/** The price alone. */
export const priceIn = ({ input, cachedInput, cacheWrite, output, above }: KnownPrice): ModelPrice => ({
  input,
  ...(cachedInput !== undefined && { cachedInput }),
  ...(cacheWrite !== undefined && { cacheWrite }),
  output,
  ...(above && { above }),
});

/** A price and where it comes from. */
export interface ListedPrice extends ModelPrice {
  readonly provider: string;
  readonly model: string;
  /** `own`: the user's file; `known`: the list that ships with Patina. */
  readonly list: 'own' | 'known';
  readonly page: string | null;
  readonly date: string | null;
}
