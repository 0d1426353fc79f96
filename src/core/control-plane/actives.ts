import type { CommandDefinition, ToolboxDefinition } from '#shared/command';
import type { CommandRow } from '#shared/control-plane';
import type { AgentMode } from '#shared/mode';
import { sourceId, type ResolverSource } from '#shared/resolver';
import { activeSet, withheldSlashes, type ActiveSet } from './active-set';
import { compileRoutingTable, type RoutingTable } from './routing-table';
import type { SourceCache } from './source-cache';

/** The active set of one mode and one set of roles, with its compiled patterns. */
export interface Active extends ActiveSet {
  readonly table: RoutingTable;
  readonly sources: readonly ResolverSource[];
  /** Slash names that need a role the user does not have. */
  readonly withheld: ReadonlySet<string>;
}

/** A command as the window shows it, with the id of the command that runs an item chosen from its list. */
export function commandRow(command: CommandDefinition, itemCommand: CommandDefinition): CommandRow {
  const { commandId, displayName, description, commandKind, resolverSource, targetCatalogId } = command;
  const { targetModeId, pickerType, slash, shortcut, setsActiveContext, activeEntityType } = command;
  const { requiresConfirmation } = command;
  return {
    commandId,
    displayName,
    commandKind,
    resolverSource,
    setsActiveContext,
    requiresConfirmation,
    producesSideEffects: command.producesSideEffects,
    takenBy: itemCommand.commandId,
    ...(description !== undefined && { description }),
    ...(targetCatalogId !== undefined && { targetCatalogId }),
    ...(targetModeId !== undefined && { targetModeId }),
    ...(pickerType !== undefined && { pickerType }),
    ...(slash !== undefined && { slash }),
    ...(shortcut !== undefined && { shortcut }),
    ...(activeEntityType !== undefined && { activeEntityType }),
  };
}

export interface ActivesDeps {
  readonly toolboxes: readonly ToolboxDefinition[];
  readonly commands: readonly CommandDefinition[];
  readonly cache: SourceCache;
}

/** Returns the active set of a mode and roles; compiles it on first use and caches it. */
export function createActives({ toolboxes, commands, cache }: ActivesDeps) {
  const byKey = new Map<string, Active>();
  const definitions = new Map([...cache.sources].map(([id, { definition }]) => [id, definition]));
  return (mode: AgentMode, roles: readonly string[]): Active => {
    const sortedRoles = [...roles].sort();
    const key = JSON.stringify([mode.key, sortedRoles]);
    const known = byKey.get(key);
    if (known) return known;
    const input = { mode, toolboxes, commands, sources: definitions, roles: sortedRoles };
    const set = activeSet(input);
    const table = compileRoutingTable(set.commands, definitions);
    const ids = new Set(set.sourceIds);
    const sources = [...cache.sources.values()].flatMap(({ source }) =>
      ids.has(sourceId(source)) ? [source] : [],
    );
    const active = { ...set, table, sources, withheld: withheldSlashes(input) };
    byKey.set(key, active);
    return active;
  };
}
