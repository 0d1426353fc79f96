import { createListeners } from '#shared/listeners';
import { isUnlisted, neverSilentlyOffline, type ModelRef } from '#shared/model';
import type { SessionState } from '#shared/session-state';
import { lastModelOf } from '#shared/turn-tree';
import type { CoreDeps } from './core-deps';
import { unsavedNotice } from '../notices/storage-notices';
import { createConversation } from '../../core/session/conversation';
import type { ReplyText } from '../../core/session/turn-work';
import { createHistoryFit } from '../../core/session/fit-history';
import { loadTokenCount } from '../../core/session/token-count';
import { createTokenEstimate } from '../../core/tools/model-usage';
import type { Agent } from '../../core/ports/agent';
import type { ModelClient } from '../../core/ports/llm';
import type { SessionModelContext } from '../../core/session/model-context';
import type { Storage } from './storage';

interface ConversationParts {
  readonly storage: Pick<Storage, 'log' | 'items'>;
  readonly models: ModelClient;
  readonly modelContext: SessionModelContext;
  readonly agent: Agent;
}

/** The conversation, how its history fits the model, and which model answers. */
export type Conversing = ReturnType<typeof composeConversation>;

/** Builds the conversation. */
export function composeConversation(
  { settings, notices, clock, ids, agentMode }: CoreDeps,
  { storage, models, modelContext, agent }: ConversationParts,
) {
  const { log, items } = storage;
  const history = createHistoryFit({
    log,
    models,
    estimate: createTokenEstimate(loadTokenCount),
    read: items.read,
  });
  const modelFor = (wanted: ModelRef, state: SessionState): ModelRef =>
    neverSilentlyOffline(wanted, settings.get().model, lastModelOf(state));
  /** The last model of a session, if its provider is not set up any more or no longer lists it. */
  const vanishedModel = async (sessionId: string): Promise<ModelRef | null> => {
    const state = log.peek(sessionId);
    const last = state.ok ? lastModelOf(state.value) : undefined;
    if (!last || models.hasProvider?.(last.providerId) === false) return last ?? null;
    return isUnlisted(last, await models.listModels(false)) ? last : null;
  };
  const chosenModel = async (sessionId?: string): Promise<ModelRef> => {
    const { model } = settings.get();
    const vanished = model || sessionId === undefined ? null : await vanishedModel(sessionId);
    return model ?? vanished ?? (await models.defaultModel());
  };
  const deltas = createListeners<[delta: ReplyText]>();
  const conversation = createConversation({
    log,
    ids,
    models,
    clock,
    modelContext,
    items,
    countTokens: loadTokenCount,
    ...(agentMode.enabled && { agent }),
    modelFor,
    fit: history.fit,
    pushDelta: deltas.notify,
    onUnsaved: (sessionId, error) => notices.raise(unsavedNotice(sessionId, error)),
  });
  return { conversation, history, modelFor, chosenModel, onReplyDelta: deltas.add };
}
