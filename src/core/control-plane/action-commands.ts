import { CommandDefinition, windowActionTool } from '#shared/command';
import { ok } from '#shared/result';
import type { WindowAction } from '#shared/window-action';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { SeedLayer } from '../ports/seed-layer';

/** The command id of a window action: `new-session` becomes `NewSession`. */
const commandIdOf = (actionId: string): string =>
  actionId
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

/**
 * The command that a window action is for the router: its one parameter is the single item of its subject, or
 * the text that the line gives. Undefined for an action that no line asks for.
 */
export function commandOf({ actionId, subject, ...row }: WindowAction): CommandDefinition | undefined {
  const { displayName, slash, slashAliases, intentPatterns } = row;
  if (slash === undefined && intentPatterns.length === 0) return undefined;
  return CommandDefinition.parse({
    commandId: commandIdOf(actionId),
    displayName,
    toolName: windowActionTool,
    singleParameterName: 'id',
    constants: { action: actionId },
    resolverSource: { providerId: subject },
    slash,
    slashAliases,
    intentPatterns,
  });
}

/** A layer whose window actions are commands, too, so that they are checked and routed like any other. */
export function withActionCommands(layer: SeedLayer): SeedLayer {
  const added = layer.actions.flatMap(({ file, row }) => {
    const command = commandOf(row);
    return command ? [{ file, row: command }] : [];
  });
  return { ...layer, commands: [...layer.commands, ...added] };
}

/** `window_action`: records that the user asked for a window action; whoever shows the line carries it out. */
export function createWindowActionTool(): BuiltInTool {
  return {
    name: windowActionTool,
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    needsSession: true,
    toolUsageMetadata: 'Asks the window to do something.',
    schema: {
      type: 'object',
      properties: { action: { type: 'string' }, id: { type: 'string' } },
      required: ['action', 'id'],
      additionalProperties: false,
    },
    execute: () => Promise.resolve(ok(JSON.stringify({ success: true }))),
  };
}
