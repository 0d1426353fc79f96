import type { Provider } from '#shared/model';
import { ok, type Result } from '#shared/result';
import type { ProviderFile } from './adapters/llm/provider-file';
import type { ModelClient } from './ports/llm';
import type { Secrets } from './ports/secrets';

export interface ProviderKey {
  readonly key?: string | undefined;
  /** The user's explicit choice to keep the key in a file when the system has no keychain. */
  readonly unprotected?: boolean | undefined;
}

export interface Providers {
  save(provider: Provider, key: ProviderKey): Promise<Result<null>>;
  remove(id: string): Promise<Result<null>>;
}

export interface ProvidersDeps {
  readonly file: ProviderFile;
  readonly secrets: Secrets;
  readonly models: ModelClient;
}

/** Saves a provider and its key, each in its place: the file never holds a key, only the name it is kept under. */
export function createProviders({ file, secrets, models }: ProvidersDeps): Providers {
  const refreshed = async (result: Result<null>): Promise<Result<null>> => {
    if (result.ok) await models.listModels(true);
    return result;
  };
  const keep = (provider: Provider, { key, unprotected = false }: ProviderKey): Result<Provider> => {
    if (key === undefined || key === '') return ok(provider);
    const ref = provider.secrets_ref ?? `provider/${provider.id}`;
    const stored = secrets.set(ref, key, { unprotected });
    return stored.ok ? ok({ ...provider, secrets_ref: ref }) : stored;
  };
  return {
    async save(provider, key) {
      const kept = keep(provider, key);
      return kept.ok ? refreshed(file.save(kept.value)) : kept;
    },
    async remove(id) {
      const known = file.read();
      if (!known.ok) return known;
      const ref = known.value.find((provider) => provider.id === id)?.secrets_ref;
      const removed = file.remove(id);
      if (removed.ok && ref) secrets.remove(ref);
      return refreshed(removed);
    },
  };
}
