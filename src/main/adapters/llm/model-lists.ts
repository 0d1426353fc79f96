import type { AppError } from '#shared/app-error';
import type { Abilities } from '#shared/known-models';
import type { ModelPrice, ProviderModels } from '#shared/model';
import { err, ok, type Result } from '#shared/result';
import type { z } from 'zod';
import { readAddress } from './address';
import type { HttpDeps } from './attempt';
import { createDeadline } from './deadline';
import { invalidFailure, timeoutError, type Endpoint } from './failure';
import { createSdk, readAtMost } from './openai-http';
import { endpointOf, type KnownProvider } from './provider-directory';
import { contextOf, listedAbilities, listedPrice, ModelList } from './model-list';
import { toLlmError } from './to-llm-error';
import { wires } from './wires';

const maxListBytes = 8 * 1024 * 1024;

/** A provider's model list: the sorted ids, and what it reports of each model. */
export interface ListedModels extends ListedFacts {
  readonly ids: readonly string[];
}

type ListedFacts = Pick<ProviderModels, 'contextTokens' | 'abilities' | 'prices'>;

/** Fetches a provider's models (`GET /models`) within `ms` milliseconds. */
export async function fetchModels(
  deps: HttpDeps,
  endpoint: Endpoint,
  ms: number,
): Promise<Result<ListedModels>> {
  const deadline = createDeadline(deps.clock, new AbortController().signal);
  try {
    deadline.within(ms);
    const wire = wires[endpoint.wire];
    const sdk = await createSdk(endpoint, wire.headers(endpoint), deps.fetch);
    const response = await sdk.get(wire.listPath(endpoint), { signal: deadline.signal }).asResponse();
    const { bytes, whole } = await readAtMost(response, maxListBytes);
    const list = whole ? parseList(new TextDecoder().decode(bytes), endpoint.listPrefix) : null;
    return list === null ? err(invalidFailure('no readable list of models', endpoint).error) : ok(list);
  } catch (thrown) {
    if (deadline.late()) return err(timeoutError('did not list its models', ms, endpoint).error);
    const context = { endpoint, model: 'list of models', now: deps.clock.now() };
    return err(toLlmError(thrown, context).error);
  } finally {
    deadline.close();
  }
}

function parseList(text: string, prefix = ''): ListedModels | null {
  try {
    const parsed = ModelList.safeParse(JSON.parse(text));
    if (!parsed.success) return null;
    const data = parsed.data.data.map((model) => ({
      ...model,
      id: model.id.startsWith(prefix) ? model.id.slice(prefix.length) : model.id,
    }));
    return { ids: [...new Set(data.map(({ id }) => id))].sort(), ...factsOf(data) };
  } catch {
    return null;
  }
}

/** What a list reports, by model; absent when it reports nothing. */
function factsOf(data: z.infer<typeof ModelList>['data']): ListedFacts {
  const contextTokens: Record<string, number> = {};
  const abilities: Record<string, Abilities> = {};
  const prices: Record<string, ModelPrice> = {};
  for (const model of data) {
    const context = contextOf(model);
    if (context !== undefined) contextTokens[model.id] = context;
    const known = listedAbilities(model);
    if (Object.keys(known).length > 0) abilities[model.id] = known;
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

const notForChat =
  /embed|whisper|tts|dall-e|moderation|image|audio|realtime|transcribe|rerank|sora|davinci|babbage/i;

/** The default model: the first whose name suggests a chat model. */
export function firstChatModel(models: readonly string[]): string | undefined {
  return models.find((model) => !notForChat.test(model)) ?? models[0];
}
