import type { CommandDefinition, ToolboxDefinition } from '#shared/command';
import type { CommandRow } from '#shared/control-plane';
import type { AgentMode } from '#shared/mode';
import { sourceId, type ResolverSource } from '#shared/resolver';
import { activeSet, withheldSlashes, type ActiveSet } from './active-set';
import { compileRoutingTable, type RoutingTable } from './routing-table';
import type { SourceCache } from './source-cache';

/** What is switched on for one mode and one set of roles, with its compiled patterns. */
export interface Active extends ActiveSet {
  readonly table: RoutingTable;
  readonly sources: readonly ResolverSource[];
  /** Slash names that need a role the user does not hold. */
  readonly withheld: ReadonlySet<string>;
}

/** A command as the window offers it, and the command that takes what is chosen from its list. */
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

/** What a mode and roles switch on, compiled when it is first asked for. */
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
