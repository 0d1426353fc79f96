import { appError, type AppError } from '#shared/app-error';
import { abilityNames, knownModel, type Abilities, type KnownModels } from '#shared/known-models';
import { createListeners } from '#shared/listeners';
import { localProviderId } from '#shared/local-model';
import { offlineProviderId, type ModelPrice, type ModelRef, type ProviderModels } from '#shared/model';
import { modelKey } from '#shared/model-parameters';
import type { Settings } from '#shared/settings';
import { watchedMaxRetryMs } from '../adapters/llm/limits';
import { createModelClient, type PriceLists } from '../adapters/llm/model-client';
import { localProviderName, type LocalModels } from '../adapters/local-model/local-models';
import { createOfflineProvider } from '../adapters/llm/offline-provider';
import { createPriceLists } from '../adapters/llm/price-lists';
import { createProviderFile } from '../adapters/llm/provider-file';
import { createProviderStore } from '../adapters/llm/provider-store';
import { localDay } from '../adapters/system/system-clock';
import { fetchFor } from '../adapters/system/system-proxy';
import { priceNotice } from '../notices/price-notices';
import { createProviders } from '../settings/providers';
import { createUsageReports } from '../settings/usage';
import type { ModelClient } from '../../core/ports/llm';
import type { ModelLists } from '../../core/sources/window-sources';
import { fitAbilities, maxReplyTokensOf } from '../../core/tools/fit-abilities';
import type { CoreDeps } from './core-deps';
import { composeLocalModels } from './local-models';
import type { Storage } from './storage';

/**
 * The offline provider never silently replaces configured providers that fail: a line for it ends with the
 * reason.
 */
function withoutSilentOffline(models: ModelClient, settings: CoreDeps['settings']): ModelClient {
  const setupProblem = () =>
    settings.get().model?.providerId === offlineProviderId ? null : models.setupProblem();
  return {
    ...models,
    setupProblem,
    async *stream(request, signal) {
      const problem = request.model.providerId === offlineProviderId ? setupProblem() : null;
      if (problem) yield { type: 'error', error: problem, unanswered: true };
      else yield* models.stream(request, signal);
    },
  };
}

interface Known {
  readonly models: KnownModels;
  readonly options: Settings['modelOptions'];
}

