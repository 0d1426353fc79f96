import { ok } from '#shared/result';
import type { ResolverItem } from '#shared/resolver';
import type { ItemSource } from '../ports/item-source';
import { canonicalHash } from '../tools/canonical-hash';
import type { WorkflowRegistry } from './registry';
import { blockedBecause, warningsOf, type GovernedWorkflow } from './registry-view';

/** An id as words, the way people say it. */
const spoken = (id: string): string => id.replaceAll('_', ' ');

function toItem(row: GovernedWorkflow): ResolverItem {
  const { definition } = row;
  const blocked = blockedBecause(row);
  const { WorkflowId: id, Title, Description, Version } = definition;
  const description = [Description, blocked ?? warningsOf(definition).join(' ')].join(' ').trim();
  return {
    header: { id, displayName: Title },
    description,
    aliases: [...new Set([spoken(id), spoken(id).replaceAll(' ', '-')])],
    keywords: [Version],
    userTitled: row.layer.kind !== 'seed',
    ...((blocked !== null || definition.Visibility === 'hidden') && { unlisted: true }),
  };
}

/**
 * The items of the `workflows` catalog: the workflows that the user can start. Hidden and blocked workflows
 * are not listed and match only by name; starting a blocked one reports the reason instead of suggesting
 * similar names.
 */
export function workflowItems(
  registry: Pick<WorkflowRegistry, 'view' | 'onItemsChange'>,
): Pick<ItemSource, 'scopeKey' | 'load' | 'onChange'> {
  return {
    scopeKey: ({ state }) => canonicalHash(state?.workflowPin ?? null),
    load({ state }) {
      return Promise.resolve(ok(registry.view(state?.workflowPin ?? null).all.map(toItem)));
    },
    onChange: registry.onItemsChange,
  };
}
