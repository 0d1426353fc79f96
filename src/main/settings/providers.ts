import type { Result } from '#shared/result';
import type { ProviderStore, ProviderToSave } from '../adapters/llm/provider-store';
import type { ModelClient } from '../../core/ports/llm';

export type Providers = ReturnType<typeof createProviders>;

/** Saving returns immediately; the new list of models follows when the servers have responded. */
export function createProviders(
  store: ProviderStore,
  models: ModelClient,
  onListed: (models: Awaited<ReturnType<ModelClient['listModels']>>) => void,
) {
  const refreshed = (result: Result<null>): Result<null> => {
    if (result.ok) void models.listModels(true).then(onListed);
    return result;
  };
  return {
    save: (input: ProviderToSave): Result<null> => refreshed(store.save(input)),
    remove: (id: string): Result<null> => refreshed(store.remove(id)),
  };
}
