import { isRowOf, keyAddress, type ProviderOffer, type ProviderRow } from '#shared/provider-row';
import type { Result } from '#shared/result';
import type { ProviderStore, ProviderToEdit, ProviderToSave } from '../adapters/llm/provider-store';
import type { ModelClient } from '../../core/ports/llm';

export type Providers = ReturnType<typeof createProviders>;

export interface ProvidersDeps {
  readonly store: ProviderStore;
  readonly models: ModelClient;
  readonly rows: readonly ProviderRow[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Saving returns immediately; the new list of models follows when the servers have responded. */
export function createProviders(
  { store, models, rows, env }: ProvidersDeps,
  onListed: (models: Awaited<ReturnType<ModelClient['listModels']>>) => void,
) {
  const refreshed = (result: Result<null>): Result<null> => {
    if (result.ok) void models.listModels(true).then(onListed);
    return result;
  };
  return {
    save: (input: ProviderToSave): Result<null> => refreshed(store.save(input)),
    edit: (input: ProviderToEdit): Result<null> => refreshed(store.edit(input)),
    editable: store.editable,
    remove: (id: string): Result<null> => refreshed(store.remove(id)),
    /** The known providers, with the names of the variables that hold a key for them. */
    async offers(): Promise<readonly ProviderOffer[]> {
      const used = (await models.listModels(false)).flatMap(({ baseUrl }) => baseUrl ?? []);
      return rows.map((row) => {
        const owned = keyAddress(row, env);
        return {
          id: row.id,
          name: row.name,
          baseUrl: owned ?? row.baseUrl,
          wire: row.wire,
          models: row.models,
          placeholder: owned === null || owned === row.baseUrl ? row.placeholder : undefined,
          keyPage: row.keyPage,
          foundKeys: owned === null ? [] : row.keyVariables.filter((name) => env[name]?.trim()),
          inUse: used.some((baseUrl) => isRowOf(row, baseUrl)),
        };
      });
    },
  };
}
