import type { FormNode, Rule, Tail } from './form-node';
import { slotReadingOf, type SlotReading } from './slot-reading';
import type { Word } from './utterance';

/** A rule together with its slot reading in one line. */
export interface MatchedRule extends Rule, SlotReading {}

/** A rule that matches a line; the slot is the words `[start, end)`, empty for a rule without a slot. */
export interface Match {
  readonly rule: MatchedRule;
  readonly start: number;
  readonly end: number;
}

/** Whether a word may match a pattern's own word: not code, not quoted, not at the end of a sentence. */
function plain(word: Word | undefined, last: boolean): word is Word {
  if (word === undefined || word.text === '' || word.isCode || word.stop) return false;
  return !word.opens && !word.closes && (last || !word.comma);
}

/** The possible ends of a slot that begins at `start`, given the words of its tail. */
function slotEnds({ root }: Tail, words: readonly Word[], start: number, to: number): readonly number[] {
  const ends: number[] = [];
  let node: FormNode | undefined = root;
  for (let end = to; node && end > start; end -= 1) {
    const { rules, next } = node.open();
    if (rules.length > 0) ends.push(end);
    const word: Word | undefined = words[end - 1];
    node = plain(word, end === to) ? next.get(word.text) : undefined;
  }
  return ends;
}

/**
 * Finds all rules that match the words `[from, to)` as a whole. The words before a slot form one trie and the
 * words after it another, which is read from the end, so matching never backtracks.
 */
export function matchForms(
  trie: FormNode,
  words: readonly Word[],
  from: number,
  to: number,
): readonly Match[] {
  const found: Match[] = [];
  const add = (rule: Rule, start: number, end: number): void => {
    const reading = slotReadingOf(rule, { before: words.slice(from, start), after: words.slice(end, to) });
    found.push({ rule: { ...rule, ...reading }, start, end });
  };
  let node: FormNode | undefined = trie;
  for (let at = from; node && at <= to; at += 1) {
    const { tails, rules, next } = node.open();
    for (const tail of tails) for (const end of slotEnds(tail, words, at, to)) add(tail.rule, at, end);
    if (at === to) for (const rule of rules) add(rule, to, to);
    const word: Word | undefined = words[at];
    node = at < to && plain(word, at === to - 1) ? next.get(word.text) : undefined;
  }
  return found;
}
