import { appError } from '#shared/app-error';
import type { ProviderModels } from '#shared/model';
import type { RecipeSummary } from '#shared/recipe';
import type { ModelEvent, ModelRequest } from '../../../core/ports/llm';
import { offlineAnswer } from './offline-answer';
import type { OfflineFacts } from './offline-facts';

export interface OfflineDeps {
  /** The recipes whose intent patterns the text matches. */
  readonly matchRecipes: (text: string) => readonly RecipeSummary[];
  readonly facts: () => OfflineFacts;
}

/** The providers as last listed, so that the answer can name a model to select. */
export interface OfflineSituation {
  readonly others: readonly ProviderModels[];
}

/** The provider without a model: answers only about Patina, and deterministically. */
export type OfflineProvider = ReturnType<typeof createOfflineProvider>;

export function createOfflineProvider(deps: OfflineDeps) {
  return {
    name: 'Offline (no model)',
    stream: (
      request: ModelRequest,
      signal: AbortSignal,
      situation: OfflineSituation,
    ): AsyncIterable<ModelEvent> => reply(deps, request, signal, situation),
  };
}

async function* reply(
  deps: OfflineDeps,
  request: ModelRequest,
  signal: AbortSignal,
  situation: OfflineSituation,
): AsyncGenerator<ModelEvent> {
  const text = request.messages.findLast((message) => message.role === 'user')?.content ?? '';
  const facts = deps.facts();
  const matched = deps.matchRecipes(text);
  const answer = offlineAnswer({ text, matched, facts, others: situation.others });
  for (const piece of answer.match(/\s*\S+(\s+\S+){0,3}|\s+$/g) ?? []) {
    if (signal.aborted) {
      yield { type: 'error', error: appError('HOST', 'CANCELLED', 'Stopped.') };
      return;
    }
    yield { type: 'text', text: piece };
  }
  yield { type: 'end', inputTokens: 0, outputTokens: 0 };
}
