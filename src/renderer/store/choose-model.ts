import { offlineModel, offlineProviderId, type ModelRef, type ProviderModels } from '#shared/model';

function firstModelOf(
  models: readonly ProviderModels[],
  source: ProviderModels['source'],
): ModelRef | undefined {
  const provider = models.find((candidate) => candidate.source === source && candidate.models.length > 0);
  const model = provider?.models[0];
  return provider && model !== undefined ? { providerId: provider.providerId, model } : undefined;
}

/**
 * The model the next line goes to: the chosen one while its provider exists, else the environment's, else a configured
 * one, else offline. A server found on this machine is offered, never used unasked.
 */
export function chooseModel(chosen: ModelRef | null, models: readonly ProviderModels[]): ModelRef {
  const known =
    chosen !== null &&
    (chosen.providerId === offlineProviderId ||
      models.length === 0 ||
      models.some(({ providerId }) => providerId === chosen.providerId));
  if (known) return chosen;
  return firstModelOf(models, 'environment') ?? firstModelOf(models, 'configured') ?? offlineModel;
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
