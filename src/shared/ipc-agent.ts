import { z } from 'zod';
import { ElicitAnswer, type PendingElicitation } from './elicitation';
import type { Grant } from './grant';
import { call } from './ipc-call';
import type { RecipeSummary } from './recipe';
import { SaveRecipeRequest, type RecipeDraft, type SavedRecipe } from './recipe-draft';
import type { ToolChange } from './tool-pin';

/** Calls about saved permissions and tool pins. */
export const grantCalls = {
  /** Newest first. */
  'grant-list': call<readonly Grant[]>()(z.undefined()),
  'grant-revoke': call<null>()(z.object({ id: z.string().min(1).max(64) })),
  /** How a tool differs from its pinned definition; null when it does not. */
  'tool-change': call<ToolChange | null>()(z.object({ uri: z.string().max(300) })),
  /** Accepts the tool change that was shown, by its hash. */
  'tool-accept': call<null>()(z.object({ uri: z.string().max(300), hash: z.string().max(64) })),
  /** Leaves a tool blocked after the user reviewed the change; asks again only when it changes once more. */
  'tool-keep-blocked': call<null>()(z.object({ uri: z.string().max(300), hash: z.string().max(64) })),
} as const;

const savedRun = z.object({
  sessionId: z.string().min(1).max(64),
  /** The line whose run is saved; default: the newest run of the session. */
  turn: z.number().int().nonnegative().optional(),
  request: SaveRecipeRequest,
});

/** Calls about recipes. */
export const recipeCalls = {
  'recipe-list': call<readonly RecipeSummary[]>()(z.undefined()),
  /** Preview of saving a finished run; writes nothing. */
  'recipe-draft': call<RecipeDraft>()(savedRun),
  'recipe-save': call<SavedRecipe>()(savedRun),
} as const;

/** Calls about servers' questions to the user. */
export const elicitationCalls = {
  /** The open questions, oldest first, for a reloaded window that missed their pushes. */
  'elicitation-list': call<readonly PendingElicitation[]>()(z.undefined()),
  /** The user's answer; sent to the server and never stored. */
  'elicitation-answer': call<null>()(z.object({ id: z.string().min(1).max(64), answer: ElicitAnswer })),
} as const;

/** A server's question to the user was asked or closed. */
export type ElicitationPush =
  | { readonly type: 'elicitation-asked'; readonly elicitation: PendingElicitation }
  | { readonly type: 'elicitation-over'; readonly id: string };
