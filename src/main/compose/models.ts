import { knownContextTokens, type KnownModels } from '#shared/known-models';
import { offlineProviderId, type ProviderModels } from '#shared/model';
import { modelKey } from '#shared/model-parameters';
import type { Settings } from '#shared/settings';
import { createModelClient } from '../adapters/llm/model-client';
import { createOfflineProvider } from '../adapters/llm/offline-provider';
import type { ModelClient } from '../../core/ports/llm';
import type { CoreDeps } from './core-deps';

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

/** Fills in the context sizes: the user's own count before those of the provider, and Patina's list comes last. */
function withSizes(
  { models, contextTokens = {}, ...provider }: ProviderModels,
  sizes: Sizes,
): ProviderModels {
  const filled = models.flatMap((model) => {
    const own = sizes.options[modelKey({ providerId: provider.providerId, model })]?.contextTokens;
    const size = own ?? contextTokens[model] ?? knownContextTokens(sizes.known, model);
    return size === undefined ? [] : [[model, size] as const];
  });
  return { ...provider, models, ...(filled.length > 0 && { contextTokens: Object.fromEntries(filled) }) };
}

interface Sizes {
  readonly known: KnownModels;
  readonly options: Settings['modelOptions'];
}

function withContextSizes(models: ModelClient, { settings, seeds }: CoreDeps): ModelClient {
  return {
    ...models,
    async listModels(refresh) {
      const sizes = { known: seeds.knownModels, options: settings.get().modelOptions };
      return (await models.listModels(refresh)).map((provider) => withSizes(provider, sizes));
    },
  };
}

/** Builds the client of the configured providers, with the offline provider behind them. */
export function createModels(deps: CoreDeps): ModelClient {
  const { host, seeds, recipes, clock, agentMode, settings } = deps;
  const { home, env, secrets } = host;
  const offline = createOfflineProvider({
    matchRecipes: recipes.suggest,
    facts: () => ({ recipes: recipes.all, agentMode }),
  });
  const discovery = env['PATINA_DISCOVERY'] === 'off' ? { localServers: [] } : {};
  const models = createModelClient({
    home,
    env,
    secrets,
    clock,
    offline,
    rows: seeds.providers,
    ...discovery,
  });
  return withContextSizes(withoutSilentOffline(models, settings), deps);
}
