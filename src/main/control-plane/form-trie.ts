import type { CommandDefinition } from '#shared/command';
import { sourceId, type ResolverSource } from '#shared/resolver';
import type { Part, Split } from './pattern';
import { saidOf, type Said, type Terms } from './said';
import type { Word } from './utterance';

/** One pattern of a command. */
export interface Rule extends Terms {
  readonly command: CommandDefinition;
  readonly pattern: string;
  /** Where its items come from: a launcher's are those of its target. */
  readonly source: ResolverSource;
  /** Whether it is a question itself. */
  readonly question: boolean;
}

/** A rule as one line says it. */
export interface Spoken extends Rule, Said {}

/** A rule that fits a line; the slot is `[start, end)` of its words, empty without one. */
export interface Match {
  readonly rule: Spoken;
  readonly start: number;
  readonly end: number;
}

interface TailNode {
  readonly next: Map<string, TailNode>;
  ends: boolean;
}

/** What may follow a slot, read from the end of the line; one for each pattern, shared by all its beginnings. */
interface Tail {
  readonly rule: Rule;
  readonly root: TailNode;
}

/** The words before a slot are a trie, the words behind it another, read from the end: no backtracking. */
export interface FormTrie {
  readonly next: Map<string, FormTrie>;
  readonly rules: Rule[];
  readonly tails: Tail[];
}

export function createFormTrie(): FormTrie {
  return { next: new Map(), rules: [], tails: [] };
}

const createTail = (): TailNode => ({ next: new Map(), ends: false });

interface Branching<Node> {
  readonly next: Map<string, Node>;
}

function step<Node extends Branching<Node>>(node: Node, word: string, make: () => Node): Node {
  const known = node.next.get(word);
  if (known) return known;
  const made = make();
  node.next.set(word, made);
  return made;
}

/** Grows a trie by all ways to say some parts, from all of `nodes` at once; gives the nodes where they end. */
function growBy<Node extends Branching<Node>>(
  nodes: ReadonlySet<Node>,
  parts: readonly Part[],
  make: () => Node,
): Set<Node> {
  let ends = new Set(nodes);
  for (const part of parts) {
    if (part.kind === 'word') {
      for (const word of part.words) ends = new Set([...ends].map((node) => step(node, word, make)));
    } else if (part.kind === 'choice') {
      const from = ends;
      ends = new Set(part.options.flatMap((option) => [...growBy(from, option, make)]));
    }
  }
  return ends;
}

function reversed(parts: readonly Part[]): readonly Part[] {
  return [...parts].reverse().map((part): Part => {
    if (part.kind === 'word') return { kind: 'word', words: [...part.words].reverse() };
    return part.kind === 'choice' ? { kind: 'choice', options: part.options.map(reversed) } : part;
  });
}

function haveCommonEnd(a: TailNode, b: TailNode): boolean {
  if (a.ends && b.ends) return true;
  return [...a.next].some(([word, next]) => {
    const other = b.next.get(word);
    return other !== undefined && haveCommonEnd(next, other);
  });
}

function addTails(starts: ReadonlySet<FormTrie>, after: readonly Part[], rule: Rule): readonly Rule[] {
  const root = createTail();
  for (const node of growBy(new Set([root]), reversed(after), createTail)) node.ends = true;
  const compared = new Map<Tail, boolean>();
  const alike = (other: Tail): boolean => {
    if (sourceId(other.rule.source) !== sourceId(rule.source)) return false;
    const known = compared.get(other) ?? haveCommonEnd(other.root, root);
    compared.set(other, known);
    return known;
  };
  const rivals = [...starts].flatMap(({ tails }) => tails.filter(alike).map((tail) => tail.rule));
  for (const { tails } of starts) tails.push({ rule, root });
  return rivals;
}

/** Adds a pattern; gives the rules that can be said in the same words (with a slot: on the same source). */
export function addSplit(trie: FormTrie, { before, slot, after }: Split, rule: Rule): readonly Rule[] {
  const ends = growBy(new Set([trie]), before, createFormTrie);
  if (slot) return addTails(ends, after, rule);
  const rivals = [...ends].flatMap(({ rules }) => rules);
  for (const { rules } of ends) rules.push(rule);
  return rivals;
}

/** Whether a word may stand for a pattern's own: not code, not quoted, not at the end of a sentence. */
function plain(word: Word | undefined, last: boolean): word is Word {
  if (word === undefined || word.text === '' || word.hard || word.stop) return false;
  return !word.opens && !word.closes && (last || !word.comma);
}

/** The places where a tail leaves the end of a slot that begins at `start`. */
function slotEnds({ root }: Tail, words: readonly Word[], start: number, to: number): readonly number[] {
  const ends: number[] = [];
  let node: TailNode | undefined = root;
  for (let end = to; node && end > start; end -= 1) {
    if (node.ends) ends.push(end);
    const word: Word | undefined = words[end - 1];
    node = plain(word, end === to) ? node.next.get(word.text) : undefined;
  }
  return ends;
}

/** All rules that fit the words of `[from, to)` as a whole. */
export function matchForms(
  trie: FormTrie,
  words: readonly Word[],
  from: number,
  to: number,
): readonly Match[] {
  const found: Match[] = [];
  const add = (rule: Rule, start: number, end: number): void => {
    const said = saidOf(rule, { before: words.slice(from, start), after: words.slice(end, to) });
    found.push({ rule: { ...rule, ...said }, start, end });
  };
  let node: FormTrie | undefined = trie;
  for (let at = from; node && at <= to; at += 1) {
    for (const tail of node.tails) for (const end of slotEnds(tail, words, at, to)) add(tail.rule, at, end);
    if (at === to) for (const rule of node.rules) add(rule, to, to);
    const word: Word | undefined = words[at];
    node = at < to && plain(word, at === to - 1) ? node.next.get(word.text) : undefined;
  }
  return found;
}
