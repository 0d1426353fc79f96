import { sourceId } from '#shared/resolver';
import type { FormNode, Rule, Tail } from './form-node';

/** For a rule the rules before it that another command has and that can be said in the same words. */
export type AmbiguousRules = ReadonlyMap<Rule, ReadonlySet<Rule>>;

interface Search {
  readonly order: ReadonlyMap<Rule, number>;
  readonly found: Map<Rule, Set<Rule>>;
  readonly seen: Set<FormNode>;
  readonly compared: Map<Tail, Map<Tail, boolean>>;
}

function note({ order, found }: Search, one: Rule, other: Rule): void {
  const oneIsLater = (order.get(one) ?? 0) > (order.get(other) ?? 0);
  const [later, earlier] = oneIsLater ? [one, other] : [other, one];
  found.set(later, (found.get(later) ?? new Set()).add(earlier));
}

function haveCommonEnd(a: FormNode, b: FormNode): boolean {
  const [one, other] = [a.open(), b.open()];
  if (one.rules.length > 0 && other.rules.length > 0) return true;
  return [...one.next].some(([word, next]) => {
    const same = other.next.get(word);
    return same !== undefined && haveCommonEnd(next, same);
  });
}

/** Whether what follows two slots on the same source can be the same; two patterns meet at many places. */
function tailsMeet({ compared }: Search, a: Tail, b: Tail): boolean {
  if (sourceId(a.rule.source) !== sourceId(b.rule.source)) return false;
  const known = compared.get(a) ?? new Map<Tail, boolean>();
  compared.set(a, known);
  const meet = known.get(b) ?? haveCommonEnd(a.root, b.root);
  known.set(b, meet);
  return meet;
}

/** Calls back for each two that belong to different commands. */
function eachPair<T>(all: readonly T[], ruleOf: (one: T) => Rule, call: (a: T, b: T) => void): void {
  all.forEach((one, at) => {
    for (const other of all.slice(at + 1)) {
      if (ruleOf(one).command.commandId !== ruleOf(other).command.commandId) call(one, other);
    }
  });
}

/** Whether what can be said from here on belongs to one command: then nothing here can have a rival. */
function ownedByOne({ ways }: FormNode): boolean {
  return ways.every(({ rule }) => rule.command.commandId === ways[0]?.rule.command.commandId);
}

function searchFrom(node: FormNode, search: Search): void {
  if (search.seen.has(node) || ownedByOne(node)) return;
  search.seen.add(node);
  const { rules, tails, next } = node.open();
  eachPair(
    rules,
    (rule) => rule,
    (one, other) => note(search, one, other),
  );
  eachPair(
    tails,
    ({ rule }) => rule,
    (one, other) => {
      if (tailsMeet(search, one, other)) note(search, one.rule, other.rule);
    },
  );
  for (const after of next.values()) searchFrom(after, search);
}

/**
 * The rules that share words with a rule of another command (with a slot: on the same source). Only beginnings that two
 * commands have in common are looked at. `rules` are in the order in which one counts as the earlier.
 */
export function findAmbiguousRules(root: FormNode, rules: readonly Rule[]): AmbiguousRules {
  const order = new Map(rules.map((rule, index) => [rule, index]));
  const search: Search = { order, found: new Map(), seen: new Set(), compared: new Map() };
  searchFrom(root, search);
  return search.found;
}
