import { needsHostConfirmation, type CommandDefinition } from '#shared/command';
import { sourceId, type CommandCall, type ResolverItem } from '#shared/resolver';
import type { Action, QuestionChoice } from '#shared/route';
import type { EntityHeader } from '#shared/work-context';
import { compareText } from './fold';
import { fewItems } from './item-index';
import type { RouteContext } from './route-context';
import { itemsOf, commandForItem } from './command-for-item';
import { confirmationOf, kindOf, labelsOf, shownName } from './wording';

const yesNo: string[] = ['Yes', 'No'];

/** The input of a picker or a question. */
interface Selection {
  readonly items?: readonly ResolverItem[];
  readonly count?: number;
  readonly prefilter?: string;
  /** Whether to highlight the best item: true when the line searched for something. */
  readonly highlight?: boolean;
}

/** A question with Yes and No for exactly one command and id. */
export function confirm(questionText: string, commandId: string, resolvedId: string) {
  return {
    type: 'ask-clarifying-question',
    questionText,
    options: yesNo,
    commandId,
    resolvedId,
  } satisfies Action;
}

const activeCommands = ({ table }: RouteContext): readonly CommandDefinition[] =>
  [...table.commands.values()].sort((a, b) => compareText(a.commandId, b.commandId));

function openerFor(entityType: string, context: RouteContext): CommandDefinition | undefined {
  const setter = activeCommands(context).find(
    (command) => command.setsActiveContext && command.activeEntityType === entityType,
  );
  if (!setter) return undefined;
  const wanted = sourceId(setter.resolverSource);
  const launcher = activeCommands(context).find(
    (command) => command.commandKind === 'launcher' && sourceId(itemsOf(command)) === wanted,
  );
  return launcher ?? setter;
}

/** Whether a command lacks the focus that it requires. */
function missesFocus({ requiredFocus }: CommandDefinition, { focus }: RouteContext): boolean {
  return (
    requiredFocus !== undefined && (focus?.entityType !== requiredFocus || focus.entityHeader === undefined)
  );
}

/** The line that repeats a command once its missing mode or focus is set. */
function resumeLine({ slash }: CommandDefinition, id?: string): { readonly resume?: string } {
  if (slash === undefined) return {};
  return { resume: id === undefined ? `/${slash}` : `/${slash} ${id}` };
}

function askForFocus(command: CommandDefinition, context: RouteContext, id?: string): Action | undefined {
  const opener = openerFor(command.requiredFocus ?? '', context);
  if (!opener) return undefined;
  const kind = kindOf(context.table.sources.get(sourceId(itemsOf(opener))));
  return {
    type: 'ask-clarifying-question',
    questionText: `“${command.displayName}” applies to the ${kind} you are working on, but none is chosen. Choose one now?`,
    options: yesNo,
    choices: [{ label: 'Yes', commandId: opener.commandId }],
    ...resumeLine(command, id),
  };
}

/** The action for the command that an item stands for; undefined when that command is not active. */
function runItem(
  { commandId, id }: CommandCall,
  { displayName }: EntityHeader,
  context: RouteContext,
): Action | undefined {
  const command = context.table.commands.get(commandId);
  if (!command) return undefined;
  const known = context.indexOf(command.resolverSource)?.byId(id);
  return invokeOrConfirm(command, { header: known?.header ?? { id, displayName } }, context);
}

/** Invokes a command on exactly one item, or asks first where it needs confirmation (AGN-000037 §8). */
export function invokeOrConfirm(
  command: CommandDefinition,
  { header, runs }: Pick<ResolverItem, 'header' | 'runs'>,
  context: RouteContext,
): Action | undefined {
  if (runs) return runItem(runs, header, context);
  if (missesFocus(command, context)) return askForFocus(command, context, header.id);
  const { commandId } = command;
  if (!needsHostConfirmation(command)) return { type: 'invoke-command', commandId, resolvedId: header.id };
  const focused = context.focus?.entityHeader;
  return confirm(confirmationOf(command, header, focused ? shownName(focused) : ''), commandId, header.id);
}

