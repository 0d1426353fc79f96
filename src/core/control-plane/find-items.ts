import { assertNever } from '#shared/result';
import type { Tier } from '#shared/route';
import { compactId } from './fold';
import { bucketOf, positionsOf, type IndexTables } from './index-tables';
import { isOneEdit, transpositions } from './edit-distance';
import { emptyWords } from './word-classes';

/** Maximum positions examined to find the best few; a longer list needs a picker anyway. */
const maxExamined = 2_000;
const shortWord = 4;

/** The number of matching items and their positions (all of them, or the first of very many). */
export interface Positions {
  readonly count: number;
  readonly positions: readonly number[];
}

const none: Positions = { count: 0, positions: [] };
const all = (positions: readonly number[]): Positions => ({ count: positions.length, positions });

function byExactId(tables: IndexTables, slot: string): Positions {
  const found = positionsOf(tables.ids, slot);
  const compact = compactId(slot);
  return all(found.length > 0 || compact === undefined ? found : positionsOf(tables.compactIds, compact));
}

function lowerBound(keys: readonly string[], text: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Finds names that begin with the slot; the slot's last word must be complete or have at least three letters.
 */
function byPrefix(tables: IndexTables, slot: string): Positions {
  const last = slot.slice(slot.lastIndexOf(' ') + 1);
  const start = last.length >= 3 ? slot : `${slot} `;
  const from = lowerBound(tables.prefixKeys, start);
  const to = lowerBound(tables.prefixKeys, `${start}\uffff`);
  const positions = [...new Set(tables.prefixOwners.subarray(from, Math.min(to, from + maxExamined)))];
  return { count: to - from > maxExamined ? to - from : positions.length, positions };
}

function intersect(lists: readonly (readonly number[])[]): readonly number[] {
  const [shortest = [], ...others] = [...lists].sort((a, b) => a.length - b.length);
  return others.reduce<readonly number[]>((common, list) => intersectSorted(common, list), shortest);
}

function intersectSorted(few: readonly number[], many: readonly number[]): readonly number[] {
  let from = 0;
  return few.filter((position) => {
    let high = many.length;
    while (from < high) {
      const middle = (from + high) >> 1;
      if ((many[middle] ?? 0) < position) from = middle + 1;
      else high = middle;
    }
    return many[from] === position;
  });
}

function byKeywords(tables: IndexTables, content: readonly string[]): Positions {
  return all(intersect(content.map((word) => positionsOf(tables.words, word))));
}

function wordsNear(tables: IndexTables, word: string): readonly string[] {
  return [-1, 0, 1].flatMap((more) =>
    (tables.alike.get(bucketOf(word, word.length + more)) ?? []).filter((known) => isOneEdit(word, known)),
  );
}

function nearWord(tables: IndexTables, word: string, alone: boolean): readonly number[] {
  if (/\d/.test(word)) return [];
  const near = wordsNear(tables, word);
  const lists =
    word.length >= shortWord
      ? near.filter((known) => known.length >= shortWord - 1).map((known) => positionsOf(tables.words, known))
      : near.filter(() => alone).map((known) => positionsOf(tables.called, known));
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}

function byNearMiss(tables: IndexTables, slot: string, content: readonly string[]): Positions {
  const compact = compactId(slot);
  const swapped = compact === undefined ? [] : transpositions(compact);
  const ids = [...new Set(swapped.flatMap((id) => positionsOf(tables.compactIds, id)))].sort((a, b) => a - b);
  if (ids.length > 0) return all(ids);
  const unknown = content.filter((word) => !tables.words.has(word));
  const [word] = unknown;
  if (word === undefined || unknown.length > 1) return none;
  const known = content.filter((other) => other !== word).map((other) => positionsOf(tables.words, other));
  return all(intersect([nearWord(tables, word, content.length === 1), ...known]));
}

/** The words of a slot that identify an item: no articles, and no noun for the kind of item. */
export function contentWords(slot: string, nounWords: ReadonlySet<string>): readonly string[] {
  return [...new Set(slot.split(' '))].filter(
    (word) => word !== '' && !emptyWords.has(word) && !nounWords.has(word),
  );
}

/** The positions of the items that a tier finds for a folded slot. */
export function findPositions(
  tables: IndexTables,
  tier: Tier,
  slot: string,
  content: readonly string[],
): Positions {
  switch (tier) {
    case 'exact-id':
      return byExactId(tables, slot);
    case 'exact-name':
      return all(positionsOf(tables.called, slot));
    case 'prefix':
      return content.length === 0 ? none : byPrefix(tables, slot);
    case 'keyword':
      return content.length === 0 ? none : byKeywords(tables, content);
    case 'near-miss':
      return content.length === 0 ? none : byNearMiss(tables, slot, content);
    default:
      return assertNever(tier);
  }
}

/**
 * The best few positions: the shortest name first, because the slot covers most of it, then the order of
 * names.
 */
export function bestOf(tables: IndexTables, positions: readonly number[], max: number): readonly number[] {
  const lengthOf = (position: number): number => tables.names[position]?.length ?? 0;
  return positions
    .slice(0, maxExamined)
    .sort((a, b) => lengthOf(a) - lengthOf(b) || a - b)
    .slice(0, max);
}
