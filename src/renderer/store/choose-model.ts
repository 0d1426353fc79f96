import {
  neverSilentlyOffline,
  offlineModel,
  offlineProviderId,
  type ModelRef,
  type ProviderModels,
} from '#shared/model';

function firstModelOf(
  models: readonly ProviderModels[],
  source: ProviderModels['source'],
): ModelRef | undefined {
  const provider = models.find((candidate) => candidate.source === source && candidate.models.length > 0);
  const model = provider?.models[0];
  return provider && model !== undefined ? { providerId: provider.providerId, model } : undefined;
}

/**
 * The model the next line goes to: the chosen one, also where its provider has disappeared, so that nothing else takes its
 * place unasked; else the environment's, else a configured one, else the one that answered last in the session, else offline.
 * A server found on this machine is offered, never used unasked.
 */
export function chooseModel(
  chosen: ModelRef | null,
  models: readonly ProviderModels[],
  lastInSession?: ModelRef,
): ModelRef {
  if (chosen !== null) return chosen;
  const first = firstModelOf(models, 'environment') ?? firstModelOf(models, 'configured') ?? offlineModel;
  return neverSilentlyOffline(first, chosen, models.length > 0 ? lastInSession : undefined);
}

/** Whether a model's provider is neither set up nor running; unknown before the providers are listed. */
export function isMissing({ providerId }: ModelRef, models: readonly ProviderModels[]): boolean {
  if (providerId === offlineProviderId || models.length === 0) return false;
  return !models.some((provider) => provider.providerId === providerId);
}

/** How many tokens fit into a model's context, where its server says so. */
export function contextTokensOf(
  { providerId, model }: ModelRef,
  models: readonly ProviderModels[],
): number | undefined {
  return models.find((provider) => provider.providerId === providerId)?.contextTokens?.[model];
}

/** How a model is called on the screen. */
export function modelLabel(model: ModelRef): string {
  return model.providerId === offlineProviderId ? 'Offline (no model)' : model.model;
}
