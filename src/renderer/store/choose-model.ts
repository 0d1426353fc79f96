import {
  firstChatModel,
  isUnlisted,
  neverSilentlyOffline,
  offlineModel,
  offlineProviderId,
  Provider,
  type ModelRef,
  type ProviderModels,
} from '#shared/model';
import { text } from '../locales/text';

function firstModelOf(
  models: readonly ProviderModels[],
  source: ProviderModels['source'],
): ModelRef | undefined {
  const provider = models.find((candidate) => candidate.source === source && candidate.models.length > 0);
  const model = firstChatModel(provider?.models ?? []);
  return provider && model !== undefined ? { providerId: provider.providerId, model } : undefined;
}

/**
 * Chooses the model for the next line: the selected model (even if its provider has disappeared, so that no
 * other model replaces it without consent), else the last one that answered in this session if its provider has
 * disappeared or no longer lists it, else the environment's, else a configured one, else one that the user put on
 * this computer, else offline. While the environment or the file of providers cannot be read, nothing takes their
 * place. A server found on this machine is only offered, never used without consent.
 */
export function chooseModel(
  chosen: ModelRef | null,
  models: readonly ProviderModels[],
  lastInSession?: ModelRef,
): ModelRef {
  if (chosen !== null) return chosen;
  if (lastInSession && (isMissing(lastInSession, models) || isUnlisted(lastInSession, models)))
    return lastInSession;
  const first =
    firstModelOf(models, 'environment') ??
    firstModelOf(models, 'configured') ??
    (models.some(isUnreadable) ? undefined : firstModelOf(models, 'local')) ??
    offlineModel;
  return neverSilentlyOffline(first, chosen, models.length > 0 ? lastInSession : undefined);
}

/** Whether an entry stands for providers that cannot be read: it is named like their file, which no provider is. */
const isUnreadable = ({ providerId, source }: ProviderModels): boolean =>
  (source === 'environment' || source === 'configured') && !Provider.shape.id.safeParse(providerId).success;

/** Whether a model's provider is neither configured nor running; false until the providers are listed. */
export function isMissing({ providerId }: ModelRef, models: readonly ProviderModels[]): boolean {
  if (providerId === offlineProviderId || models.length === 0) return false;
  return !models.some((provider) => provider.providerId === providerId);
}

/** Whether the variable `PATINA_MODEL` chooses this model. */
export const isFromVariable = ({ providerId, model }: ModelRef, models: readonly ProviderModels[]): boolean =>
  models.some((provider) => provider.providerId === providerId && provider.preferred === model);

/** The display name of a model. */
export function modelLabel(model: ModelRef): string {
  return model.providerId === offlineProviderId ? text('store.offline') : model.model;
}
