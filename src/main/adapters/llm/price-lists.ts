import { join } from 'node:path';
import { appError, problemLine } from '#shared/app-error';
import { knownPrice, KnownPrices, priceIn, type ListedPrice } from '#shared/known-prices';
import { err, ok, type Result } from '#shared/result';
import { readJsonFile } from '../policy/json-file';
import type { PriceLists } from './model-client';

const none: KnownPrices = { sources: {}, prices: [] };

/** The user's list of prices, `PATINA_HOME/prices.json`, over the one that ships with Patina. */
export function createPriceLists(home: string, known: KnownPrices) {
  const file = join(home, 'prices.json');
  let own = none;
  /** Errors: CONFIG/INVALID; the list read last stays in use. */
  const read = (): Result<null> => {
    const found = readJsonFile(file, KnownPrices);
    if (!found.ok) {
      return err(
        appError('CONFIG', 'INVALID', found.error.map(problemLine).join(' '), {
          hint: `Fix ${file}; until then its prices are not used.`,
          problems: [...found.error],
        }),
      );
    }
    own = found.value ?? none;
    return ok(null);
  };
  const first = read();
  const inList = (list: KnownPrices, name: ListedPrice['list']): readonly ListedPrice[] =>
    list.prices.map((price) => ({
      provider: price.provider,
      model: price.model,
      ...priceIn(price),
      list: name,
      page: list.sources[price.source]?.page ?? null,
      date: list.sources[price.source]?.date ?? null,
    }));
  const priceFrom =
    (list: () => KnownPrices) => (providers: readonly (string | undefined)[], model: string) => {
      const found = knownPrice(list(), providers, model);
      return found && priceIn(found);
    };
  const lists: PriceLists = { own: priceFrom(() => own), known: priceFrom(() => known) };
  return {
    file,
    lists,
    /** What was wrong with the user's file at the start. */
    problem: first.ok ? null : first.error,
    all: (): readonly ListedPrice[] => [...inList(own, 'own'), ...inList(known, 'known')],
  };
}
