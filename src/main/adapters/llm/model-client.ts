import type { AppError } from '#shared/app-error';
import {
  firstChatModel,
  offlineModel,
  offlineProviderId,
  unnamedModel,
  type ModelPrice,
  type ModelRef,
  type ProviderModels,
} from '#shared/model';
import type { ProviderRow } from '#shared/provider-row';
import { ok, type Result } from '#shared/result';
import type { Clock } from '../../../core/ports/clock';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../core/ports/llm';
import type { Secrets } from '../../../core/ports/secrets';
import { readAddress, sameOrigin, type Address } from './address';
import { attemptReply, type AttemptEvent, type HttpDeps } from './attempt';
import { createUnsupportedFeatures } from './unsupported-features';
import { llmLimits, type LlmLimits } from './limits';
import { discover, fetchIds, listProvider, sentence } from './model-lists';
import type { OfflineProvider } from './offline-provider';
import type { Fetch } from './openai-http';
import {
  createProviderDirectory,
  endpointOf,
  organizationHeader,
  type Environment,
  type LocalServer,
  type KnownProvider,
  type ProviderDirectory,
} from './provider-directory';
import { createProviderFile } from './provider-file';
import { type Endpoint, type Failure, cancelled } from './failure';
import { detectWire } from './wires';

export interface ModelClientDeps {
  /** `PATINA_HOME` */
  readonly home: string;
  readonly env: Environment;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly offline: OfflineProvider;
  readonly fetch?: Fetch;
  readonly limits?: Partial<LlmLimits>;
  /** What is known about providers; those marked are looked for on this computer. */
  readonly rows?: readonly ProviderRow[];
  readonly localServers?: readonly LocalServer[];
  readonly prices?: PriceLists;
}

/** Lists of prices; `providers` are the ids that a price may name: the provider's own and that of its row. */
export interface PriceLists {
  /** The user's list: it wins over what the provider itself reports. */
  readonly own: PriceList;
  /** What Patina knows: used where the provider reports nothing. */
  readonly known: PriceList;
}
type PriceList = (providers: readonly (string | undefined)[], model: string) => ModelPrice | null;

/** Combines every provider behind one stream. Reads files and the network on request, never on creation. */
export function createModelClient(deps: ModelClientDeps): ModelClient {
  const limits = { ...llmLimits, ...deps.limits };
  const http: HttpDeps = {
    fetch: deps.fetch ?? globalThis.fetch,
    clock: deps.clock,
    limits,
    refused: createUnsupportedFeatures(),
  };
  const rows = deps.rows ?? [];
  const directory = createProviderDirectory({
    file: createProviderFile({ home: deps.home }),
    env: deps.env,
    secrets: deps.secrets,
    rows,
    localServers: deps.localServers ?? rows.filter(({ discovered }) => discovered),
  });
  const pricing = createPricing(deps.prices);
  const lists = createLists(directory, http, pricing);

  return {
    stream(request, signal) {
      if (request.model.providerId !== offlineProviderId) return online(directory, http, request, signal);
      return deps.offline.stream(request, signal, { others: lists.known() });
    },
    listModels: (refresh) => lists.get(refresh),
    priceOf({ providerId, model }) {
      const found = providerId === offlineProviderId ? null : directory.find(providerId);
      if (found?.ok !== true) return null;
      const listed = lists.known().find((provider) => provider.providerId === providerId);
      return pricing(found.value, model, listed?.prices?.[model]);
    },
    providerName: (id) => (id === offlineProviderId ? deps.offline.name : directory.name(id)),
    hasProvider: (id) => id === offlineProviderId || directory.find(id).ok,
    defaultModel: () => defaultModel(directory, lists.get),
    setupProblem: () => setupProblem(directory),
    probe: (address) => probe(directory, http, address),
  };
}

async function* online(
  directory: ProviderDirectory,
  http: HttpDeps,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const provider = directory.find(request.model.providerId);
  const endpoint = provider.ok ? endpointOf(provider.value) : provider;
  if (endpoint.ok) yield* retryingReply(http, endpoint.value, request, signal);
  else yield { type: 'error', error: endpoint.error, unanswered: true };
}

type Pricing = (
  provider: Pick<KnownProvider, 'id' | 'prices' | 'row'>,
  model: string,
  listed: ModelPrice | undefined,
) => ModelPrice | null;

