import { ok } from '#shared/result';
import type { ResolverItem } from '#shared/resolver';
import type { SessionState } from '#shared/session-state';
import type { ItemSource } from '../ports/item-source';
import { canonicalHash } from '../tools/canonical-hash';
import type { WorkflowRegistry } from './registry';
import { blockedBecause, warningsOf, type GovernedWorkflow } from './registry-view';

/** An id read as words, which is how people say it. */
const spoken = (id: string): string => id.replaceAll('_', ' ');

function toItem({ definition }: GovernedWorkflow): ResolverItem {
  const { WorkflowId: id, Title, Description, Version } = definition;
  const description = [Description, ...warningsOf(definition)].join(' ');
  return {
    header: { id, displayName: Title },
    description,
    aliases: [...new Set([spoken(id), spoken(id).replaceAll(' ', '-')])],
    keywords: [Version],
  };
}

/** The items of the `workflows` catalog: what the user can start; hidden workflows have to be named. */
export function workflowItems(
  registry: WorkflowRegistry,
  state: (sessionId: string) => SessionState | null,
  onChange: (listener: () => void) => () => void,
): Pick<ItemSource, 'scopeKey' | 'load' | 'onChange'> {
  const pinOf = (sessionId: string | null) =>
    sessionId === null ? null : (state(sessionId)?.workflowPin ?? null);
  return {
    scopeKey: ({ sessionId }) => canonicalHash(pinOf(sessionId)),
    load({ sessionId }) {
      const rows = registry
        .view(pinOf(sessionId))
        .all.filter((row) => row.definition.Visibility !== 'hidden' && blockedBecause(row) === null);
      return Promise.resolve(ok(rows.map(toItem)));
    },
    onChange,
  };
}
