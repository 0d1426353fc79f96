import { appError, type AppError } from '#shared/app-error';
import {
  offlineProviderId,
  type ModelRef,
  type Provider,
  type ProviderModels,
  type WireName,
} from '#shared/model';
import { isKeyOf, isRowOf, type ProviderRow } from '#shared/provider-row';
import { err, ok, type Result } from '#shared/result';
import type { Secrets } from '../../../core/ports/secrets';
import { readAddress, sameAddress } from './address';
import type { Endpoint } from './failure';
import { anthropicEnvironmentId, environmentProviderId, type ProviderFile } from './provider-file';
import { detectWire } from './wires';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A usable provider, whatever its source. */
export interface KnownProvider {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly source: Exclude<ProviderModels['source'], 'offline'>;
  readonly wire: WireName;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Endpoint['limits'];
  readonly proxy?: string | undefined;
  readonly model?: string | undefined;
  /** Models that the user typed. */
  readonly models?: readonly string[] | undefined;
  /** The prices of its models, as far as its entry has them. */
  readonly prices?: Provider['prices'] | undefined;
  /** What is known about the provider at this address. */
  readonly row?: ProviderRow | undefined;
  /** Null when the provider needs no key; read again for each request. */
  readonly key: () => Result<string | null>;
}

/** Servers to discover on loopback when no other source names them. */
export type LocalServer = Pick<ProviderRow, 'id' | 'name' | 'baseUrl'>;

export interface DirectoryDeps {
  readonly file: ProviderFile;
  readonly env: Environment;
  readonly secrets: Secrets;
  readonly localServers: readonly LocalServer[];
  readonly rows: readonly ProviderRow[];
}

/** The usable providers, in order of precedence: environment, `providers.json`, loopback. */
export type ProviderDirectory = ReturnType<typeof createProviderDirectory>;

export function createProviderDirectory(deps: DirectoryDeps) {
  const names = new Map(deps.localServers.map(({ id, name }) => [id, name]));
  names.set(environmentProviderId, 'Environment');
  names.set(anthropicEnvironmentId, 'Environment (Anthropic)');

  const rowOf = (baseUrl: string) => deps.rows.find((row) => isRowOf(row, baseUrl));
  const withRow = (provider: KnownProvider): KnownProvider => ({
    ...provider,
    row: rowOf(provider.baseUrl),
  });
  const environments = () =>
    environmentProviders(deps.env).map((read) => (read.ok ? ok(withRow(read.value)) : read));
  const configured = (): Result<readonly KnownProvider[]> => {
    const read = deps.file.read();
    if (!read.ok) return read;
    for (const provider of read.value) names.set(provider.id, provider.name);
    return ok(read.value.map((provider) => withRow(configuredProvider(provider, deps))));
  };
  const named = (): readonly KnownProvider[] => {
    const fromFile = configured();
    return [
      ...environments().flatMap((read) => (read.ok ? [read.value] : [])),
      ...(fromFile.ok ? fromFile.value : []),
    ];
  };
  const local = (): readonly KnownProvider[] => {
    const known = named();
    return deps.localServers
      .filter(({ id, baseUrl }) => !known.some((one) => one.id === id || sameAddress(one.baseUrl, baseUrl)))
      .map(discovered)
      .map(withRow);
  };
  const find = (id: string): Result<KnownProvider> => {
    if (id === environmentProviderId || id === anthropicEnvironmentId) {
      return environments().find((read) => !read.ok || read.value.id === id) ?? err(gone(id));
    }
    const fromFile = configured();
    const found = fromFile.ok ? fromFile.value.find((provider) => provider.id === id) : undefined;
    const server = found ?? deps.localServers.find((candidate) => candidate.id === id);
    if (server === undefined) return fromFile.ok ? err(gone(names.get(id) ?? id)) : fromFile;
    return ok(found ?? withRow(discovered(server)));
  };
  configured();
  return {
    environments,
    configured,
    /** Servers on loopback that no other provider names; they may not be running. */
    local,
    /** Errors: CONFIG/INVALID when the file that would contain the provider is invalid, else HOST/NOT_FOUND. */
    find,
    rowOf,
    /** The key in a variable, only for the addresses that may receive it. */
    variableKey: (variable: string, baseUrl: string): Result<string | null> =>
      deps.rows.some((row) => isKeyOf(row, variable, baseUrl, deps.env))
        ? keyIn(variable, deps.env)
        : ok(null),
    /** Last known display name. */
    name: (id: string): string => names.get(id) ?? id,
  };
}

/**
 * The target of the provider's requests, with its key. Errors: CONFIG when the address or the stored key is
 * unusable.
 */