/** What is known of one model: the user's own facts before those of the provider, and Patina's list comes last. */
function factsOf(
  provider: Pick<ProviderModels, 'providerId' | 'contextTokens' | 'abilities' | 'prices'>,
  model: string,
  { models, options }: Known,
) {
  const own = options[modelKey({ providerId: provider.providerId, model })] ?? {};
  const known = knownModel(models, model);
  const listed = provider.abilities?.[model];
  const contextTokens = own.contextTokens ?? provider.contextTokens?.[model] ?? known?.contextTokens;
  const abilities = Object.fromEntries(
    abilityNames.flatMap((name) => {
      const value = own[name] ?? listed?.[name] ?? known?.[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  ) as Abilities;
  return { contextTokens, abilities, price: own.price ?? provider.prices?.[model] };
}

/** What a model on this computer can do unless the user says otherwise. */
const localAbilities: Abilities = { images: false, tools: false };

/** A provider whose list was not read yet. */
const unlisted = (providerId: string, model: string) => ({
  providerId,
  ...(providerId === localProviderId && { abilities: { [model]: localAbilities } }),
});

const filled = <T>(facts: Readonly<Record<string, T>>): boolean => Object.keys(facts).length > 0;

function withFacts(provider: ProviderModels, known: Known): ProviderModels {
  const contextTokens: Record<string, number> = {};
  const abilities: Record<string, Abilities> = {};
  const prices: Record<string, ModelPrice> = {};
  for (const model of provider.providerId === offlineProviderId ? [] : provider.models) {
    const facts = factsOf(provider, model, known);
    if (facts.contextTokens !== undefined) contextTokens[model] = facts.contextTokens;
    if (filled(facts.abilities)) abilities[model] = facts.abilities;
    if (facts.price) prices[model] = facts.price;
  }
  const { contextTokens: _sizes, abilities: _abilities, prices: _prices, ...rest } = provider;
  return {
    ...rest,
    ...(filled(contextTokens) && { contextTokens }),
    ...(filled(abilities) && { abilities }),
    ...(filled(prices) && { prices }),
  };
}

const doesNotPlan = (model: string): AppError =>
  appError('LLM', 'UNAVAILABLE', `The model ${model} runs on this computer and is too small to plan.`, {
    hint: 'Ask it in Ask, choose a recipe with /recipe, or choose a larger model for Agent Mode. If it can plan, mark it as calling tools in the list of models.',
  });

function withKnownFacts(models: ModelClient, { settings, seeds }: CoreDeps): ModelClient {
  let listed: readonly ProviderModels[] = [];
  const sources = (): Known => ({ models: seeds.knownModels, options: settings.get().modelOptions });
  /** What is known without asking a provider. */
  const known = ({ providerId, model }: ModelRef) =>
    factsOf(
      listed.find((each) => each.providerId === providerId) ?? unlisted(providerId, model),
      model,
      sources(),
    );
  return {
    ...models,
    async *stream(request, signal) {
      const { abilities, contextTokens } = known(request.model);
      const fitted = fitAbilities(request, abilities);
      if (!fitted.ok) {
        yield { type: 'error', error: fitted.error, unanswered: true };
        return;
      }
      const maxReplyTokens = maxReplyTokensOf(fitted.value, { ...abilities, contextTokens });
      yield* models.stream({ ...fitted.value, ...(maxReplyTokens && { maxReplyTokens }) }, signal);
    },
    callsNoTools: (model) => known(model).abilities.tools === false,
    planRefusal: (model) =>
      model.providerId === localProviderId && known(model).abilities.tools !== true
        ? doesNotPlan(model.model)
        : null,
    priceOf: (model) =>
      settings.get().modelOptions[modelKey(model)]?.price ?? models.priceOf?.(model) ?? null,
    async listModels(refresh) {
      listed = await models.listModels(refresh);
      return listed.map((provider) => withFacts(provider, sources()));
    },
  };
}

/** Answers for the models on this computer; they come before the offline provider, which is always last. */
function withLocalModels(models: ModelClient, local: LocalModels): ModelClient {
  return {
    ...models,
    stream: (request, signal) =>
      request.model.providerId === localProviderId
        ? local.stream(request, signal)
        : models.stream(request, signal),
    async listModels(refresh) {
      const listed = await models.listModels(refresh);
      const provider = local.provider();
      return provider ? [...listed.slice(0, -1), provider, ...listed.slice(-1)] : listed;
    },
    priceOf: (model) =>
      model.providerId === localProviderId ? { input: 0, output: 0 } : (models.priceOf?.(model) ?? null),
    providerName: (id) => (id === localProviderId ? localProviderName : models.providerName(id)),
    hasProvider: (id) =>
      id === localProviderId ? local.provider() !== null : models.hasProvider?.(id) !== false,
    async defaultModel() {
      const chosen = await models.defaultModel();
      // Providers that cannot be read are not replaced: the line ends with the reason.
      if (models.setupProblem()) return chosen;
      const [first] = chosen.providerId === offlineProviderId ? (local.provider()?.models ?? []) : [];
      return first === undefined ? chosen : { providerId: localProviderId, model: first };
    },
  };
}

/** Caches the lists of providers, for callers that must not request them. */
function rememberLists(models: ModelClient): {
  readonly models: ModelClient;
  readonly lists: ModelLists;
} {
  let listed: readonly ProviderModels[] = [];
  const changed = createListeners<[]>();
  const listModels: ModelClient['listModels'] = async (refresh) => {
    listed = await models.listModels(refresh);
    changed.notify();
    return listed;
  };
  const lists = { listed: () => listed, list: () => listModels(false), onChange: changed.add };
  return { models: { ...models, listModels }, lists };
}

/** Calls no model that the user pays for once the month's limit is reached; every call of a model comes through here. */
function withinLimit(models: ModelClient, refusal: () => AppError | null): ModelClient {
  return {
    ...models,
    async *stream(request, signal) {
      const free = [offlineProviderId, localProviderId].includes(request.model.providerId);
      const error = free ? null : refusal();
      if (error) yield { type: 'error', error, unanswered: true };
      else yield* models.stream(request, signal);
    },
  };
}

/** Builds the client of the configured providers, with the offline provider behind them. */
function createModels(deps: CoreDeps, prices: PriceLists, local: LocalModels): ModelClient {
  const { host, seeds, recipes, clock, agentMode, settings } = deps;
  const { home, env, secrets } = host;
  const offline = createOfflineProvider({
    matchRecipes: recipes.suggest,
    facts: () => ({ recipes: recipes.all, agentMode }),
  });
  const fetch = fetchFor(host);
  const discovery = env['PATINA_DISCOVERY'] === 'off' ? { localServers: [] } : {};
  const models = createModelClient({
    home,
    env,
    secrets,
    clock,
    offline,
    prices,
    rows: seeds.providers,
    ...(host.kind === 'app' && { limits: { maxRetryMs: watchedMaxRetryMs } }),
    ...discovery,
    ...(fetch && { fetch }),
  });
  return withKnownFacts(withLocalModels(withoutSilentOffline(models, settings), local), deps);
}

/** Builds the models, their providers, and the reports of their use, which every call of a model is counted in. */
export function composeModels(coreDeps: CoreDeps, { store, log }: Pick<Storage, 'store' | 'log'>) {
  const { host, seeds, settings, notices, clock } = coreDeps;
  const priceBook = createPriceLists(host.home, seeds.knownPrices);
  if (priceBook.problem) notices.raise(priceNotice(priceBook.problem));
  const localModels = composeLocalModels(coreDeps);
  const listed = createModels(coreDeps, priceBook.lists, localModels);
  const usage = createUsageReports({
    store: store.usage,
    priceOf: (model) => listed.priceOf?.(model),
    today: () => localDay(clock.now()),
    settings,
    log,
    notices,
  });
  const { models, lists } = rememberLists(withinLimit(listed, usage.refusal));
  const changed = createListeners<[models: readonly ProviderModels[]]>();
  localModels.onChange(() => void models.listModels(true).then(changed.notify));
  const providerStore = createProviderStore({
    file: createProviderFile({ home: host.home }),
    secrets: host.secrets,
    rows: seeds.providers,
    env: host.env,
  });
  return {
    models,
    lists,
    usage,
    prices: priceBook.all,
    providers: createProviders(
      { store: providerStore, models, rows: seeds.providers, env: host.env },
      changed.notify,
    ),
    localModels,
    onModels: changed.add,
    stopUsage: usage.watch(),
  };
}
