import type { CommandDefinition } from '#shared/command';
import type { ResolverSource } from '#shared/resolver';
import type { Form, Reach } from './pattern';
import type { Word } from './utterance';

/** One pattern of a command, as all its forms of the same kind share it. */
export interface Rule {
  readonly command: CommandDefinition;
  readonly pattern: string;
  /** Where its items come from: a launcher's are those of its target. */
  readonly source: ResolverSource;
  readonly reach: Reach;
  /** Whether it says what kind of thing is meant. */
  readonly named: boolean;
  /** Its own words. */
  readonly literals: number;
  /** Whether it is a question itself. */
  readonly question: boolean;
}

/** A rule that fits a line; the slot is `[start, end)` of its words, empty without one. */
export interface Match {
  readonly rule: Rule;
  readonly start: number;
  readonly end: number;
}

interface TailNode {
  readonly next: Map<string, TailNode>;
  readonly rules: Rule[];
}

/** The words before a slot are a trie, the words behind it another, read from the end: no backtracking. */
export interface FormTrie {
  readonly next: Map<string, FormTrie>;
  readonly rules: Rule[];
  tail: TailNode | undefined;
}

export function createFormTrie(): FormTrie {
  return { next: new Map(), rules: [], tail: undefined };
}

function step<Node extends { readonly next: Map<string, Node> }>(
  node: Node,
  word: string,
  make: () => Node,
): Node {
  const known = node.next.get(word);
  if (known) return known;
  const made = make();
  node.next.set(word, made);
  return made;
}

const createTail = (): TailNode => ({ next: new Map(), rules: [] });

/** Adds one way to say a rule. */
export function addForm(trie: FormTrie, form: Form, rule: Rule): void {
  const slot = form.indexOf(null);
  const before = slot < 0 ? form : form.slice(0, slot);
  let node = trie;
  for (const word of before) node = step(node, word ?? '', createFormTrie);
  if (slot < 0) {
    node.rules.push(rule);
    return;
  }
  node.tail ??= createTail();
  let tail = node.tail;
  for (const word of form.slice(slot + 1).reverse()) tail = step(tail, word ?? '', createTail);
  tail.rules.push(rule);
}

/** Whether a word may stand for a pattern's own: not code, not quoted, not at the end of a sentence. */
function plain(word: Word | undefined, last: boolean): word is Word {
  if (word === undefined || word.text === '' || word.hard || word.stop) return false;
  return !word.opens && !word.closes && (last || !word.comma);
}

function matchTails(
  tail: TailNode,
  words: readonly Word[],
  slot: Match[],
  range: readonly [number, number],
): void {
  const [start, to] = range;
  let node: TailNode | undefined = tail;
  for (let end = to; node && end > start; end -= 1) {
    for (const rule of node.rules) slot.push({ rule, start, end });
    const word: Word | undefined = words[end - 1];
    node = plain(word, end === to) ? node.next.get(word.text) : undefined;
  }
}

/** All rules that fit the words of `[from, to)` as a whole. */
export function matchForms(
  trie: FormTrie,
  words: readonly Word[],
  from: number,
  to: number,
): readonly Match[] {
  const found: Match[] = [];
  let node: FormTrie | undefined = trie;
  for (let at = from; node && at <= to; at += 1) {
    if (node.tail && at < to) matchTails(node.tail, words, found, [at, to]);
    if (at === to) for (const rule of node.rules) found.push({ rule, start: to, end: to });
    const word: Word | undefined = words[at];
    node = at < to && plain(word, at === to - 1) ? node.next.get(word.text) : undefined;
  }
  return found;
}
