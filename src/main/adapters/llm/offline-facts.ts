import type { RecipeSummary } from '#shared/recipe';

/** Facts about the app for the offline provider; read for each message. */
export interface OfflineFacts {
  readonly recipes: readonly RecipeSummary[];
  readonly agentMode: { readonly enabled: boolean; readonly reason?: string };
}
