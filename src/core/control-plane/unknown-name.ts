import { sourceId } from '#shared/resolver';
import type { Action, QuestionChoice } from '#shared/route';
import { askForMode } from './actions';
import type { Candidate } from './candidate';
import { compareText, foldedWords } from './fold';
import { isOneEdit } from './edit-distance';
import type { RouteContext } from './route-context';
import { resolveRest, type SlashLine } from './route-slash';
import { kindOf, shownName } from './wording';

const nearNames = 3;
/** Maximum words of a name after `use workflow:`; a longer text is a sentence. */
const maxNameWords = 4;
const leave = 'Leave it';

/** Asks a question whose last option does nothing. */
function ask(questionText: string, choices: readonly QuestionChoice[]): Action {
  const options = [...choices.map(({ label }) => label), leave];
  return { type: 'ask-clarifying-question', questionText, options, choices: [...choices] };
}

const isNear = (entered: string, name: string): boolean =>
  (entered.length > 1 && name.startsWith(entered)) || (entered.length > 2 && isOneEdit(entered, name));

/** Commands whose slash name is close to the typed one and whose source has a match for the text after it. */
function nearSlashes({ name, rest }: SlashLine, context: RouteContext): readonly QuestionChoice[] {
  const near = [...context.table.slashes].filter(([slash]) => isNear(name, slash));
  const choices = near.flatMap(([slash, command]): readonly QuestionChoice[] => {
    const { commandId, commandKind } = command;
    if (rest === '') return [{ label: `/${slash}`, commandId }];
    if (commandKind === 'launcher') return [];
    const { strict, items, tier } = resolveRest(command, slash, rest, context);
    const [item] = items;
    if (tier === undefined) return [];
    if (!strict || !item) return [{ label: `/${slash}`, commandId }];
    const { id } = item.header;
    return [{ label: `/${slash} ${id}`, commandId, resolvedId: id }];
  });
  return choices.sort((a, b) => compareText(a.label, b.label)).slice(0, nearNames);
}

/**
 * Asks about a slash name that no active command has, if it belongs to another mode or is close to one of
 * this mode. Undefined for other text, such as "/tmp is full", which goes to the model.
 */
export function askAboutSlash(line: SlashLine, context: RouteContext): Action | undefined {
  const { name, rest } = line;
  const mode = context.modeWithSlash(name);
  const resume = rest === '' ? `/${name}` : `/${name} ${rest}`;
  if (mode !== undefined) return askForMode(`/${name}`, mode, context, { resume });
  const near = nearSlashes(line, context);
  return near.length > 0 ? ask(`There is no /${name}. Did you mean one of these?`, near) : undefined;
}

/** Items that share a word with a name, rarest word first. */
function nearItems({ rule, slot }: Candidate, context: RouteContext) {
  const index = context.indexOf(rule.source);
  const words = foldedWords(slot?.folded ?? '').filter((word) => word.length > 2);
  const found = words.flatMap((folded) => index?.find({ written: folded, folded }, 'keyword') ?? []);
  const items = [...found].sort((a, b) => a.count - b.count).flatMap(({ best }) => best);
  return [...new Map(items.map((item) => [item.header.id, item])).values()].slice(0, nearNames);
}

/** Asks about a line that explicitly names an unknown item, with its kind and a colon ("use workflow: x"). */
export function askAboutName(candidates: readonly Candidate[], context: RouteContext): Action | undefined {
  const named = candidates.find(
    ({ rule: { command, pattern } }) => command.asksAboutUnknown && pattern.includes('{noun}: {item'),
  );
  const { slot } = named ?? {};
  if (!named || !slot || slot.exactOnly || slot.wordCount > maxNameWords) return undefined;
  if (!context.indexOf(named.rule.source)) return undefined;
  const { command, source } = named.rule;
  const { commandId, displayName } = command;
  const kind = kindOf(context.table.sources.get(sourceId(source)));
  const near = nearItems(named, context).map(({ header }) => ({
    label: shownName(header),
    commandId,
    resolvedId: header.id,
  }));
  const written = shownName({ id: '', displayName: slot.written });
  const text = `Unknown ${kind} ‘${written}’. ${near.length > 0 ? 'Did you mean one of these?' : 'Choose an existing one?'}`;
  return ask(text, [...near, { label: `${displayName}…`, commandId }]);
}
