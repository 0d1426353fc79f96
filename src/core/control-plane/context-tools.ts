import { appError } from '#shared/app-error';
import type { ResolverItem, ResolverSource } from '#shared/resolver';
import { err, ok } from '#shared/result';
import type { SessionState } from '#shared/session-state';
import type { ActiveWorkContext } from '#shared/work-context';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { SessionLog } from '../session/session-log';

export const setContextTool = 'set_active_context';

export interface ContextToolDeps {
  readonly log: SessionLog;
  /** Finds an item of a source by its id, with the domain of the source. */
  readonly find: (
    state: SessionState,
    source: ResolverSource,
    id: string,
  ) => { readonly item: ResolverItem; readonly domain?: string } | undefined;
}

interface Activation {
  readonly id: string;
  readonly entityType: string;
  readonly source: ResolverSource;
}

const noSession = appError('HOST', 'STATE', 'There is no session to work in.');

/** The focus for an item, with its known related entities (AGN-000037 §4). */
export function contextOf(item: ResolverItem, entityType: string, domain?: string): ActiveWorkContext {
  return {
    ...(domain !== undefined && { domain }),
    entityType,
    entityHeader: item.header,
    ...(item.relatedEntities && item.relatedEntities.length > 0 && { relatedEntities: item.relatedEntities }),
  };
}

/**
 * `set_active_context`: makes one entity the session's focus. Only commands may call it (AGN-000037 §4,
 * Lifecycle & rules).
 */
export function createSetContextTool({ log, find }: ContextToolDeps): BuiltInTool {
  return {
    name: setContextTool,
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    needsSession: true,
    toolUsageMetadata: 'Makes one entity the focus of the session.',
    schema: {
      type: 'object',
      properties: { id: { type: 'string' }, entityType: { type: 'string' }, source: { type: 'object' } },
      required: ['id', 'entityType', 'source'],
      additionalProperties: false,
    },
    execute(argumentsJson, { sessionId, cause }) {
      const { id, entityType, source } = JSON.parse(argumentsJson) as Activation;
      const state = sessionId === null ? null : log.state(sessionId);
      if (!state) return Promise.resolve(err(noSession));
      const found = find(state, source, id);
      if (!found) {
        return Promise.resolve(err(appError('HOST', 'NOT_FOUND', `There is no ${entityType} "${id}".`)));
      }
      const context = contextOf(found.item, entityType, found.domain);
      const reason = `The user is now working on ${found.item.header.displayName}.`;
      const recorded = log.append(state.id, [{ type: 'context-changed', context, cause, reason }]);
      const summary = `Working on: ${found.item.header.displayName}`;
      return Promise.resolve(recorded.ok ? ok(JSON.stringify({ success: true, summary })) : recorded);
    },
  };
}

/** `release_focus`: clears the session's focus. */
export function createReleaseFocusTool({ log }: Pick<ContextToolDeps, 'log'>): BuiltInTool {
  return {
    name: 'release_focus',
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    needsSession: true,
    toolUsageMetadata: 'Ends the focus of the session on one entity.',
    schema: {
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
      additionalProperties: false,
    },
    execute(argumentsJson, { sessionId, cause }) {
      const { id } = JSON.parse(argumentsJson) as { readonly id: string };
      const state = sessionId === null ? null : log.state(sessionId);
      if (!state) return Promise.resolve(err(noSession));
      const focus = state.context?.entityHeader;
      if (focus?.id !== id) {
        return Promise.resolve(err(appError('HOST', 'STATE', `This session is not working on "${id}".`)));
      }
      const reason = `The user is no longer working on ${focus.displayName}.`;
      const recorded = log.append(state.id, [{ type: 'context-changed', context: null, cause, reason }]);
      const summary = `Released: ${focus.displayName}`;
      return Promise.resolve(recorded.ok ? ok(JSON.stringify({ success: true, summary })) : recorded);
    },
  };
}
