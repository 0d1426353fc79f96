import type { ResolverItem, SourceDefinition } from '#shared/resolver';
import { Tier } from '#shared/route';
import { bestOf, contentWords, findPositions } from './find-items';
import { fold, foldedWords, exactMatchKey } from './fold';
import { buildTables, type IndexTables } from './index-tables';

/** The positions that match the typed text, in order, and the one that the router would choose first. */
interface Hits {
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
function searchItems(tables: IndexTables, text: string, nounWords: ReadonlySet<string>): Hits {
  const folded = fold(text);
  if (folded === '') return { positions: asWritten(tables, text.trim()), first: undefined };
  const content = contentWords(folded, nounWords);
  const tiers = Tier.options.map((tier) => findPositions(tables, tier, folded, content).positions);
  const routed = tiers.find((positions) => positions.length > 0) ?? [];
  const [first] = bestOf(tables, routed, 1);
  const before = bestOf(tables, routed, routed.length);
  return { positions: [...new Set([...before, ...scan(tables, folded)])], first };
}

/** The text of a slot, as written and folded for matching. */
export interface SlotText {
  readonly written: string;
  readonly folded: string;
}

/** The items that a tier found: their number and the best few, best first. */
export interface Found {
  readonly count: number;
  readonly best: readonly ResolverItem[];
}

export interface SearchResult {
  readonly items: readonly ResolverItem[];
  readonly total: number;
  /** The item that the router would choose first; absent while the filter is empty. */
  readonly highlightId?: string;
}

/** A searchable index of a source's items. Immutable; lookups do not depend on the order of the items. */
export interface ItemIndex {
  readonly size: number;
  /** Whether every text is an item. */
  readonly takesText: boolean;
  readonly byId: (id: string) => ResolverItem | undefined;
  /** Whether a folded word occurs in an item or in the source's nouns. */
  readonly knows: (word: string) => boolean;
  /** The items that one tier finds for a slot; exact tiers compare the folded text. */
  readonly find: (slot: SlotText, tier: Tier) => Found;
  /**
   * Items equal to a text by id, display name or alias after NFC, case fold and white-space collapse; at most
   * two.
   */
  readonly strict: (written: string) => readonly ResolverItem[];
  /** The first items by name, for a question that lists a few. */
  readonly first: (limit: number) => readonly ResolverItem[];
  /**
   * The picker's filter. Deterministic; an empty text, or one that names the catalog, lists all items in the
   * source's order.
   */
  readonly search: (text: string, offset: number, limit: number) => SearchResult;
}

/** Maximum options in a question and items in a trace. */
export const fewItems = 5;
/** Maximum items with the same folded name that are compared as written. */
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

const textItem = (text: string): ResolverItem => ({
  header: { id: text, displayName: text },
  aliases: [],
  keywords: [],
});

/** Every text is an item that no list shows. */
const anyText: Unlisted = { byId: textItem, strict: (written) => [textItem(written)] };

/** Items that no list shows; a listed item with the same name takes precedence. */
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
  { id, displayName, nouns, vocabulary }: SourceDefinition,
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
    takesText: vocabulary === 'free',
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
        return { items: tables.sourceItems.slice(offset, offset + limit), total: tables.sourceItems.length };
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

const unlistedOf = (items: readonly ResolverItem[], { vocabulary }: SourceDefinition): Unlisted =>
  vocabulary === 'free' ? anyText : outOfLists(items.filter(unlisted));

/** Builds an index synchronously, for short lists and tests. */
export function createItemIndex(items: readonly ResolverItem[], definition: SourceDefinition): ItemIndex {
  const steps = buildTables(items.filter(listed));
  for (;;) {
    const step = steps.next();
    if (step.done) return indexOver(step.value, definition, unlistedOf(items, definition));
  }
}

/** Builds an index in slices of a few milliseconds with a pause in between, for lists of any length. */
export async function buildItemIndex(
  items: readonly ResolverItem[],
  definition: SourceDefinition,
  pause: () => Promise<void>,
): Promise<ItemIndex> {
  const steps = buildTables(items.filter(listed));
  for (;;) {
    const step = steps.next();
    if (step.done) return indexOver(step.value, definition, unlistedOf(items, definition));
    await pause();
  }
}
