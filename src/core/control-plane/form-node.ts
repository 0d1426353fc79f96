import type { CommandDefinition } from '#shared/command';
import type { ResolverSource } from '#shared/resolver';
import type { Part, Split } from './pattern';
import type { SlotTerms } from './slot-reading';

/** One pattern of a command. */
export interface Rule extends SlotTerms {
  readonly command: CommandDefinition;
  readonly pattern: string;
  /** The source of its items; for a launcher, the source it opens. */
  readonly source: ResolverSource;
  /** Whether the pattern itself is a question. */
  readonly question: boolean;
}

/**
 * The words that may follow a slot, read from the end of the line; one per split, shared by all its
 * beginnings.
 */
export interface Tail {
  readonly rule: Rule;
  readonly root: FormNode;
}

interface Left {
  /** Unique within a set of patterns. */
  readonly id: number;
  readonly rule: Rule;
}

/** The rest of one pattern after some of its words; all prefixes that lead there share it. */
type Way =
  | (Left & { readonly kind: 'word'; readonly text: string; readonly then: Way })
  | (Left & { readonly kind: 'fork'; readonly ways: readonly Way[] })
  | (Left & { readonly kind: 'slot'; readonly tail: Tail })
  | (Left & { readonly kind: 'end' });

interface Opened {
  readonly next: ReadonlyMap<string, FormNode>;
  /** The patterns that end here. */
  readonly rules: readonly Rule[];
  readonly tails: readonly Tail[];
}

/** A node of the trie: all ways to continue a line from there. */
export interface FormNode {
  readonly ways: readonly Way[];
  /** Returns the next nodes and the patterns that end here; computed on first use. */
  readonly open: () => Opened;
}

/** A set of patterns. Prefixes with the same continuations share one node. */
export interface Forms {
  /** One node for each set of way ids. */
  readonly places: Map<string, FormNode>;
  readonly beginnings: Way[];
  ways: number;
}

export const createForms = (): Forms => ({ places: new Map(), beginnings: [], ways: 0 });

function openWays(places: Forms['places'], from: readonly Way[]): Opened {
  const next = new Map<string, Way[]>();
  const rules = new Set<Rule>();
  const tails = new Set<Tail>();
  const reached = new Set(from);
  // A Set iterates in insertion order and also visits elements that are added during the iteration.
  for (const way of reached) {
    if (way.kind === 'fork') way.ways.forEach((one) => reached.add(one));
    else if (way.kind === 'end') rules.add(way.rule);
    else if (way.kind === 'slot') tails.add(way.tail);
    else next.set(way.text, [...(next.get(way.text) ?? []), way.then]);
  }
  const nodes = [...next].map(([text, ways]) => [text, placeOf(places, ways)] as const);
  return { next: new Map(nodes), rules: [...rules], tails: [...tails] };
}

function placeOf(places: Forms['places'], left: readonly Way[]): FormNode {
  const ways = [...new Set(left)].sort((a, b) => a.id - b.id);
  const key = ways.map(({ id }) => id).join(' ');
  const known = places.get(key);
  if (known) return known;
  let opened: Opened | null = null;
  const node = { ways, open: () => (opened ??= openWays(places, ways)) };
  places.set(key, node);
  return node;
}

/** Builds the way through `parts` from the last part to the first, followed by `then`. */
function waysThrough(forms: Forms, parts: readonly Part[], then: Way): Way {
  const { rule } = then;
  return parts.reduceRight((rest: Way, part): Way => {
    if (part.kind === 'slot') return rest;
    if (part.kind === 'choice') {
      const ways = part.options.map((option) => waysThrough(forms, option, rest));
      return { id: forms.ways++, rule, kind: 'fork', ways };
    }
    return part.words.reduceRight(
      (following: Way, text): Way => ({ id: forms.ways++, rule, kind: 'word', text, then: following }),
      rest,
    );
  }, then);
}

function reversed(parts: readonly Part[]): readonly Part[] {
  return [...parts].reverse().map((part): Part => {
    if (part.kind === 'word') return { kind: 'word', words: [...part.words].reverse() };
    return part.kind === 'choice' ? { kind: 'choice', options: part.options.map(reversed) } : part;
  });
}

/**
 * Adds one split of a pattern. Costs no more than parsing it, because it is never expanded into all its
 * forms.
 */
export function addSplit(forms: Forms, { before, slot, after }: Split, rule: Rule): void {
  const end: Way = { id: forms.ways++, rule, kind: 'end' };
  if (!slot) {
    forms.beginnings.push(waysThrough(forms, before, end));
    return;
  }
  const root = placeOf(forms.places, [waysThrough(forms, reversed(after), end)]);
  const tail: Way = { id: forms.ways++, rule, kind: 'slot', tail: { rule, root } };
  forms.beginnings.push(waysThrough(forms, before, tail));
}

/** The root node, once all patterns are added. */
export const beginningOf = ({ places, beginnings }: Forms): FormNode => placeOf(places, beginnings);