/** The price of a model: the user's own before that of the provider, and what Patina knows comes last. */
function createPricing(lists: PriceLists | undefined): Pricing {
  return ({ id, prices, row }, model, listed) => {
    const providers = [id, row?.id];
    return (
      prices?.[model] ?? lists?.own(providers, model) ?? listed ?? lists?.known(providers, model) ?? null
    );
  };
}

/** A listed provider with a price for each model that has one. */
function withPrices(listed: ProviderModels, provider: KnownProvider, pricing: Pricing): ProviderModels {
  const priced = listed.models.flatMap((model) => {
    const price = pricing(provider, model, listed.prices?.[model]);
    return price ? [[model, price] as const] : [];
  });
  return { ...listed, ...(priced.length > 0 && { prices: Object.fromEntries(priced) }) };
}

/** Lists all providers concurrently; at most one request per provider at a time, cached until `refresh`. */
function createLists(directory: ProviderDirectory, http: HttpDeps, pricing: Pricing) {
  let known: readonly ProviderModels[] = [];
  let pending: Promise<readonly ProviderModels[]> | null = null;
  const get = (refresh: boolean): Promise<readonly ProviderModels[]> => {
    if (pending !== null && !refresh) return pending;
    const question = ask(directory, http, pricing).then((found) => (known = found));
    pending = question;
    return question;
  };
  return { get, known: () => known };
}

async function ask(
  directory: ProviderDirectory,
  http: HttpDeps,
  pricing: Pricing,
): Promise<readonly ProviderModels[]> {
  const environments = directory.environments();
  const configured = directory.configured();
  const [named, local] = await Promise.all([
    Promise.all(
      [
        ...environments.flatMap((read) => (read.ok ? [read.value] : [])),
        ...(configured.ok ? configured.value : []),
      ].map(async (provider) => withPrices(await listProvider(http, provider), provider, pricing)),
    ),
    Promise.all(directory.local().map((provider) => discover(http, provider))),
  ]);
  return [
    ...environments.flatMap((read) =>
      read.ok ? [] : [unusable('environment', 'Environment', sentence(read.error))],
    ),
    ...named,
    ...(configured.ok ? [] : [unusable('configured', 'providers.json', sentence(configured.error))]),
    ...local.filter((found) => found !== null),
    offlineEntry,
  ];
}

const offlineEntry: ProviderModels = {
  providerId: offlineProviderId,
  name: 'Offline (no model)',
  source: 'offline',
  hasKey: false,
  models: [offlineModel.model],
};

function unusable(source: 'environment' | 'configured', name: string, problem: string): ProviderModels {
  return { providerId: name, name, source, hasKey: false, models: [], problem };
}

async function defaultModel(
  directory: ProviderDirectory,
  lists: (refresh: boolean) => Promise<readonly ProviderModels[]>,
): Promise<ModelRef> {
  const configured = directory.configured();
  const usable = directory.environments().flatMap((read) => (read.ok ? [read.value] : []));
  const first =
    usable.find(({ model }) => model !== undefined) ??
    usable[0] ??
    (configured.ok ? configured.value[0] : undefined);
  if (first === undefined) return offlineModel;
  if (first.model !== undefined) return { providerId: first.id, model: first.model };
  const listed = (await lists(false)).find(({ providerId }) => providerId === first.id);
  return { providerId: first.id, model: firstChatModel(listed?.models ?? []) ?? unnamedModel };
}

function setupProblem(directory: ProviderDirectory): AppError | null {
  const failed = [...directory.environments(), directory.configured()].find((read) => !read.ok);
  return failed?.ok === false ? failed.error : null;
}

type ProbedAddress = Readonly<Parameters<ModelClient['probe']>[0]>;

