import path from 'node:path';
import type { z } from 'zod';
import type { ConfigProblem } from '#shared/app-error';
import { Budgets } from '#shared/budgets';
import { Capabilities } from '#shared/capabilities';
import { ProviderRows, type ProviderRow } from '#shared/provider-row';
import { KnownModels } from '#shared/known-models';
import { OfferedModel } from '#shared/local-model';
import { KnownPrices } from '#shared/known-prices';
import type { SeedLayer } from '../../../core/ports/seed-layer';
import { readJsonFile } from '../policy/json-file';
import { readLayer } from './read-layer';

/** The part of `seeds/` that is not a list of rows. */
export interface BaseSeeds {
  readonly capabilities: Capabilities;
  readonly budgets: Budgets;
  readonly providers: readonly ProviderRow[];
  readonly knownModels: KnownModels;
  readonly knownPrices: KnownPrices;
  readonly offeredModel: OfferedModel;
}

/** The contents of `seeds/`. */
export interface SeedsRead {
  /** Null when one of its files is invalid. */
  readonly base: BaseSeeds | null;
  readonly layer: SeedLayer;
  /** Problems in the files of `base`; the layer lists the problems of its rows. */
  readonly problems: readonly ConfigProblem[];
}

/** Reads all of `seeds/`. Never throws, and reports all problems at once. */
export function readSeeds(folder: string): SeedsRead {
  const problems: ConfigProblem[] = [];
  const read = <S extends z.ZodType>(name: string, schema: S): z.output<S> | null => {
    const file = path.join(folder, name);
    const found = readJsonFile(file, schema);
    if (!found.ok) problems.push(...found.error);
    else if (found.value === null)
      problems.push({ file, field: '', rule: 'exists', reason: 'The file is missing.' });
    return found.ok ? found.value : null;
  };
  const capabilities = read('capabilities.json', Capabilities);
  const budgets = read('budgets.json', Budgets);
  const providers = read('providers.json', ProviderRows);
  const knownModels = read('models.json', KnownModels);
  const knownPrices = read('prices.json', KnownPrices);
  const offeredModel = read('local-model.json', OfferedModel);
  const base =
    capabilities && budgets && providers && knownModels && knownPrices && offeredModel
      ? { capabilities, budgets, providers, knownModels, knownPrices, offeredModel }
      : null;
  return { base, layer: readLayer(folder, null), problems };
}
