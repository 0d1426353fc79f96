import type { CommandDefinition } from '#shared/command';
import { sourceId, type ResolverSource, type SourceDefinition } from '#shared/resolver';
import { foldedWords } from './fold';
import { addForm, createFormTrie, type FormTrie, type Rule } from './form-trie';
import { mostForms, parsePattern, type Form, type ParsedPattern, type Reach } from './pattern';

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
  readonly trie: FormTrie;
  readonly formCount: number;
}

interface Compiling {
  readonly trie: FormTrie;
  readonly sources: ReadonlyMap<string, SourceDefinition>;
  readonly problems: PatternProblem[];
  /** Who says a form, by its words (with a slot: on its source). */
  readonly owners: Map<string, string>;
  formCount: number;
}

/** Where a command's items come from: for a launcher the catalog it opens (AGN-000037 §6, TargetCatalogId). */
export function itemsOf(command: CommandDefinition): ResolverSource {
  const { commandKind, targetCatalogId, resolverSource } = command;
  if (commandKind !== 'launcher' || targetCatalogId === undefined) return resolverSource;
  return targetCatalogId === sourceId(resolverSource) ? resolverSource : { catalogId: targetCatalogId };
}

const articles: ReadonlySet<string> = new Set(['the', 'a', 'an', 'my', 'our', 'your', 'this']);

/** The words of a form with its slot as a word that nothing equals. */
const spoken = (form: Form): string => ` ${form.map((word) => word?.replace(/:$/u, '') ?? '{}').join(' ')} `;

function nounPhrases(definition: SourceDefinition | undefined): readonly string[] {
  const { one, many } = definition?.nouns ?? { one: [], many: [] };
  return [...one, ...many]
    .map((noun) => ` ${foldedWords(noun).join(' ')} `)
    .filter((noun) => noun.trim() !== '');
}

/** Whether a form begins with something to do: neither an article, nor the kind of thing, nor the thing itself. */
function hasVerb(form: Form, nouns: readonly string[]): boolean {
  const first = form.findIndex((word) => word === null || !articles.has(word));
  const rest = spoken(form.slice(first));
  return first >= 0 && form[first] !== null && !nouns.some((noun) => rest.startsWith(noun));
}

function reachOf(form: Form, nouns: readonly string[], open: boolean): Reach {
  const named = nouns.some((noun) => spoken(form).includes(noun));
  if (!hasVerb(form, nouns)) return 'name';
  if (named) return open ? 'name' : 'any';
  return open ? 'id-with-digit' : 'phrase';
}

function ruleOf(command: CommandDefinition, definition: SourceDefinition | undefined, pattern: string) {
  const nouns = nounPhrases(definition);
  const known = new Map<string, Rule>();
  return (form: Form, { question, reach }: ParsedPattern): Rule => {
    const named = nouns.some((noun) => spoken(form).includes(noun));
    const derived = reach ?? reachOf(form, nouns, definition?.vocabulary === 'open');
    const literals = form.filter((word) => word !== null).length;
    const key = `${String(named)} ${derived} ${literals}`;
    const rule = known.get(key) ?? {
      command,
      pattern,
      source: itemsOf(command),
      reach: derived,
      named,
      literals,
      question,
    };
    known.set(key, rule);
    return rule;
  };
}

const formKey = (form: Form, command: CommandDefinition): string =>
  form.includes(null) ? `${spoken(form)}@${sourceId(itemsOf(command))}` : form.join(' ');

type Report = (rule: string, reason: string) => void;

/** Adds the forms nobody says yet; a form of another command is reported once for each. */
function addForms(
  compiling: Compiling,
  rule: (form: Form) => Rule,
  forms: readonly Form[],
  report: Report,
): void {
  const rivals = new Set<string>();
  for (const form of forms) {
    const made = rule(form);
    const { command } = made;
    const key = formKey(form, command);
    const owner = compiling.owners.get(key);
    if (owner === undefined) {
      compiling.owners.set(key, command.commandId);
      addForm(compiling.trie, form, made);
    } else if (owner !== command.commandId && !rivals.has(owner)) {
      rivals.add(owner);
      report('same-pattern', `“${spoken(form).trim().replace('{}', '{item}')}” is also said for ${owner}.`);
    }
  }
}

function addPattern(compiling: Compiling, command: CommandDefinition, index: number): number {
  const pattern = command.intentPatterns[index] ?? '';
  const report: Report = (rule, reason) => {
    const field = `intentPatterns[${index}]`;
    compiling.problems.push({ commandId: command.commandId, field, rule, reason });
  };
  const definition = compiling.sources.get(sourceId(itemsOf(command)));
  const parsed = parsePattern(pattern, definition?.nouns);
  if (!parsed.ok) {
    report(parsed.error.rule, parsed.error.reason);
    return 0;
  }
  const { forms } = parsed.value;
  if (command.commandKind === 'launcher' && forms.some((form) => form.includes(null))) {
    report('slot-in-launcher', 'A launcher leads to a choice: its patterns have no {item}.');
    return 0;
  }
  const rule = ruleOf(command, definition, pattern);
  addForms(compiling, (form) => rule(form, parsed.value), forms, report);
  return forms.length;
}

function addCommand(compiling: Compiling, command: CommandDefinition): void {
  let count = 0;
  for (let index = 0; index < command.intentPatterns.length && count <= mostForms; index += 1) {
    count += addPattern(compiling, command, index);
  }
  compiling.formCount += count;
  if (count <= mostForms) return;
  const reason = `Its patterns can be said in more than ${mostForms} ways together.`;
  compiling.problems.push({
    commandId: command.commandId,
    field: 'intentPatterns',
    rule: 'too-many-forms',
    reason,
  });
}

function slashesOf(commands: readonly CommandDefinition[], problems: PatternProblem[]) {
  const slashes = new Map<string, CommandDefinition>();
  for (const command of commands) {
    if (command.slash === undefined) continue;
    const owner = slashes.get(command.slash);
    if (owner) {
      const reason = `/${command.slash} already belongs to ${owner.commandId}.`;
      problems.push({ commandId: command.commandId, field: 'slash', rule: 'same-slash', reason });
    } else slashes.set(command.slash, command);
  }
  return slashes;
}

/**
 * Compiles the patterns of commands that are active together (AGN-000037 §5, §11: rows, never code).
 * Every problem is named, with the command, the field and the rule; the sound patterns still work.
 */
export function compileRoutingTable(
  commands: readonly CommandDefinition[],
  sources: ReadonlyMap<string, SourceDefinition>,
): { readonly table: RoutingTable; readonly problems: readonly PatternProblem[] } {
  const compiling: Compiling = {
    trie: createFormTrie(),
    sources,
    problems: [],
    owners: new Map(),
    formCount: 0,
  };
  for (const command of commands) addCommand(compiling, command);
  const slashes = slashesOf(commands, compiling.problems);
  const { trie, formCount, problems } = compiling;
  const table = {
    commands: new Map(commands.map((row) => [row.commandId, row])),
    sources,
    slashes,
    trie,
    formCount,
  };
  return { table, problems };
}
