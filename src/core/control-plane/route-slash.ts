import { needsHostConfirmation, slashNames, windowActionOf, type CommandDefinition } from '#shared/command';
import type { Action } from '#shared/route';
import { confirm, openList, openPickerOrAsk, invokeOrConfirm } from './actions';
import type { Candidate } from './candidate';
import { fold } from './fold';
import type { MatchedRule } from './form-trie';
import { createResolver, type Resolution } from './resolve';
import type { RouteContext } from './route-context';
import { itemsOf } from './command-for-item';
import { explicitSlot, type Slot } from './slot';

/** A line that begins with a slash and a name. */
export interface SlashLine {
  readonly name: string;
  readonly rest: string;
}

const slashLine = /^\/([a-z][a-z0-9-]*)(?:\s+(\S[^\n\r]*))?$/iu;

/** Reads `/name` or `/name something`; undefined for paths, comments and regular expressions. */
export function readSlash(line: string): SlashLine | undefined {
  const match = slashLine.exec(line);
  return match ? { name: (match[1] ?? '').toLowerCase(), rest: (match[2] ?? '').trim() } : undefined;
}

/**
 * The action of a slash command and the candidate for the trace; no action when there is nothing to choose
 * from.
 */
export interface SlashRouting {
  readonly candidate: Candidate;
  readonly action: Action | undefined;
}

const listed = (why: string): Resolution => ({ strict: false, items: [], count: 0, why });

/** Resolves the text after a slash name by every tier, because a slash is explicit. */
export function resolveRest(
  command: CommandDefinition,
  name: string,
  rest: string,
  context: RouteContext,
): Resolution {
  return resolveExplicitly(ruleOf(command, name), explicitSlot(rest, fold(rest)), context);
}

function resolveExplicitly(rule: MatchedRule, slot: Slot, context: RouteContext): Resolution {
  const index = context.indexOf(rule.source);
  const item = index?.byId(slot.written);
  if (item && !context.stale(rule.source))
    return { tier: 'exact-id', strict: true, items: [item], count: 1, why: 'It matches the id exactly.' };
  const resolver = createResolver(context);
  const exact = resolver.exactly(rule, slot);
  return exact.tier === undefined ? resolver.roughly(rule, slot) : exact;
}

function ruleOf(command: CommandDefinition, name: string): MatchedRule {
  const source = itemsOf(command);
  const reading = { scope: 'any', named: true, literals: 1 } as const;
  const rule = {
    command,
    pattern: `/${name}`,
    source,
    nouns: [],
    open: false,
    declaredScope: 'any' as const,
    question: false,
  };
  return { ...rule, ...reading };
}

/** Says that a command has nothing to act on now, instead of sending its slash line to the model. */
function nothingToActOn({ command, source }: MatchedRule, context: RouteContext): Action | undefined {
  const answers = command.answersWhenIdle || windowActionOf(command) !== undefined;
  if (!answers || context.indexOf(source)?.size !== 0) return undefined;
  const questionText = `“${command.displayName}” has nothing to act on now.`;
  return { type: 'ask-clarifying-question', questionText, options: ['Leave it'] };
}

/** Says so for a line that is the name of a command with nothing to act on, such as "undo". */
export function answerIdle(
  folded: string,
  candidates: readonly Candidate[],
  context: RouteContext,
): Action | undefined {
  const named = candidates.find(
    ({ rule: { command } }) => command.answersWhenIdle && slashNames(command).includes(folded),
  );
  return named && nothingToActOn(named.rule, context);
}

/** Routes a slash name without an argument: to its list, unless the command has nothing to choose from. */
function routeBare(rule: MatchedRule, context: RouteContext): SlashRouting {
  const { command } = rule;
  if (!isChoiceless(command)) {
    const resolution = listed('A slash opens its list.');
    return { candidate: { rule, resolution, list: true }, action: openList(command, context) };
  }
  const resolution = onlyItem(rule, context);
  const [item] = resolution.items;
  const action =
    resolution.strict && item
      ? invokeOrConfirm(command, item, context)
      : (nothingToActOn(rule, context) ?? openList(command, context));
  return { candidate: { rule, resolution, list: false }, action };
}

/**
 * Asks whether to run a command that takes no text without the text that follows its name. Undefined for a command
 * with a choice.
 */
function withoutRest(rule: MatchedRule, context: RouteContext): Action | undefined {
  const { command, pattern } = rule;
  if (!isChoiceless(command)) return undefined;
  const [item] = onlyItem(rule, context).items;
  if (!item) return nothingToActOn(rule, context);
  const { commandId, displayName } = command;
  if (needsHostConfirmation(command)) return invokeOrConfirm(command, item, context);
  return confirm(`${pattern} takes no text. Run “${displayName}” without it?`, commandId, item.header.id);
}

function routeNamed(rule: MatchedRule, rest: string, context: RouteContext): SlashRouting {
  const { command } = rule;
  const slot = explicitSlot(rest, fold(rest));
  const resolution = resolveExplicitly(rule, slot, context);
  const candidate: Candidate = { rule, slot, resolution, list: false };
  const { items, count, strict } = resolution;
  const [item] = items;
  if (strict && item) return { candidate, action: invokeOrConfirm(command, item, context) };
  return {
    candidate,
    action:
      withoutRest(rule, context) ??
      openPickerOrAsk(command, context, { items, count, highlight: true, prefilter: rest }),
  };
}

/**
 * Routes an explicit command. An argument that does not resolve opens the picker, because a slash is
 * explicit.
 */
export function routeSlash({ name, rest }: SlashLine, context: RouteContext): SlashRouting | undefined {
  const command = context.table.slashes.get(name);
  if (!command) return undefined;
  const rule = ruleOf(command, name);
  if (command.commandKind === 'launcher') {
    const resolution = listed('A slash opens its list.');
    const action = openList(command, context, rest === '' ? undefined : rest);
    return { candidate: { rule, resolution, list: true }, action };
  }
  return rest === '' ? routeBare(rule, context) : routeNamed(rule, rest, context);
}

/**
 * Whether there is nothing to choose for a command: it stands for a window action, or has patterns but no slot
 * in any of them. Its source then has one item or none.
 */
export function isChoiceless(command: CommandDefinition): boolean {
  if (windowActionOf(command) !== undefined) return true;
  const { intentPatterns } = command;
  return intentPatterns.length > 0 && !intentPatterns.some((pattern) => pattern.includes('{item'));
}

/** The only item of a command without a choice. */
export function onlyItem({ source }: MatchedRule, context: RouteContext): Resolution {
  const index = context.indexOf(source);
  if (!index) return listed('Its items cannot be searched now.');
  if (index.size !== 1) return listed(index.size === 0 ? 'Nothing matches it.' : 'Several items match.');
  const stale = context.stale(source);
  return {
    tier: 'exact-id',
    strict: !stale,
    items: index.first(1),
    count: 1,
    why: 'Only one item matches.',
  };
}
