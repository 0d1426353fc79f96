import type { SlotScope } from './pattern';
import type { Word } from './utterance';

/** The properties of a slot that its pattern and source declare. */
export interface SlotTerms {
  /** The nouns for its items, each between spaces. */
  readonly nouns: readonly string[];
  /** Whether its source has an open vocabulary, so that any text may be a name. */
  readonly open: boolean;
  /** The scope that the author declared for the slot. */
  readonly declaredScope: SlotScope | undefined;
}

/** How the words of a line restrict a slot. */
export interface SlotReading {
  readonly scope: SlotScope;
  /** Whether the line names the kind of item. */
  readonly named: boolean;
  /** The number of the pattern's own words in the line. */
  readonly literals: number;
}

interface SurroundingWords {
  readonly before: readonly Word[];
  readonly after: readonly Word[];
}

const articles: ReadonlySet<string> = new Set(['the', 'a', 'an', 'my', 'our', 'your', 'this']);

const joinWords = (words: readonly Word[]): string =>
  ` ${words.map(({ text }) => text.replace(/:$/u, '')).join(' ')} `;

/**
 * Whether the words before the slot contain a verb: apart from articles, they do not begin with the kind of
 * item.
 */
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

/**
 * Derives a slot's scope from the words around it: with a verb and the kind of item, every tier is allowed
 * unless the source has an open vocabulary. A declared scope overrides this.
 */
export function slotReadingOf(rule: SlotTerms, { before, after }: SurroundingWords): SlotReading {
  const texts = [joinWords(before), joinWords(after)];
  const named = rule.nouns.some((noun) => texts.some((text) => text.includes(noun)));
  return { scope: scopeOf(rule, before, named), named, literals: before.length + after.length };
}
