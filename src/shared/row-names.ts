import type { CommandRow, ControlPlaneView, SourceRow } from './control-plane';
import type { AgentModeSummary } from './mode';
import type { WindowAction } from './window-action';
import type { WindowActionId } from './window-action-ids';

/**
 * The names of built-in rows in another language, for the eyes of the user only: the router, models and the log
 * read the rows themselves. A row of a pack keeps its own name.
 */
export interface RowNames {
  readonly actions: Readonly<Record<WindowActionId, string>>;
  /** The name, and one sentence about it. */
  readonly commands: Readonly<Record<string, readonly [name: string, about?: string]>>;
  /** The name of a list, and what its items are together. */
  readonly sources: Readonly<Record<string, readonly [name: string, many: string]>>;
  /** By key. */
  readonly modes: Readonly<Record<string, readonly [name: string, about: string]>>;
}

export function translateActions(
  actions: readonly WindowAction[],
  names: RowNames | null,
): readonly WindowAction[] {
  const known: Readonly<Record<string, string>> = names?.actions ?? {};
  return actions.map((action) => ({ ...action, displayName: known[action.actionId] ?? action.displayName }));
}

export function translateCommand(command: CommandRow, names: RowNames | null): CommandRow {
  const action = command.actionId as WindowActionId | undefined;
  const [displayName, description] =
    names?.commands[command.commandId] ?? (names && action ? [names.actions[action]] : []);
  return {
    ...command,
    ...(displayName !== undefined && { displayName }),
    ...(description !== undefined && { description }),
  };
}

function translateSource(source: SourceRow, names: RowNames): SourceRow {
  const [displayName, many] = names.sources[source.id] ?? [];
  if (displayName === undefined || many === undefined) return source;
  // The English nouns stay: a line may contain them.
  return { ...source, displayName, nouns: { ...source.nouns, many: [many, ...source.nouns.many] } };
}

function translateMode(mode: AgentModeSummary, names: RowNames): AgentModeSummary {
  const [displayName, description] = names.modes[mode.key] ?? [];
  return displayName === undefined || description === undefined
    ? mode
    : { ...mode, displayName, description };
}

/** What the window shows of the control plane, in its language. */
export function translateView(view: ControlPlaneView, names: RowNames | null): ControlPlaneView {
  if (!names) return view;
  return {
    ...view,
    mode: translateMode(view.mode, names),
    modes: view.modes.map((mode) => translateMode(mode, names)),
    commands: view.commands.map((command) => translateCommand(command, names)),
    sources: view.sources.map((source) => translateSource(source, names)),
  };
}
