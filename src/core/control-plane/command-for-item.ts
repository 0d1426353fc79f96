import { needsConfirmation, type CommandDefinition } from '#shared/command';
import { sourceId, type ResolverSource } from '#shared/resolver';
import { compareText } from './fold';

/** Where a command's items come from: for a launcher the catalog it opens (AGN-000037 §6, TargetCatalogId). */
export function itemsOf(command: CommandDefinition): ResolverSource {
  const { commandKind, targetCatalogId, resolverSource } = command;
  if (commandKind !== 'launcher' || targetCatalogId === undefined) return resolverSource;
  return targetCatalogId === sourceId(resolverSource) ? resolverSource : { catalogId: targetCatalogId };
}

/** The command that takes an item of a source, of those that may; the ones of `pack` come before any other. */
export function commandForSource(
  source: ResolverSource,
  commands: readonly CommandDefinition[],
  pack?: string,
): CommandDefinition | undefined {
  const wanted = sourceId(source);
  const able = commands
    .filter((one) => one.commandKind === 'executable' && sourceId(one.resolverSource) === wanted)
    .sort((a, b) => compareText(a.commandId, b.commandId));
  const own = able.filter((one) => one.pack === pack);
  const takers = own.length > 0 ? own : able;
  return (
    takers.find((one) => one.setsActiveContext || one.setsSessionMode) ??
    takers.find((one) => !needsConfirmation(one)) ??
    takers[0]
  );
}

/**
 * The one rule for what a choice from a command's list runs, in main and in the window. An executable takes its own items. A
 * launcher's are taken by the command that its `constants.commandId` names, else by one of its own pack, else by any other.
 */
export function commandForItem(
  command: CommandDefinition,
  commands: readonly CommandDefinition[],
): CommandDefinition {
  if (command.commandKind !== 'launcher') return command;
  const source = itemsOf(command);
  const named = commands.find(({ commandId }) => commandId === command.constants['commandId']);
  const fits = named?.commandKind === 'executable' && sourceId(named.resolverSource) === sourceId(source);
  return (fits ? named : commandForSource(source, commands, command.pack)) ?? command;
}
