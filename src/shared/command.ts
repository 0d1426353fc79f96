import { z } from 'zod';
import { JsonObject } from './json';
import { ResolverSource } from './resolver';
import { Shortcut, SlashName } from './window-action';

/**
 * Confirmation question for a command with side effects; `{item}` is the name of the chosen item, `{focus}`
 * that of the focus.
 */
export const ConfirmationText = z.strictObject({
  text: z.string().min(1),
  /** Additional words that mean yes to this question ("send", "send it"). */
  yesWords: z.array(z.string().min(1)).default([]),
});
export type ConfirmationText = z.infer<typeof ConfirmationText>;

/**
 * One user intent, executed by one tool with exactly one parameter, the resolved Id (AGN-000037 §6). Fields
 * beyond the specification: patterns that the router matches, a slash name, a shortcut, constants that
 * complete the tool's arguments, and the entity type that must be in focus. A launcher's
 * `constants.commandId` names the command that its choice runs.
 */
export const CommandDefinition = z.strictObject({
  commandId: z.string().regex(/^[A-Za-z][A-Za-z0-9_]*$/),
  displayName: z.string().min(1),
  description: z.string().optional(),
  commandKind: z.enum(['executable', 'launcher']).default('executable'),
  toolName: z.string().min(1),
  singleParameterName: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
  resolverSource: ResolverSource,
  /**
   * Layout of its list: `compact` shows one line per item; anything else shows two,
   * with the item's description.
   */
  pickerType: z.string().optional(),
  targetCatalogId: z.string().optional(),
  /** A mode's Key. */
  targetModeId: z.string().optional(),
  setsSessionMode: z.boolean().default(false),
  setsActiveContext: z.boolean().default(false),
  activeEntityType: z.string().min(1).optional(),
  requiresConfirmation: z.boolean().default(false),
  producesSideEffects: z.boolean().default(false),
  intentPatterns: z.array(z.string().min(1)).default([]),
  slash: SlashName.optional(),
  /** Other slash names that people try for it. */
  slashAliases: z.array(SlashName).default([]),
  /** Shortcut that opens its list; the user may change it. */
  shortcut: Shortcut.optional(),
  /**
   * Whether the router itself answers "verb noun: name" when no such item exists; otherwise
   * the line goes to the model.
   */
  asksAboutUnknown: z.boolean().default(false),
  /**
   * Whether the router itself answers its slash name, with or without the slash, when it has nothing to act on;
   * otherwise that line goes to the model.
   */
  answersWhenIdle: z.boolean().default(false),
  constants: JsonObject.default({}),
  confirmation: ConfirmationText.optional(),
  requiredFocus: z.string().min(1).optional(),
  requiredRoles: z.array(z.string().min(1)).default([]),
  /** The pack that provides it; set at startup, whatever a file says. */
  pack: z.string().optional(),
});
export type CommandDefinition = z.infer<typeof CommandDefinition>;

/** All slash names of a command, the one that is shown first. */
export function slashNames({
  slash,
  slashAliases,
}: Pick<CommandDefinition, 'slash' | 'slashAliases'>): readonly string[] {
  return slash === undefined ? slashAliases : [slash, ...slashAliases];
}

/** The tool of a command that the window, or the terminal, carries out itself. */
export const windowActionTool = 'window_action';

/** The window action that a command stands for; undefined for every other command. */
export function windowActionOf({
  toolName,
  constants,
}: Pick<CommandDefinition, 'toolName' | 'constants'>): string | undefined {
  const { action } = constants;
  return toolName === windowActionTool && typeof action === 'string' ? action : undefined;
}

/** Whether a command asks before it runs (AGN-000037 §8, Confirmation & safety). */
export function needsConfirmation(
  command: Pick<CommandDefinition, 'requiresConfirmation' | 'producesSideEffects'>,
): boolean {
  return command.requiresConfirmation || command.producesSideEffects;
}

/**
 * Whether the host asks for a yes before it runs a command. A server's tool is asked about on the card of its
 * call instead, which shows the exact call: the same consent is never asked for twice.
 */
export const needsHostConfirmation = (
  command: Pick<CommandDefinition, 'requiresConfirmation' | 'producesSideEffects' | 'toolName'>,
): boolean => needsConfirmation(command) && !command.toolName.startsWith('mcp://');

/** A set of catalogs and commands that modes enable together (AGN-000037 §5). */
export const ToolboxDefinition = z.strictObject({
  toolboxId: z.string().regex(/^[a-z][a-z0-9_]*$/),
  displayName: z.string().min(1),
  catalogIds: z.array(z.string()),
  commandIds: z.array(z.string()).default([]),
  requiredRoles: z.array(z.string().min(1)).default([]),
  /** Keys of the modes that a pack's toolbox joins; a mode row may also name toolboxes itself. */
  activeIn: z.array(z.string()).default([]),
});
export type ToolboxDefinition = z.infer<typeof ToolboxDefinition>;
