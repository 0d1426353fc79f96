import { slashNames, windowActionOf, type CommandDefinition, type ToolboxDefinition } from '#shared/command';
import type { AgentMode } from '#shared/mode';
import { sourceId, type ResolverSource, type SourceDefinition } from '#shared/resolver';

export interface ActiveSetInput {
  readonly mode: AgentMode;
  readonly toolboxes: readonly ToolboxDefinition[];
  readonly commands: readonly CommandDefinition[];
  /** All sources by id. */
  readonly sources: ReadonlyMap<string, SourceDefinition>;
  readonly roles: readonly string[];
}

/**
 * The toolboxes, commands and sources that one mode activates for one set of roles. Nothing else is resolved
 * against, shown or offered.
 */
export interface ActiveSet {
  readonly toolboxes: readonly ToolboxDefinition[];
  readonly commands: readonly CommandDefinition[];
  /** Catalogs of the active toolboxes, then providers that their commands name, in order of first mention. */
  readonly sourceIds: readonly string[];
}

/**
 * The toolboxes of a mode: those its row names, then those that list the mode in `activeIn`. Ignores roles.
 */
export function toolboxesOf(
  mode: Pick<AgentMode, 'key' | 'toolboxIds'>,
  toolboxes: readonly ToolboxDefinition[],
): readonly ToolboxDefinition[] {
  const named = new Set(mode.toolboxIds);
  return [
    ...toolboxes.filter(({ toolboxId }) => named.has(toolboxId)),
    ...toolboxes.filter(({ toolboxId, activeIn }) => !named.has(toolboxId) && activeIn.includes(mode.key)),
  ];
}

/**
 * Chooses the commands that toolboxes enable. What the window itself can do works in every mode, so no mode
 * can lock the user out of it.
 */
export function enabledBy(toolboxes: readonly ToolboxDefinition[]): (command: CommandDefinition) => boolean {
  const named = new Set(toolboxes.flatMap(({ commandIds }) => commandIds));
  return (command) => named.has(command.commandId) || windowActionOf(command) !== undefined;
}

/** The source that a launcher opens: the target catalog if the row names one, otherwise its own source. */
export function launchedSource({ resolverSource, targetCatalogId }: CommandDefinition): ResolverSource {
  return targetCatalogId === undefined ? resolverSource : { catalogId: targetCatalogId };
}

/** The sources that a command resolves against or presents. */
function sourcesOf(command: CommandDefinition): readonly ResolverSource[] {
  return [command.resolverSource, launchedSource(command)];
}

/**
 * The union of the mode's toolboxes that the roles allow (AGN-000037 §5, Activation rules). Pure; preserves
 * the order of the rows.
 */
export function activeSet({ mode, toolboxes, commands, sources, roles }: ActiveSetInput): ActiveSet {
  const userRoles = new Set(roles);
  const allowed = ({ requiredRoles }: { readonly requiredRoles: readonly string[] }): boolean =>
    requiredRoles.every((role) => userRoles.has(role));
  const active = toolboxesOf(mode, toolboxes).filter(allowed);
  const catalogs = new Set(active.flatMap(({ catalogIds }) => catalogIds));
  const reachable = (source: ResolverSource): boolean =>
    sources.has(sourceId(source)) && (!('catalogId' in source) || catalogs.has(source.catalogId));
  const enabled = enabledBy(active);
  const usable = commands.filter(
    (command) => enabled(command) && allowed(command) && sourcesOf(command).every(reachable),
  );
  const ids = new Set([...catalogs, ...usable.flatMap(sourcesOf).map(sourceId)]);
  return { toolboxes: active, commands: usable, sourceIds: [...ids].filter((id) => sources.has(id)) };
}

/** Slash names of commands that the mode activates only for roles the user does not have. */
export function withheldSlashes(input: ActiveSetInput): ReadonlySet<string> {
  const { toolboxes, commands } = input;
  const every = [...toolboxes, ...commands].flatMap(({ requiredRoles }) => requiredRoles);
  const allowedIds = new Set(activeSet(input).commands.map(({ commandId }) => commandId));
  const withAll = activeSet({ ...input, roles: every }).commands;
  return new Set(
    withAll.flatMap((command) => (allowedIds.has(command.commandId) ? [] : slashNames(command))),
  );
}