function askWhich(
  command: CommandDefinition,
  context: RouteContext,
  { items = [], count }: Selection,
): Action | undefined {
  const few = items.slice(0, fewItems);
  const [only] = few;
  if (!only) return undefined;
  const { commandId } = command;
  const more = (count ?? items.length) > few.length;
  if (few.length === 1 && !more) {
    if (needsHostConfirmation(command)) return invokeOrConfirm(command, only, context);
    return confirm(`Do you mean “${shownName(only.header)}”?`, commandId, only.header.id);
  }
  const labels = labelsOf(few);
  const kind = kindOf(context.table.sources.get(sourceId(itemsOf(command))));
  return {
    type: 'ask-clarifying-question',
    questionText: `Which ${kind}?${more ? ` These are ${few.length} of ${count ?? items.length}; type the full name of any other.` : ''}`,
    options: [...labels],
    choices: few.map(({ header }, index) => ({
      label: labels[index] ?? '',
      commandId,
      resolvedId: header.id,
    })),
  };
}

/** Opens a picker in a window, or asks one question elsewhere; undefined when there is nothing to offer. */
export function openPickerOrAsk(
  command: CommandDefinition,
  context: RouteContext,
  selection: Selection,
): Action | undefined {
  if (missesFocus(command, context)) return askForFocus(command, context);
  if (!context.ui) return askWhich(command, context, selection);
  const { items = [], prefilter, highlight = false } = selection;
  const [best] = items;
  return {
    type: 'open-picker',
    commandId: command.commandId,
    ...(command.pickerType === undefined ? {} : { pickerType: command.pickerType }),
    source: itemsOf(command),
    ...(prefilter === undefined ? {} : { prefilterText: prefilter }),
    ...(highlight && best ? { highlightId: best.header.id } : {}),
  };
}

/** Offers to switch to the mode that a command or name belongs to; `resume` is the line to repeat there. */
export function askForMode(
  belonging: string,
  mode: string,
  context: RouteContext,
  resume: { readonly resume?: string },
): Action | undefined {
  const switching = activeCommands(context).find((command) => command.setsSessionMode);
  if (!switching) return undefined;
  const name = context.indexOf(switching.resolverSource)?.byId(mode)?.header ?? {
    id: mode,
    displayName: mode,
  };
  const text = `${belonging} belongs to the mode “${shownName(name)}”. Switch to it first?`;
  return { ...confirm(text, switching.commandId, mode), ...resume };
}

/** Opens a launcher's list in the mode that the launcher belongs to (AGN-000037 §6, §9). */
export function launch(
  launcher: CommandDefinition,
  context: RouteContext,
  prefilter?: string,
): Action | undefined {
  const { targetModeId, pickerType } = launcher;
  if (targetModeId !== undefined && targetModeId !== context.mode)
    return askForMode(`“${launcher.displayName}”`, targetModeId, context, resumeLine(launcher));
  const itemCommand = commandForItem(launcher, activeCommands(context));
  const command = { ...itemCommand, ...(pickerType === undefined ? {} : { pickerType }) };
  const index = context.indexOf(itemsOf(launcher));
  const items = index?.first(fewItems) ?? [];
  return openPickerOrAsk(command, context, {
    items,
    count: index?.size ?? 0,
    ...(prefilter === undefined ? {} : { prefilter }),
  });
}

/**
 * The action for a choice of a question; a side effect still needs confirmation. Undefined when the command
 * is no longer active.
 */
export function followChoice(choice: QuestionChoice, context: RouteContext): Action | undefined {
  const command = context.table.commands.get(choice.commandId);
  if (!command) return undefined;
  if (choice.resolvedId === undefined) return openList(command, context);
  const known = context.indexOf(command.resolverSource)?.byId(choice.resolvedId);
  const header = { id: choice.resolvedId, displayName: choice.label };
  return invokeOrConfirm(command, known ?? { header }, context);
}

/**
 * Opens the list of a command without an item: the launcher's list, or the items of the command's own source.
 */
export function openList(
  command: CommandDefinition,
  context: RouteContext,
  prefilter?: string,
): Action | undefined {
  if (command.commandKind === 'launcher') return launch(command, context, prefilter);
  const index = context.indexOf(command.resolverSource);
  const filters = prefilter === undefined ? {} : { prefilter };
  return openPickerOrAsk(command, context, {
    items: index?.first(fewItems) ?? [],
    count: index?.size ?? 0,
    ...filters,
  });
}
