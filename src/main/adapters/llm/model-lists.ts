import type { AppError } from '#shared/app-error';
import type { Abilities } from '#shared/known-models';
import type { ModelPrice, ProviderModels } from '#shared/model';
import { ok, type Result } from '#shared/result';
import { readAddress } from './address';
import type { HttpDeps } from './attempt';
import type { Endpoint } from './failure';
import { openJsonRequests } from './json-requests';
import { fetchDetails } from './model-details';
import { contextOf, listedAbilities, listedPrice, ModelList, type ListedModel } from './model-list';
import { endpointOf, type KnownProvider } from './provider-directory';
import { wires } from './wires';

const maxBytes = 8 * 1024 * 1024;

/** A provider's model list: the sorted ids, and what it reports of each model. */
interface ListedModels extends ListedFacts {
  readonly ids: readonly string[];
}

type ListedFacts = Pick<ProviderModels, 'contextTokens' | 'abilities' | 'prices'>;

/** Fetches the entries of a provider's list (`GET /models`) within `ms` milliseconds. */
async function fetchList(
  deps: HttpDeps,
  endpoint: Endpoint,
  ms: number,
): Promise<Result<readonly ListedModel[]>> {
  const wire = wires[endpoint.wire];
  const headers = wire.headers(endpoint);
  const requests = openJsonRequests(deps, endpoint, { ms, headers, what: 'list of models', maxBytes });
  const list = await requests.json(ModelList, wire.listPath(endpoint));
  requests.close();
  return list.ok ? ok(list.value.data.map((model) => withoutPrefix(model, endpoint))) : list;
}

const withoutPrefix = (model: ListedModel, { listPrefix = '' }: Endpoint): ListedModel =>
  model.id.startsWith(listPrefix) ? { ...model, id: model.id.slice(listPrefix.length) } : model;

const idsOf = (data: readonly ListedModel[]): readonly string[] =>
  [...new Set(data.map(({ id }) => id))].sort();

/** The ids of a provider's models, as its list names them. Errors: LLM. */
export async function fetchIds(
  deps: HttpDeps,
  endpoint: Endpoint,
  ms: number,
): Promise<Result<readonly string[]>> {
  const list = await fetchList(deps, endpoint, ms);
  return list.ok ? ok(idsOf(list.value)) : list;
}

/** Fetches a provider's list within `ms` milliseconds, and what it says of its models elsewhere. Errors: LLM. */
async function fetchModels(deps: HttpDeps, endpoint: Endpoint, ms: number): Promise<Result<ListedModels>> {
  const list = await fetchList(deps, endpoint, ms);
  if (!list.ok) return list;
  const ids = idsOf(list.value);
  const details = await fetchDetails(deps, endpoint, ids);
  return ok({
    ids,
    ...factsOf([...list.value, ...details.map((model) => withoutPrefix(model, endpoint))]),
  });
}

/** What is reported, by model; absent when it is nothing. A later entry of a model adds to the earlier one. */
function factsOf(data: readonly ListedModel[]): ListedFacts {
  const contextTokens: Record<string, number> = {};
  const abilities: Record<string, Abilities> = {};
  const prices: Record<string, ModelPrice> = {};
  for (const model of data) {
    const context = contextOf(model);
    if (context !== undefined) contextTokens[model.id] = context;
    const known = listedAbilities(model);
    if (Object.keys(known).length > 0) abilities[model.id] = { ...abilities[model.id], ...known };
    const price = listedPrice(model);
    if (price) prices[model.id] = price;
  }
  const filled = { contextTokens, abilities, prices };
  return Object.fromEntries(Object.entries(filled).filter(([, facts]) => Object.keys(facts).length > 0));
}

/** A provider as the picker shows it: its own model first, any failure or warning in `problem`. */
export async function listProvider(deps: HttpDeps, provider: KnownProvider): Promise<ProviderModels> {
  const endpoint = endpointOf(provider);
  const listed = await listedBy(deps, provider, endpoint);
  const hasKey = endpoint.ok && endpoint.value.key !== null;
  const { ids, ...facts }: ListedModels = listed.ok ? listed.value : { ids: [] };
  const byHand = provider.models ?? [];
  // A provider without a list is usable through the models that the user typed.
  const noList = byHand.length > 0 && !listed.ok && listed.error.code === 'UNAVAILABLE';
  const problem = listed.ok || noList ? exposed(provider, hasKey) : sentence(listed.error);
  return {
    providerId: provider.id,
    name: provider.name,
    baseUrl: provider.baseUrl,
    source: provider.source,
    hasKey,
    models: [...new Set([...(provider.model === undefined ? [] : [provider.model]), ...byHand, ...ids])],
    ...(provider.source === 'environment' && provider.model !== undefined && { preferred: provider.model }),
    ...facts,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** A provider whose models the user types is not asked for a list. */
async function listedBy(
  deps: HttpDeps,
  { row }: KnownProvider,
  endpoint: Result<Endpoint>,
): Promise<Result<ListedModels>> {
  if (!endpoint.ok) return endpoint;
  if (row?.models === 'typed') return ok({ ids: [] });
  return fetchModels(deps, endpoint.value, deps.limits.listMs);
}

/**
 * A discovered server on loopback, or null when it does not answer with a list: nobody configured it, so its
 * failure is not reported.
 */
export async function discover(deps: HttpDeps, provider: KnownProvider): Promise<ProviderModels | null> {
  const endpoint = endpointOf(provider);
  if (!endpoint.ok) return null;
  const listed = await fetchModels(deps, endpoint.value, deps.limits.discoverMs);
  if (!listed.ok) return null;
  const { id, name, baseUrl, source } = provider;
  const { ids, ...facts } = listed.value;
  const models = [...ids];
  return {
    providerId: id,
    name,
    baseUrl,
    source,
    hasKey: false,
    models,
    ...facts,
  };
}

function exposed(provider: KnownProvider, hasKey: boolean): string | undefined {
  const address = readAddress(provider.baseUrl);
  return hasKey && address.ok ? address.value.warning : undefined;
}

/** Formats an error as one line of text: what happened and what to do. */
export function sentence(error: AppError): string {
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}
