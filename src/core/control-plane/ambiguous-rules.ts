import { sourceId } from '#shared/resolver';
import type { FormNode, Rule, Tail } from './form-node';

/** Maps a rule to the earlier rules of other commands that can match the same words. */
export type AmbiguousRules = ReadonlyMap<Rule, ReadonlySet<Rule>>;

interface Search {
  readonly order: ReadonlyMap<Rule, number>;
  readonly found: Map<Rule, Set<Rule>>;
  readonly seen: Set<FormNode>;
  readonly compared: Map<Tail, Map<Tail, boolean>>;
}

function note({ order, found }: Search, one: Rule, other: Rule): void {
  const oneIsLater = (order.get(one) ?? 0) > (order.get(other) ?? 0);
  const [laterRule, earlier] = oneIsLater ? [one, other] : [other, one];
  found.set(laterRule, (found.get(laterRule) ?? new Set()).add(earlier));
}

function haveCommonEnd(a: FormNode, b: FormNode): boolean {
  const [one, other] = [a.open(), b.open()];
  if (one.rules.length > 0 && other.rules.length > 0) return true;
  return [...one.next].some(([word, next]) => {
    const same = other.next.get(word);
    return same !== undefined && haveCommonEnd(next, same);
  });
}

/**
 * Whether two slots on the same source can be followed by the same words. Cached, because two patterns meet
 * at many nodes.
 */
function tailsMeet({ compared }: Search, a: Tail, b: Tail): boolean {
  if (sourceId(a.rule.source) !== sourceId(b.rule.source)) return false;
  const known = compared.get(a) ?? new Map<Tail, boolean>();
  compared.set(a, known);
  const meet = known.get(b) ?? haveCommonEnd(a.root, b.root);
  known.set(b, meet);
  return meet;
}

/** Calls `call` for each pair whose rules belong to different commands. */
function eachPair<T>(all: readonly T[], ruleOf: (one: T) => Rule, call: (a: T, b: T) => void): void {
  all.forEach((one, at) => {
    for (const other of all.slice(at + 1)) {
      if (ruleOf(one).command.commandId !== ruleOf(other).command.commandId) call(one, other);
    }
  });
}

/** Whether every continuation of a node belongs to one command, so that no rule below it is ambiguous. */
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
 * Finds the rules that can match the same words as a rule of another command (with a slot: on the same
 * source). Visits only prefixes that two commands share. The order of `rules` decides which of two rules is
 * the earlier one.
 */
export function findAmbiguousRules(root: FormNode, rules: readonly Rule[]): AmbiguousRules {
  const order = new Map(rules.map((rule, index) => [rule, index]));
  const search: Search = { order, found: new Map(), seen: new Set(), compared: new Map() };
  searchFrom(root, search);
  return search.found;
}
