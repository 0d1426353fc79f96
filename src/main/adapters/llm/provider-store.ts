import { appError } from '#shared/app-error';
import type { Provider } from '#shared/model';
import { err, ok, type Result } from '#shared/result';
import type { Secrets } from '../../../core/ports/secrets';
import { readAddress, sameOrigin } from './address';
import type { ProviderFile } from './provider-file';

export interface ProviderStoreDeps {
  readonly file: ProviderFile;
  readonly secrets: Secrets;
}

export interface ProviderToSave {
  /**
   * Without a `model`, the stored one stays. Its `secrets_ref` is ignored: a provider configured in the
   * window cannot refer to the key of another.
   */
  readonly provider: Provider;
  /** Absent: the stored key stays, as long as the provider's origin is unchanged. Empty: removes the key. */
  readonly key?: string | undefined;
  readonly unprotected?: boolean | undefined;
}

/** Saves and removes providers together with their keys. */
export type ProviderStore = ReturnType<typeof createProviderStore>;

export function createProviderStore({ file, secrets }: ProviderStoreDeps) {
  const find = (id: string): Result<Provider | undefined> => {
    const read = file.read();
    return read.ok ? ok(read.value.find((provider) => provider.id === id)) : read;
  };
  return {
    /** Errors: CONFIG/INVALID (an invalid `providers.json`, an unusable address or id), HOST/STORAGE. */
    save({ provider, key, unprotected = false }: ProviderToSave): Result<null> {
      const before = find(provider.id);
      if (!before.ok) return before;
      const address = readAddress(provider.baseUrl);
      if (!address.ok) return address;
      const saved = entryOf({ ...provider, baseUrl: address.value.baseUrl }, before.value, key);
      if (key !== undefined && key.trim() !== '') {
        // Store the key first: an entry must never name a missing key.
        const kept = secrets.set(ownRef(provider.id), key.trim(), { unprotected });
        if (!kept.ok) return kept;
      }
      const written = file.save(saved);
      return written.ok && dropsKey(before.value, saved) ? secrets.remove(ownRef(provider.id)) : written;
    },
    remove(id: string): Result<null> {
      const before = find(id);
      if (!before.ok) return before;
      if (before.value === undefined)
        return err(appError('HOST', 'NOT_FOUND', `There is no provider "${id}".`));
      const removed = file.remove(id);
      if (!removed.ok || before.value.secrets_ref !== ownRef(id)) return removed;
      return secrets.remove(ownRef(id));
    },
  };
}

/** The storage name of the key of a provider configured in the window. */
const ownRef = (id: string): string => `provider.${id}`;

/**
 * The entry to write: its previous model and prices when the input has none, and the storage name of its key.
 */
function entryOf(provider: Provider, before: Provider | undefined, key: string | undefined): Provider {
  const ref = secretRef(provider, before, key);
  const { secrets_ref: _given, ...entry } = provider;
  return {
    ...(before?.model !== undefined && { model: before.model }),
    ...(before?.prices !== undefined && { prices: before.prices }),
    // Headers may hold a key: they stay behind when the origin changes.
    ...(before !== undefined && !sameOrigin(before.baseUrl, provider.baseUrl) && { headers: {} }),
    ...entry,
    ...(ref !== undefined && { secrets_ref: ref }),
  };
}

/** Whether the previous entry named its own key and the saved one does not. */
function dropsKey(before: Provider | undefined, saved: Provider): boolean {
  return before?.secrets_ref === ownRef(saved.id) && saved.secrets_ref === undefined;
}

/** A key belongs to the origin it was entered for: at another origin the user must enter it again. */
function secretRef(
  provider: Provider,
  before: Provider | undefined,
  key: string | undefined,
): string | undefined {
  if (key !== undefined) return key.trim() === '' ? undefined : ownRef(provider.id);
  return before !== undefined && sameOrigin(before.baseUrl, provider.baseUrl)
    ? before.secrets_ref
    : undefined;
}
