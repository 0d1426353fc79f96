import { z } from 'zod';
import { call } from './ipc-call';
import type { RecipeSummary } from './recipe';
import { SaveRecipeRequest, type RecipeDraft, type SavedRecipe } from './recipe-draft';

const kept = z.object({
  sessionId: z.string().min(1).max(64),
  /** The line whose run is saved; default: the newest run of the session. */
  turn: z.number().int().nonnegative().optional(),
  wish: SaveRecipeRequest,
});

/** Calls about recipes. */
export const recipeCalls = {
  'recipe-list': call<readonly RecipeSummary[]>()(z.undefined()),
  /** Preview of saving a finished run; writes nothing. */
  'recipe-draft': call<RecipeDraft>()(kept),
  'recipe-save': call<SavedRecipe>()(kept),
} as const;
