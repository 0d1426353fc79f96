import type { ToolboxDefinition } from '#shared/command';
import { sourceId, type ResolverSource } from '#shared/resolver';
import type { SessionEvent } from '#shared/session-event';
import type { ItemSource } from '../ports/item-source';
import type { SettingsStore } from '../ports/settings-store';
import type { SessionLog } from '../session/session-log';
import type { ControlPlane } from './control-plane';

export interface FirstUseDeps {
  readonly log: Pick<SessionLog, 'subscribe'>;
  readonly plane: Pick<ControlPlane, 'command'>;
  readonly settings: SettingsStore;
  readonly toolboxes: readonly Pick<ToolboxDefinition, 'catalogIds'>[];
  readonly sources: readonly Pick<ItemSource, 'definition'>[];
}

/** The source of the command that ran, or of the list that a line opened. */
function sourceUsed(event: SessionEvent, plane: FirstUseDeps['plane']): ResolverSource | undefined {
  if (event.type === 'command-invoked') return plane.command(event.commandId)?.resolverSource;
  return event.type === 'input-routed' && event.action.type === 'open-picker'
    ? event.action.source
    : undefined;
}

/**
 * Remembers the first use of sources that lists leave out until then. The catalogs of one toolbox belong together:
 * the use of one lists all of them.
 */
export function watchFirstUse({ log, plane, settings, toolboxes, sources }: FirstUseDeps): void {
  const unlisted = new Set(
    sources.flatMap(({ definition }) => (definition.listed === false ? [definition.id] : [])),
  );
  const withToolbox = (id: string): readonly string[] => [
    id,
    ...toolboxes.flatMap(({ catalogIds }) => (catalogIds.includes(id) ? catalogIds : [])),
  ];
  log.subscribe((events) => {
    const { usedSources } = settings.get();
    const used = events.flatMap((event) => {
      const source = sourceUsed(event, plane);
      return source && unlisted.has(sourceId(source)) ? withToolbox(sourceId(source)) : [];
    });
    const added = used.filter((id) => unlisted.has(id) && !usedSources.includes(id));
    // A home that cannot be written only means that the lists stay as they are.
    if (added.length > 0) settings.patch({ usedSources: [...new Set([...usedSources, ...added])] });
  });
}
