import { needsConfirmation, type CommandDefinition } from '#shared/command';
import { sourceId, type ResolverSource } from '#shared/resolver';
import { compareText } from './fold';

/**
 * The source of a command's items; for a launcher, the catalog that it opens (AGN-000037 §6,
 * TargetCatalogId).
 */
export function itemsOf(command: CommandDefinition): ResolverSource {
  const { commandKind, targetCatalogId, resolverSource } = command;
  if (commandKind !== 'launcher' || targetCatalogId === undefined) return resolverSource;
  return targetCatalogId === sourceId(resolverSource) ? resolverSource : { catalogId: targetCatalogId };
}

/** Chooses the command that runs an item of a source; commands of `pack` take precedence. */
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
 * Decides which command runs an item chosen from a command's list, in main and in the window. An executable
 * runs its own items. A launcher delegates to the command that its `constants.commandId` names, else to one
 * of its own pack, else to any other.
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
