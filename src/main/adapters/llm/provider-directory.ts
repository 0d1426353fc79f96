import { appError, type AppError } from '#shared/app-error';
import { offlineProviderId, type Provider, type ProviderModels } from '#shared/model';
import { err, ok, type Result } from '#shared/result';
import type { Secrets } from '../../../core/ports/secrets';
import { readAddress, sameAddress } from './address';
import type { Endpoint } from './failure';
import { environmentProviderId, type ProviderFile } from './provider-file';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A usable provider, whatever its source. */
export interface KnownProvider {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly source: Exclude<ProviderModels['source'], 'offline'>;
  readonly model?: string | undefined;
  /** The prices of its models, as far as its entry has them. */
  readonly prices?: Provider['prices'] | undefined;
  /** Null when the provider needs no key; read again for each request. */
  readonly key: () => Result<string | null>;
}

/** Servers to discover on loopback when no other source names them. */
export interface LocalServer {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
}

export const localServers: readonly LocalServer[] = [
  { id: 'ollama', name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { id: 'lm-studio', name: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1' },
];

export interface DirectoryDeps {
  readonly file: ProviderFile;
  readonly env: Environment;
  readonly secrets: Secrets;
  readonly localServers: readonly LocalServer[];
}

/** The usable providers, in order of precedence: environment, `providers.json`, loopback. */
export type ProviderDirectory = ReturnType<typeof createProviderDirectory>;

export function createProviderDirectory(deps: DirectoryDeps) {
  const names = new Map(deps.localServers.map(({ id, name }) => [id, name]));
  names.set(environmentProviderId, 'Environment');

  const environment = () => environmentProvider(deps.env);
  const configured = (): Result<readonly KnownProvider[]> => {
    const read = deps.file.read();
    if (!read.ok) return read;
    for (const provider of read.value) names.set(provider.id, provider.name);
    return ok(read.value.map((provider) => configuredProvider(provider, deps.secrets)));
  };
  const named = (): readonly KnownProvider[] => {
    const fromFile = configured();
    const fromEnvironment = environment();
    return [
      ...(fromEnvironment?.ok === true ? [fromEnvironment.value] : []),
      ...(fromFile.ok ? fromFile.value : []),
    ];
  };
  const local = (): readonly KnownProvider[] => {
    const known = named();
    return deps.localServers
      .filter(({ id, baseUrl }) => !known.some((one) => one.id === id || sameAddress(one.baseUrl, baseUrl)))
      .map((server) => ({ ...server, source: 'discovered', key: () => ok(null) }));
  };
  const find = (id: string): Result<KnownProvider> => {
    if (id === environmentProviderId) return environment() ?? err(gone(id));
    const fromFile = configured();
    const found = fromFile.ok ? fromFile.value.find((provider) => provider.id === id) : undefined;
    const server = found ?? deps.localServers.find((candidate) => candidate.id === id);
    if (server === undefined) return fromFile.ok ? err(gone(names.get(id) ?? id)) : fromFile;
    return ok(found ?? { ...server, source: 'discovered', key: () => ok(null) });
  };
  configured();
  return {
    environment,
    configured /** Servers on loopback that no other provider names; they may not be running. */,
    local /** Errors: CONFIG/INVALID when the file that would contain the provider is invalid, else HOST/NOT_FOUND. */,
    find /** Last known display name. */,
    name: (id: string): string => names.get(id) ?? id,
  };
}

/**
 * The target of the provider's requests, with its key. Errors: CONFIG when the address or the stored key is
 * unusable.
 */
export function endpointOf(provider: Pick<KnownProvider, 'name' | 'baseUrl' | 'key'>): Result<Endpoint> {
  const address = readAddress(provider.baseUrl);
  if (!address.ok) return address;
  const key = provider.key();
  if (!key.ok) return err(keyGone(provider.name, key.error));
  const { baseUrl, loopback } = address.value;
  const clean = key.value?.trim() ?? '';
  // A key with characters that headers do not allow would make the request throw an error that contains the
  // key.
  if (!/^[\x21-\x7e]*$/.test(clean)) {
    return err(
      appError('LLM', 'AUTH', `The key of ${provider.name} contains characters that no key has.`, {
        hint: 'Enter the key again in Settings → Models, without spaces or line breaks.',
      }),
    );
  }
  return ok({ name: provider.name, baseUrl, loopback, key: clean === '' ? null : clean });
}

function environmentProvider(env: Environment): Result<KnownProvider> | null {
  const [baseUrl, key, model] = ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'PATINA_MODEL'].map(
    (name) => env[name]?.trim() || undefined,
  );
  if (baseUrl === undefined && key === undefined) return null;
  const address = readAddress(baseUrl ?? 'https://api.openai.com/v1');
  if (!address.ok) {
    return err({ ...address.error, message: `OPENAI_BASE_URL: ${address.error.message}` });
  }
  return ok({
    id: environmentProviderId,
    name: `Environment (${address.value.host})`,
    baseUrl: address.value.baseUrl,
    source: 'environment',
    model,
    key: () => ok(key ?? null),
  });
}

function configuredProvider(provider: Provider, secrets: Secrets): KnownProvider {
  const { id, name, baseUrl, model, prices, secrets_ref: ref } = provider;
  const key = () => (ref === undefined ? ok(null) : secrets.get(ref));
  return { id, name, baseUrl, model, prices, key, source: 'configured' };
}

function keyGone(name: string, error: AppError): AppError {
  const hint = error.hint ?? 'Enter the key again in Settings → Models, or choose another model.';
  return { ...error, message: `The key of the provider "${name}" cannot be used. ${error.message}`, hint };
}

function gone(name: string) {
  if (name === environmentProviderId) {
    return appError('HOST', 'NOT_FOUND', 'The model provider of the environment is not set up any more.', {
      hint: 'Set OPENAI_BASE_URL or OPENAI_API_KEY again and restart Patina, or choose another model.',
    });
  }
  const what = name === offlineProviderId ? 'The offline provider' : `The provider "${name}"`;
  return appError('HOST', 'NOT_FOUND', `${what} is not set up any more.`, {
    hint: 'Choose another model, or set the provider up again in Settings → Models.',
  });
}
