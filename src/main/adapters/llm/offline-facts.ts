import type { RecipeSummary } from '#shared/recipe';

/** What the offline provider may say about the app it is in; asked for with each message. */
export interface OfflineFacts {
  readonly recipes: readonly RecipeSummary[];
  readonly agentMode: { readonly enabled: boolean; readonly reason?: string };
}
