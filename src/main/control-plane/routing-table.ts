import type { CommandDefinition } from '#shared/command';
import { sourceId, type ResolverSource, type SourceDefinition } from '#shared/resolver';
import { foldedWords } from './fold';
import { addSplit, createFormTrie, type FormTrie, type Rule } from './form-trie';
import { mostForms, parsePattern, type ParsedPattern } from './pattern';

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
  formCount: number;
}

/** Where a command's items come from: for a launcher the catalog it opens (AGN-000037 §6, TargetCatalogId). */
export function itemsOf(command: CommandDefinition): ResolverSource {
  const { commandKind, targetCatalogId, resolverSource } = command;
  if (commandKind !== 'launcher' || targetCatalogId === undefined) return resolverSource;
  return targetCatalogId === sourceId(resolverSource) ? resolverSource : { catalogId: targetCatalogId };
}

function nounPhrases(definition: SourceDefinition | undefined): readonly string[] {
  const { one, many } = definition?.nouns ?? { one: [], many: [] };
  return [...one, ...many]
    .map((noun) => ` ${foldedWords(noun).join(' ')} `)
    .filter((noun) => noun.trim() !== '');
}

type Report = (rule: string, reason: string) => void;

/** Adds a sound pattern; each other command that can be said in the same words is reported. */
function addRule({ trie }: Compiling, { splits }: ParsedPattern, rule: Rule, report: Report): void {
  const { commandId } = rule.command;
  const others = splits
    .flatMap((part) => addSplit(trie, part, rule))
    .filter(({ command }) => command.commandId !== commandId);
  for (const pattern of new Set(others.map((other) => `“${other.pattern}” of ${other.command.commandId}`))) {
    report('same-pattern', `It can be said in the same words as ${pattern}.`);
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
  const { splits, count, question, reach } = parsed.value;
  if (command.commandKind === 'launcher' && splits.some(({ slot }) => slot)) {
    report('slot-in-launcher', 'A launcher leads to a choice: its patterns have no {item}.');
    return 0;
  }
  const rule: Rule = {
    command,
    pattern,
    source: itemsOf(command),
    nouns: nounPhrases(definition),
    open: definition?.vocabulary === 'open',
    given: reach,
    question,
  };
  addRule(compiling, parsed.value, rule, report);
  return count;
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
