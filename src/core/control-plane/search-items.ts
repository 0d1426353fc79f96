import { Tier } from '#shared/route';
import { fold } from './fold';
import { bestOf, contentWords, findPositions } from './find-items';
import type { IndexTables } from './index-tables';

/** The positions that match the typed text, in order, and the one that the router would choose first. */
export interface Hits {
  readonly positions: readonly number[];
  readonly first: number | undefined;
}

const nameStarts = 1;
const wordsStart = 2;
const contained = 3;

/**
 * Ranks an item: its name begins with the text, every word begins one of its words, or every word occurs in
 * it. Undefined when the item does not match.
 */
function rankOf(haystack: string, folded: string, words: readonly string[]): number | undefined {
  if (!words.every((word) => haystack.includes(word))) return undefined;
  if (haystack.startsWith(folded, 1)) return nameStarts;
  return words.every((word) => haystack.includes(` ${word}`)) ? wordsStart : contained;
}

function scan(tables: IndexTables, folded: string): readonly number[] {
  const words = folded.split(' ');
  const ranked: number[][] = [[], [], [], []];
  for (const position of tables.byLength) {
    const rank = rankOf(tables.haystacks[position] ?? '', folded, words);
    if (rank !== undefined) ranked[rank]?.push(position);
  }
  return ranked.flat();
}

/** Finds names without a letter or digit, which match only as written. */
function asWritten(tables: IndexTables, text: string): readonly number[] {
  return [...tables.names.keys()].filter((position) =>
    tables.items[position]?.header.displayName.includes(text),
  );
}

/**
 * Filters and orders items for a picker: first the router's matches, then every item that contains the typed
 * words.
 */
export function searchItems(tables: IndexTables, text: string, nounWords: ReadonlySet<string>): Hits {
  const folded = fold(text);
  if (folded === '') return { positions: asWritten(tables, text.trim()), first: undefined };
  const content = contentWords(folded, nounWords);
  const tiers = Tier.options.map((tier) => findPositions(tables, tier, folded, content).positions);
  const routed = tiers.find((positions) => positions.length > 0) ?? [];
  const [first] = bestOf(tables, routed, 1);
  const before = bestOf(tables, routed, routed.length);
  return { positions: [...new Set([...before, ...scan(tables, folded)])], first };
}
