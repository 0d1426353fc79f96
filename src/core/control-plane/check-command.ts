import type { ConfigProblem } from '#shared/app-error';
import { windowActionTool, type CommandDefinition } from '#shared/command';
import { sourceId, type ResolverSource } from '#shared/resolver';
import { isWindowActionId } from '#shared/window-action-ids';
import type { SeedRow } from '../ports/seed-layer';
import { launchedSource } from './active-set';

/** The sources and modes that a command may refer to. */
interface CommandReferences {
  readonly exists: (source: ResolverSource) => boolean;
  /** Mode keys. */
  readonly modes: ReadonlySet<string>;
}

interface Finding {
  readonly field: keyof CommandDefinition;
  readonly rule: string;
  readonly reason: string;
}

const serverTool = /^mcp:\/\/[a-z0-9_-]+\.[A-Za-z0-9_.-]+$/;

/** The only tools that change a session's mode or focus. */
const modeTool = 'agent_change_mode';
const focusTools: readonly string[] = ['set_active_context', 'release_focus'];

function checkTool({ toolName }: CommandDefinition): readonly Finding[] {
  if (commandTools.includes(toolName) || serverTool.test(toolName)) return [];
  const reason = `There is no tool "${toolName}". There are: ${[...commandTools].sort().join(', ')}, and tools of servers as mcp://server.tool.`;
  return [{ field: 'toolName', rule: 'tool-known', reason }];
}

/** The row declares a change of mode or focus, and only declared changes can happen (AGN-000037 §10). */
function checkEffects(command: CommandDefinition): readonly Finding[] {
  const { toolName, setsSessionMode, setsActiveContext, activeEntityType } = command;
  const findings: Finding[] = [];
  if (setsActiveContext && activeEntityType === undefined) {
    const reason = 'A command that sets the active context names the entity type it sets.';
    findings.push({ field: 'activeEntityType', rule: 'active-entity-type', reason });
  }
  if (setsSessionMode !== (toolName === modeTool)) {
    const reason = `SetsSessionMode is true exactly for commands of the tool ${modeTool}.`;
    findings.push({ field: 'setsSessionMode', rule: 'declared-effect', reason });
  }
  if (setsActiveContext !== focusTools.includes(toolName)) {
    const reason = `SetsActiveContext is true exactly for commands of the tools ${focusTools.join(' and ')}.`;
    findings.push({ field: 'setsActiveContext', rule: 'declared-effect', reason });
  }
  return findings;
}

function checkSources(command: CommandDefinition, { exists }: CommandReferences): readonly Finding[] {
  const unknown = (field: keyof CommandDefinition, source: ResolverSource): readonly Finding[] => {
    const kind = 'catalogId' in source ? 'catalog' : 'provider';
    const reason = `There is no ${kind} "${sourceId(source)}".`;
    return exists(source) ? [] : [{ field, rule: 'source-known', reason }];
  };
  return [
    ...unknown('resolverSource', command.resolverSource),
    ...(command.targetCatalogId === undefined ? [] : unknown('targetCatalogId', launchedSource(command))),
  ];
}

/** A row that stands for a window action names one that the window implements. */
function checkWindowAction({ toolName, constants }: CommandDefinition): readonly Finding[] {
  const { action } = constants;
  if (toolName !== windowActionTool || (typeof action === 'string' && isWindowActionId(action))) return [];
  const reason = `${windowActionTool} needs the constant "action" with the id of a window action.`;
  return [{ field: 'constants', rule: 'action-known', reason }];
}

function checkMode({ targetModeId }: CommandDefinition, { modes }: CommandReferences): readonly Finding[] {
  if (targetModeId === undefined || modes.has(targetModeId)) return [];
  const reason = `There is no mode "${targetModeId}". There are: ${[...modes].join(', ')}.`;
  return [{ field: 'targetModeId', rule: 'mode-known', reason }];
}

/** Constants complete a tool's arguments; only the single parameter varies (AGN-000037 §6, Core rule). */
function checkParameter({ singleParameterName, constants }: CommandDefinition): readonly Finding[] {
  if (!Object.hasOwn(constants, singleParameterName)) return [];
  const reason = `"${singleParameterName}" is the command's one parameter and cannot also be a constant.`;
  return [{ field: 'constants', rule: 'one-parameter', reason }];
}

/** Checks one command on its own. */
export function checkCommand(
  { file, row }: SeedRow<CommandDefinition>,
  references: CommandReferences,
): readonly ConfigProblem[] {
  return [
    ...checkTool(row),
    ...checkEffects(row),
    ...checkSources(row, references),
    ...checkMode(row, references),
    ...checkWindowAction(row),
    ...checkParameter(row),
  ].map((finding) => ({ file, ...finding }));
}

/**
 * Built-in tools that a command's row may name, besides server tools (`mcp://server.tool`). Each takes the row's
 * single parameter; constants of the row supply the rest of its schema.
 */
export const commandTools: readonly string[] = [
  'agent_change_mode',
  'set_active_context',
  'release_focus',
  'set_run_mode',
  'run_recipe',
  'open_session',
  'open_picker',
  'send_email',
  'workspace_sync',
  'workspace_apply',
  'workspace_use_pack',
  'workspace_use_catalog',
  'workspace_roll_back',
  'agent_start_workflow',
  'undo_run',
  'compact_history',
  windowActionTool,
  'set_setting',
  'set_model',
];

/** The tools of commands that change the mode, the focus, the workspace or the run mode of a session. */
export const sessionTools: ReadonlySet<string> = new Set([
  modeTool,
  ...focusTools,
  'set_run_mode',
  'workspace_sync',
  'workspace_apply',
  'workspace_use_pack',
  'workspace_use_catalog',
  'workspace_roll_back',
]);
