import type { SlotScope } from './pattern';
import type { Word } from './utterance';

/** What a pattern declares about its slot. */
export interface SlotTerms {
  /** What its items are called, each noun between spaces. */
  readonly nouns: readonly string[];
  /** Whether anything may be a name in its source. */
  readonly open: boolean;
  /** The scope that the author declared for the slot. */
  readonly declaredScope: SlotScope | undefined;
}

/** How the words of a line restrict a slot. */
export interface SlotReading {
  readonly scope: SlotScope;
  /** Whether it says what kind of thing is meant. */
  readonly named: boolean;
  /** Words of the pattern in the line. */
  readonly literals: number;
}

interface SurroundingWords {
  readonly before: readonly Word[];
  readonly after: readonly Word[];
}

const articles: ReadonlySet<string> = new Set(['the', 'a', 'an', 'my', 'our', 'your', 'this']);

const joinWords = (words: readonly Word[]): string =>
  ` ${words.map(({ text }) => text.replace(/:$/u, '')).join(' ')} `;

/** Whether a line begins with something to do: neither an article, nor the kind of thing, nor the thing itself. */
function hasVerb(before: readonly Word[], nouns: readonly string[]): boolean {
  const first = before.findIndex(({ text }) => !articles.has(text));
  if (first < 0) return false;
  const rest = joinWords(before.slice(first));
  return !nouns.some((noun) => rest.startsWith(noun));
}

function scopeOf(
  { nouns, open, declaredScope }: SlotTerms,
  before: readonly Word[],
  named: boolean,
): SlotScope {
  if (declaredScope !== undefined) return declaredScope;
  if (!hasVerb(before, nouns)) return 'name';
  if (named) return open ? 'name' : 'any';
  return open ? 'id-with-digit' : 'phrase';
}

/** How far a slot may reach follows from what is said around it: with a verb and the kind of thing, everywhere. */
export function slotReadingOf(rule: SlotTerms, { before, after }: SurroundingWords): SlotReading {
  const texts = [joinWords(before), joinWords(after)];
  const named = rule.nouns.some((noun) => texts.some((text) => text.includes(noun)));
  return { scope: scopeOf(rule, before, named), named, literals: before.length + after.length };
}
