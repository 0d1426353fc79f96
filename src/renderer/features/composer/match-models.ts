import { offlineProviderId, type ProviderModels } from '#shared/model';

/** Rows drawn at once; a provider may list a hundred thousand. */
export const modelsShown = 100;

export interface ModelGroup {
  readonly provider: ProviderModels;
  readonly matches: readonly string[];
}

/** Models whose provider or own name holds every word of `text`, at most `modelsShown`, and how many more there are. */
export function matchModels(
  models: readonly ProviderModels[],
  text: string,
): { readonly groups: readonly ModelGroup[]; readonly hidden: number } {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups: ModelGroup[] = [];
  let left = modelsShown;
  let hidden = 0;
  for (const provider of models) {
    if (provider.providerId === offlineProviderId) continue;
    const all = provider.models.filter((model) => {
      const name = `${provider.name} ${model}`.toLowerCase();
      return words.every((word) => name.includes(word));
    });
    const matches = all.slice(0, left);
    left -= matches.length;
    hidden += all.length - matches.length;
    if (matches.length > 0 || (provider.problem !== undefined && words.length === 0)) {
      groups.push({ provider, matches });
    }
  }
  return { groups, hidden };
}
