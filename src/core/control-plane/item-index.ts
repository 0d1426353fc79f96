import type { ResolverItem, SourceDefinition } from '#shared/resolver';
import type { Tier } from '#shared/route';
import { bestOf, contentWords, findPositions } from './find-items';
import { fold, foldedWords, exactMatchKey } from './fold';
import { buildTables, type IndexTables } from './index-tables';
import { searchItems, type Hits } from './search-items';

/** What stood in a slot: as it was written, and folded for finding. */
export interface SlotText {
  readonly written: string;
  readonly folded: string;
}

/** What a tier found: how many, and the best few, the best first. */
export interface Found {
  readonly count: number;
  readonly best: readonly ResolverItem[];
}

export interface SearchResult {
  readonly items: readonly ResolverItem[];
  readonly total: number;
  /** The item the router would take first; none while nothing is typed. */
  readonly highlightId?: string;
}

/** The items of a source, made ready to be found. Never changes; the same items in another order find the same. */
export interface ItemIndex {
  readonly size: number;
  readonly byId: (id: string) => ResolverItem | undefined;
  /** Whether a folded word is one of the items, or of what they are called together. */
  readonly knows: (word: string) => boolean;
  /** What one tier finds for a slot; exact tiers go by the folded text. */
  readonly find: (slot: SlotText, tier: Tier) => Found;
  /** Items equal to a text by id, display name or alias after NFC, case fold and white-space collapse; at most two. */
  readonly strict: (written: string) => readonly ResolverItem[];
  /** The first items in the order of names, for a question that lists a few. */
  readonly first: (limit: number) => readonly ResolverItem[];
  /** The picker's filter: deterministic; an empty text, or one that names the catalog, lists all in their own order. */
  readonly search: (text: string, offset: number, limit: number) => SearchResult;
}

/** Options a question can offer, and items a trace lists. */
export const fewItems = 5;
/** Items under one folded name that are compared as they are written. */
const comparedAtMost = 1_000;

function isCalled(item: ResolverItem, key: string): boolean {
  return [item.header.id, item.header.displayName, ...item.aliases].some(
    (text) => exactMatchKey(text) === key,
  );
}

function strictlyCalled(tables: IndexTables, written: string): readonly ResolverItem[] {
  const key = exactMatchKey(written);
  const folded = fold(written);
  const positions = new Set(
    (['exact-id', 'exact-name'] as const).flatMap(
      (tier) => findPositions(tables, tier, folded, []).positions,
    ),
  );
  const equal: ResolverItem[] = [];
  let compared = 0;
  for (const position of positions) {
    const item = tables.items[position];
    if (item && isCalled(item, key)) equal.push(item);
    if (equal.length > 1 || ++compared >= comparedAtMost) break;
  }
  return compared >= comparedAtMost ? [] : equal;
}

/** Items that are in no list; one of a list that is called the same goes before them. */
interface Unlisted {
  readonly byId: (id: string) => ResolverItem | undefined;
  readonly strict: (written: string) => readonly ResolverItem[];
}

function outOfLists(items: readonly ResolverItem[]): Unlisted {
  return {
    byId: (id) => items.find(({ header }) => header.id === id),
    strict: (written) => items.filter((item) => isCalled(item, exactMatchKey(written))).slice(0, 2),
  };
}

function indexOver(
  tables: IndexTables,
  { id, displayName, nouns }: SourceDefinition,
  unlisted: Unlisted,
): ItemIndex {
  const nounWords = new Set([...nouns.one, ...nouns.many].flatMap(foldedWords));
  const catalogNames = new Set([id, displayName, ...nouns.one, ...nouns.many].map(fold));
  const itemsAt = (positions: readonly number[]): readonly ResolverItem[] =>
    positions.flatMap((position) => tables.items[position] ?? []);
  let last: { readonly text: string; readonly hits: Hits } | undefined;
  const hitsFor = (text: string): Hits => {
    if (last?.text !== text) last = { text, hits: searchItems(tables, text, nounWords) };
    return last.hits;
  };
  return {
    size: tables.items.length,
    byId: (wanted) => tables.byId.get(wanted) ?? unlisted.byId(wanted),
    knows: (word) => tables.words.has(word) || nounWords.has(word),
    find: ({ folded }, tier) => {
      const { count, positions } = findPositions(tables, tier, folded, contentWords(folded, nounWords));
      return { count, best: itemsAt(bestOf(tables, positions, fewItems)) };
    },
    strict: (written) => {
      const listed = strictlyCalled(tables, written);
      return listed.length > 0 ? listed : unlisted.strict(written);
    },
    first: (limit) => tables.items.slice(0, limit),
    search: (text, offset, limit) => {
      if (text.trim() === '' || catalogNames.has(fold(text)))
        return { items: tables.given.slice(offset, offset + limit), total: tables.given.length };
      const { positions, first } = hitsFor(text);
      const best = first === undefined ? undefined : tables.items[first];
      return {
        items: itemsAt(positions.slice(offset, offset + limit)),
        total: positions.length,
        ...(best ? { highlightId: best.header.id } : {}),
      };
    },
  };
}

const unlisted = (item: ResolverItem): boolean => item.unlisted === true;
const listed = (item: ResolverItem): boolean => !unlisted(item);

/** Makes an index at once; for short lists and tests. */
export function createItemIndex(items: readonly ResolverItem[], definition: SourceDefinition): ItemIndex {
  const steps = buildTables(items.filter(listed));
  for (;;) {
    const step = steps.next();
    if (step.done) return indexOver(step.value, definition, outOfLists(items.filter(unlisted)));
  }
}

/** Makes an index in slices of a few milliseconds, with a pause between two; for lists of any length. */
export async function buildItemIndex(
  items: readonly ResolverItem[],
  definition: SourceDefinition,
  pause: () => Promise<void>,
): Promise<ItemIndex> {
  const steps = buildTables(items.filter(listed));
  for (;;) {
    const step = steps.next();
    if (step.done) return indexOver(step.value, definition, outOfLists(items.filter(unlisted)));
    await pause();
  }
}
