import type { ConfigProblem } from '#shared/app-error';
import type { CommandDefinition, ToolboxDefinition } from '#shared/command';
import type { AgentMode } from '#shared/mode';
import { sourceId, type SourceDefinition } from '#shared/resolver';
import type { SeedRow } from '../ports/seed-layer';
import { enabledBy, launchedSource, toolboxesOf } from './active-set';
import { checkRoutingTable } from './routing-table';

interface Rows {
  readonly modes: readonly AgentMode[];
  readonly toolboxes: readonly SeedRow<ToolboxDefinition>[];
  readonly commands: readonly SeedRow<CommandDefinition>[];
}

/** Whether the roles in `open` satisfy all roles that `other` requires. */
const openTo = (other: ToolboxDefinition, open: readonly string[]): boolean =>
  other.requiredRoles.every((role) => open.includes(role));

/** A launcher's target catalog must be active wherever the launcher is. */
function checkLaunchers(mode: AgentMode, rows: Rows): readonly ConfigProblem[] {
  const active = toolboxesOf(
    mode,
    rows.toolboxes.map(({ row }) => row),
  );
  return rows.commands.flatMap(({ file, row }) => {
    const target = launchedSource(row);
    if (row.commandKind !== 'launcher' || !('catalogId' in target)) return [];
    const lost = active.some(
      ({ commandIds, requiredRoles }) =>
        commandIds.includes(row.commandId) &&
        !active.some(
          (other) =>
            other.catalogIds.includes(target.catalogId) &&
            openTo(other, [...requiredRoles, ...row.requiredRoles]),
        ),
    );
    const reason = `The launcher is active in the mode ${mode.key}, but its catalog "${target.catalogId}" is not.`;
    return lost ? [{ file, field: 'resolverSource', rule: 'launcher-catalog', reason }] : [];
  });
}

/** Every launcher needs an active command that runs the item chosen from its list. */
function checkChoices(mode: AgentMode, active: readonly SeedRow<CommandDefinition>[]) {
  return active.flatMap(({ file, row }): readonly ConfigProblem[] => {
    if (row.commandKind !== 'launcher') return [];
    const target = sourceId(launchedSource(row));
    const led = active.some(
      ({ row: other }) => other.commandKind === 'executable' && sourceId(other.resolverSource) === target,
    );
    const reason = `In the mode ${mode.key} no executable command accepts an item from "${target}".`;
    return led ? [] : [{ file, field: 'resolverSource', rule: 'launcher-command', reason }];
  });
}

function checkPatterns(
  active: readonly SeedRow<CommandDefinition>[],
  sources: ReadonlyMap<string, SourceDefinition>,
): readonly ConfigProblem[] {
  const files = new Map(active.map(({ file, row }) => [row.commandId, file]));
  const problems = checkRoutingTable(
    active.map(({ row }) => row),
    sources,
  );
  return problems.map(({ commandId, ...problem }) => ({
    file: files.get(commandId) ?? commandId,
    ...problem,
  }));
}

function once(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function activeIn(mode: AgentMode, { toolboxes, commands }: Rows): readonly SeedRow<CommandDefinition>[] {
  const rows = toolboxes.map(({ row }) => row);
  const enabled = enabledBy(toolboxesOf(mode, rows));
  return commands.filter(({ row }) => enabled(row));
}

/**
 * Checks commands that are active together, for each mode and independent of roles; reports each problem
 * once.
 */
export function checkActivation(rows: Rows): readonly ConfigProblem[] {
  return once(
    rows.modes.flatMap((mode) => [
      ...checkLaunchers(mode, rows),
      ...checkChoices(mode, activeIn(mode, rows)),
    ]),
  );
}

/**
 * Finds patterns that cannot match and patterns that two commands of one mode share. Compiling is slow: call
 * this once for all rows.
 */
export function checkAllPatterns(
  rows: Rows,
  sources: ReadonlyMap<string, SourceDefinition>,
): readonly ConfigProblem[] {
  const sets = rows.modes.map((mode) => activeIn(mode, rows)).sort((a, b) => b.length - a.length);
  const clean: ReadonlySet<unknown>[] = [];
  return once(
    sets.flatMap((active) => {
      // If a set of commands is valid, every subset is.
      if (clean.some((larger) => active.every((command) => larger.has(command)))) return [];
      const problems = checkPatterns(active, sources);
      if (problems.length === 0) clean.push(new Set(active));
      return problems;
    }),
  );
}