export function endpointOf(
  provider: Pick<KnownProvider, 'name' | 'baseUrl' | 'key' | 'wire' | 'headers' | 'limits' | 'proxy' | 'row'>,
): Result<Endpoint> {
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
  const { name, wire, headers, limits, proxy, row } = provider;
  return ok({
    name,
    baseUrl,
    loopback,
    wire,
    headers,
    limits,
    proxy,
    omits: row?.omits,
    callIds: row?.callIds,
    cacheMarks: row?.cacheMarks,
    listPrefix: row?.listPrefix,
    details: row?.details,
    key: clean === '' ? null : clean,
  });
}

/** The variables of one protocol's usual tools, and the provider that they describe. */
const variables = [
  {
    id: environmentProviderId,
    url: 'OPENAI_BASE_URL',
    key: 'OPENAI_API_KEY',
    home: 'https://api.openai.com/v1',
    name: 'Environment',
  },
  {
    id: anthropicEnvironmentId,
    url: 'ANTHROPIC_BASE_URL',
    key: 'ANTHROPIC_API_KEY',
    home: 'https://api.anthropic.com',
    name: 'Environment, Anthropic',
    wire: 'anthropic',
  },
] as const;

function environmentProviders(env: Environment): readonly Result<KnownProvider>[] {
  const valueOf = (name: string) => env[name]?.trim() || undefined;
  const set = variables.filter(({ url, key }) => valueOf(url) !== undefined || valueOf(key) !== undefined);
  const model = valueOf('PATINA_MODEL');
  return set.map((row) => {
    const address = readAddress(valueOf(row.url) ?? row.home);
    if (!address.ok) return err({ ...address.error, message: `${row.url}: ${address.error.message}` });
    const { baseUrl, host } = address.value;
    // With both set, the name says whose model it is.
    const own = set.length === 1 || (row.id === anthropicEnvironmentId) === model?.startsWith('claude');
    return ok({
      id: row.id,
      name: `${row.name} (${host})`,
      baseUrl,
      wire: 'wire' in row ? row.wire : detectWire(baseUrl),
      source: 'environment',
      model: own ? model : undefined,
      key: () => ok(valueOf(row.key) ?? null),
    });
  });
}

/** The model that `PATINA_MODEL` names at one of the environment's addresses. */
export function environmentModel(env: Environment): ModelRef | null {
  const named = environmentProviders(env).flatMap((read) => (read.ok ? [read.value] : []));
  const [first] = named.flatMap(({ id, model }) => (model === undefined ? [] : [{ providerId: id, model }]));
  return first ?? null;
}

const discovered = (server: LocalServer): KnownProvider => ({
  ...server,
  wire: 'chat',
  source: 'discovered',
  key: () => ok(null),
});

export const organizationHeader = 'OpenAI-Organization';

function configuredProvider(
  provider: Provider,
  { secrets, env }: Pick<DirectoryDeps, 'secrets' | 'env'>,
): KnownProvider {
  const { id, name, baseUrl, model, models, prices, timeouts, organization, proxy } = provider;
  const { secrets_ref: ref, key_variable: variable } = provider;
  const stored = () => (ref === undefined ? ok(null) : secrets.get(ref));
  const key = () => (variable === undefined ? stored() : keyIn(variable, env));
  const headers = {
    ...(organization !== undefined && { [organizationHeader]: organization }),
    ...provider.headers,
  };
  const limits = {
    ...(timeouts?.first !== undefined && { headersMs: timeouts.first * 1000 }),
    ...(timeouts?.idle !== undefined && { idleMs: timeouts.idle * 1000 }),
  };
  const wire = provider.wire ?? detectWire(baseUrl);
  return {
    id,
    name,
    baseUrl,
    wire,
    headers,
    limits,
    proxy,
    model,
    models,
    prices,
    key,
    source: 'configured',
  };
}

function keyIn(variable: string, env: Environment): Result<string> {
  const value = env[variable]?.trim();
  if (value) return ok(value);
  return err(
    appError('CONFIG', 'MISSING', `The environment variable ${variable} is not set.`, {
      hint: `Set ${variable} and restart Patina, or enter a key in Settings → Models.`,
    }),
  );
}

function keyGone(name: string, error: AppError): AppError {
  const hint = error.hint ?? 'Enter the key again in Settings → Models, or choose another model.';
  return { ...error, message: `The key of the provider "${name}" cannot be used. ${error.message}`, hint };
}

function gone(name: string) {
  if (name === environmentProviderId || name === anthropicEnvironmentId) {
    const row = variables.find(({ id }) => id === name);
    return appError('HOST', 'NOT_FOUND', 'The model provider of the environment is not set up any more.', {
      hint: `Set ${row?.url} or ${row?.key} again and restart Patina, or choose another model.`,
    });
  }
  const what = name === offlineProviderId ? 'The offline provider' : `The provider "${name}"`;
  return appError('HOST', 'NOT_FOUND', `${what} is not set up any more.`, {
    hint: 'Choose another model, or set the provider up again in Settings → Models.',
  });
}
