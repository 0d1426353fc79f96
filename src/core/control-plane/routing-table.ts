import { slashNames, type CommandDefinition } from '#shared/command';
import { sourceId, type SourceDefinition } from '#shared/resolver';
import { compareText, foldedWords } from './fold';
import { addSplit, beginningOf, createForms, type FormNode, type Forms, type Rule } from './form-node';
import { findAmbiguousRules } from './ambiguous-rules';
import { maxForms, parsePattern } from './pattern';
import { itemsOf } from './command-for-item';

/** A problem with a command's patterns, with the command, field and rule that help its author find it. */
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
  /** The words of the nouns for kinds of items, in a fixed order. */
  readonly kinds: readonly string[];
  readonly trie: FormNode;
  readonly formCount: number;
}

/** The result of compiling one pattern; results follow the order of the rows. */
type Outcome = { readonly problem: PatternProblem } | { readonly rule: Rule; readonly field: string };

interface Compiling {
  readonly forms: Forms;
  readonly sources: ReadonlyMap<string, SourceDefinition>;
  readonly outcomes: Outcome[];
  formCount: number;
}

interface Compiled {
  readonly table: RoutingTable;
  readonly outcomes: readonly Outcome[];
}

function nounPhrases(definition: SourceDefinition | undefined): readonly string[] {
  const { one, many } = definition?.nouns ?? { one: [], many: [] };
  return [...one, ...many]
    .map((noun) => ` ${foldedWords(noun).join(' ')} `)
    .filter((noun) => noun.trim() !== '');
}

function addPattern(compiling: Compiling, command: CommandDefinition, index: number): number {
  const pattern = command.intentPatterns[index] ?? '';
  const field = `intentPatterns[${index}]`;
  const report = (rule: string, reason: string): void => {
    compiling.outcomes.push({ problem: { commandId: command.commandId, field, rule, reason } });
  };
  const definition = compiling.sources.get(sourceId(itemsOf(command)));
  const parsed = parsePattern(pattern, definition?.nouns);
  if (!parsed.ok) {
    report(parsed.error.rule, parsed.error.reason);
    return 0;
  }
  const { splits, count, question, scope } = parsed.value;
  if (command.commandKind === 'launcher' && splits.some(({ slot }) => slot)) {
    report('slot-in-launcher', 'A launcher opens a list: its patterns cannot have an {item}.');
    return 0;
  }
  const rule: Rule = {
    command,
    pattern,
    source: itemsOf(command),
    nouns: nounPhrases(definition),
    open: definition?.vocabulary === 'open',
    declaredScope: scope,
    question,
  };
  for (const part of splits) addSplit(compiling.forms, part, rule);
  compiling.outcomes.push({ rule, field });
  return count;
}

function addCommand(compiling: Compiling, command: CommandDefinition): void {
  let count = 0;
  for (let index = 0; index < command.intentPatterns.length && count <= maxForms; index += 1) {
    count += addPattern(compiling, command, index);
  }
  compiling.formCount += count;
  if (count <= maxForms) return;
  const reason = `Its patterns have more than ${maxForms} variants in total.`;
  const { commandId } = command;
  const field = 'intentPatterns';
  compiling.outcomes.push({ problem: { commandId, field, rule: 'too-many-forms', reason } });
}

function slashesOf(commands: readonly CommandDefinition[], outcomes: Outcome[]) {
  const slashes = new Map<string, CommandDefinition>();
  for (const command of commands) {
    const { commandId } = command;
    for (const slash of slashNames(command)) {
      const owner = slashes.get(slash);
      if (owner) {
        const reason = `/${slash} already belongs to ${owner.commandId}.`;
        outcomes.push({ problem: { commandId, field: 'slash', rule: 'same-slash', reason } });
      } else slashes.set(slash, command);
    }
  }
  return slashes;
}

function kindsOf(commands: readonly CommandDefinition[], sources: ReadonlyMap<string, SourceDefinition>) {
  const definitions = commands.flatMap((command) => sources.get(sourceId(itemsOf(command))) ?? []);
  const words = definitions.flatMap(({ nouns }) => [...nouns.one, ...nouns.many].flatMap(foldedWords));
  return [...new Set(words)].sort(compareText);
}

function compileAll(
  commands: readonly CommandDefinition[],
  sources: ReadonlyMap<string, SourceDefinition>,
): Compiled {
  const compiling: Compiling = { forms: createForms(), sources, outcomes: [], formCount: 0 };
  for (const command of commands) addCommand(compiling, command);
  const { forms, outcomes, formCount } = compiling;
  const slashes = slashesOf(commands, outcomes);
  const byId = new Map(commands.map((row) => [row.commandId, row]));
  const trie = beginningOf(forms);
  const kinds = kindsOf(commands, sources);
  return { table: { commands: byId, sources, slashes, kinds, trie, formCount }, outcomes };
}

/**
 * Compiles the patterns of commands that are active together (AGN-000037 §5, §11: rows, never code). Valid
 * patterns work even if others are invalid; `checkRoutingTable` reports the problems. Costs no more than
 * parsing the patterns, because a node computes its continuations on first use.
 */
export function compileRoutingTable(
  commands: readonly CommandDefinition[],
  sources: ReadonlyMap<string, SourceDefinition>,
): RoutingTable {
  return compileAll(commands, sources).table;
}

/**
 * Reports the problems with the patterns of commands that are active together, each with command, field and
 * rule.
 */
export function checkRoutingTable(
  commands: readonly CommandDefinition[],
  sources: ReadonlyMap<string, SourceDefinition>,
): readonly PatternProblem[] {
  const { table, outcomes } = compileAll(commands, sources);
  const rules = outcomes.flatMap((outcome) => ('rule' in outcome ? [outcome.rule] : []));
  const rivals = findAmbiguousRules(table.trie, rules);
  return outcomes.flatMap((outcome) => {
    if ('problem' in outcome) return [outcome.problem];
    const { rule, field } = outcome;
    const { commandId } = rule.command;
    const others = [...(rivals.get(rule) ?? [])].sort((a, b) => rules.indexOf(a) - rules.indexOf(b));
    const named = new Set(others.map(({ pattern, command }) => `“${pattern}” of ${command.commandId}`));
    return [...named].map((other): PatternProblem => {
      const reason = `It matches the same words as ${other}.`;
      return { commandId, field, rule: 'same-pattern', reason };
    });
  });
}
