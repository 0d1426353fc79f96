import { offlineProviderId } from '#shared/model';
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

/** Builds the client of the configured providers, with the offline provider behind them. */
export function createModels({ host, seeds, recipes, clock, agentMode, settings }: CoreDeps): ModelClient {
  const { home, env, secrets } = host;
  const offline = createOfflineProvider({
    matchRecipes: recipes.suggest,
    facts: () => ({ recipes: recipes.all, agentMode }),
  });
  const discovery = env['PATINA_DISCOVERY'] === 'off' ? { localServers: [] } : {};
  return withoutSilentOffline(
    createModelClient({ home, env, secrets, clock, offline, rows: seeds.providers, ...discovery }),
    settings,
  );
}