async function probe(
  directory: ProviderDirectory,
  http: HttpDeps,
  probed: ProbedAddress,
): Promise<Result<readonly string[]>> {
  const address = readAddress(probed.baseUrl);
  if (!address.ok) return address;
  const { host, baseUrl } = address.value;
  const key = probedKey(directory, probed, address.value);
  const known = probed.id === undefined ? undefined : directory.find(probed.id);
  // Headers may hold a key too: like the key, they belong to their origin.
  const stored: Partial<KnownProvider> =
    known?.ok === true && sameOrigin(known.value.baseUrl, baseUrl) ? known.value : {};
  const { limits, proxy = null } = stored;
  const wire = probed.wire ?? detectWire(baseUrl);
  const endpoint = endpointOf({
    name: host,
    baseUrl,
    wire,
    headers: probedHeaders(probed, stored.headers),
    limits,
    key: () => key,
    proxy: (probed.proxy === undefined ? proxy : probed.proxy) ?? undefined,
    row: directory.rowOf(baseUrl),
  });
  if (!endpoint.ok) return endpoint;
  return fetchIds(http, endpoint.value, http.limits.listMs);
}

/** The headers of a test: those of the form, and from the stored ones what the form cannot show. */
function probedHeaders(
  { headers, organization }: ProbedAddress,
  stored: KnownProvider['headers'] = {},
): KnownProvider['headers'] {
  if (headers === undefined) return stored;
  const shown = Object.entries(headers).map(([name, value]) => [name, value ?? stored[name]] as const);
  return Object.fromEntries([
    ...(organization ? [[organizationHeader, organization] as const] : []),
    ...shown.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  ]);
}

function probedKey(
  directory: ProviderDirectory,
  { key, id, keyVariable }: ProbedAddress,
  address: Address,
): Result<string | null> {
  if (key !== undefined) return ok(key);
  if (keyVariable === undefined) return storedKey(directory, id, address);
  return directory.variableKey(keyVariable, address.baseUrl);
}

/** Returns the stored key only for the origin it was stored for. */
function storedKey(
  directory: ProviderDirectory,
  id: string | undefined,
  address: Address,
): Result<string | null> {
  const stored = id === undefined ? undefined : directory.find(id);
  if (stored?.ok !== true) return ok(null);
  return sameOrigin(stored.value.baseUrl, address.baseUrl) ? stored.value.key() : ok(null);
}
/**
 * Streams a reply and retries while no part of it has arrived: after 429 and 5xx, after the delay that the
 * server requests (`Retry-After`), else after 1, 2, 4 seconds. `retrying` announces each delay, which ends at
 * once when the caller cancels.
 */
export async function* retryingReply(
  deps: HttpDeps,
  endpoint: Endpoint,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  for (let tries = 0; ; tries++) {
    const failed = yield* once(attemptReply(deps, endpoint, request, signal), signal);
    if (failed === undefined) return;
    const { retries, ...rest } = failed;
    const wait = tries >= retries ? undefined : waitBefore(failed, tries, deps.limits);
    if (wait === undefined) {
      yield { type: 'error', ...rest };
      return;
    }
    yield { type: 'retrying', inMs: wait, error: failed.error };
    await waited(wait, deps.clock, signal);
    if (signal.aborted) {
      yield { type: 'error', ...rest, error: cancelled().error };
      return;
    }
  }
}
/**
 * Forwards one attempt; returns why it failed. Once a part of the reply is forwarded, a retry is impossible.
 */

async function* once(
  attempt: AsyncIterable<AttemptEvent>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, Failure | undefined> {
  let anything = false;
  for await (const event of attempt) {
    if (signal.aborted) return cancelled();
    if (event.type === 'failed') return anything ? { ...event.failure, retries: 0 } : event.failure;
    anything = true;
    yield event;
  }
  return undefined;
}
function waitBefore(failed: Failure, tries: number, limits: LlmLimits): number | undefined {
  // A server that is busy and names no time to come, as one whose clock is late, is not asked at once.
  const wait = failed.error.retryAfterMs || limits.retryMs * 2 ** tries;
  return wait > limits.maxRetryMs ? undefined : wait;
}
/** A timer stands still while the computer sleeps, so a long delay is compared with the time of day this often. */
const maxTimerMs = 60_000;

/** Resolves after the delay, or as soon as the caller cancels. */
async function waited(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const end = clock.now() + ms;
  let left = ms;
  while (left > 0 && !signal.aborted) {
    const next = Math.min(left, maxTimerMs);
    await timer(next, clock, signal);
    left = Math.min(left - next, end - clock.now());
  }
}

function timer(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // Between two requests, only this timer keeps a command-line process alive.
    const stop = clock.after(ms, done, true);
    function done(): void {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
