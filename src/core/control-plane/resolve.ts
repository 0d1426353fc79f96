import { sourceId, type ResolverItem } from '#shared/resolver';
import type { Tier } from '#shared/route';
import { compactId, fold, exactMatchKey } from './fold';
import type { Found, ItemIndex } from './item-index';
import type { MatchedRule } from './form-trie';
import type { RouteContext } from './route-context';
import type { SlotScope } from './pattern';
import type { Slot } from './slot';

/** The result of resolving a slot. Without a tier, nothing was found; `why` gives the reason. */
export interface Resolution {
  readonly tier?: Tier;
  /** Exactly one item is equal by id, display name or alias, and its list is not stale. */
  readonly strict: boolean;
  readonly items: readonly ResolverItem[];
  readonly count: number;
  readonly why: string;
}

/** Where to search for a slot and which matches to allow, according to the line. */
export type SlotQuery = Pick<MatchedRule, 'source' | 'scope' | 'named' | 'declaredScope'>;

export type Resolver = ReturnType<typeof createResolver>;

const looseTiers: readonly Tier[] = ['prefix', 'keyword', 'near-miss'];
const nothing = (why: string): Resolution => ({ strict: false, items: [], count: 0, why });
const unsearchable = 'Its items cannot be searched now.';

/** Whether a scope allows a match by name, not only by id. */
function includesNames(scope: SlotScope, slot: Slot): boolean {
  if (scope === 'phrase') return slot.quoted || slot.wordCount >= 2;
  return scope === 'name' || scope === 'any';
}

const isById = (item: ResolverItem, slot: Slot): boolean =>
  exactMatchKey(item.header.id) === exactMatchKey(slot.written);

/** A number such as `TCK-101`, which is an id with or without its hyphen. */
const codeNumber = /^[A-Z]{2,8}-?\d+$/;
/**
 * Characters that ordinary words do not contain: digits, hyphens, underscores, and those of paths and
 * addresses.
 */
const unlikeWords = /[\d_/:#.@-]/;

/** Whether the slot is an item's id, written as an id and not as words that read the same. */
function idWritten({ header: { id } }: ResolverItem, slot: Slot): boolean {
  if (codeNumber.test(id)) return !/\s/u.test(slot.written) && compactId(fold(id)) === compactId(slot.folded);
  return exactMatchKey(id) === exactMatchKey(slot.written) && unlikeWords.test(id);
}

/**
 * Whether a line may resolve to an item. Users name things in everyday words, so a user-given name counts
 * only as a whole and with the kind of item beside it. Without the kind, only the id counts, whatever the
 * catalog or the pattern declares.
 */
function mayResolveTo(item: ResolverItem, slot: Slot, { scope, named }: SlotQuery): boolean {
  if (item.userTitled && !named) return idWritten(item, slot);
  if (!isById(item, slot)) return includesNames(scope, slot);
  return scope !== 'id-with-digit' || /\d/.test(item.header.id);
}

const describesText = /\b(?:something|anything|whatever|descriptive)\b/u;

/** Whether a slot gives a text and does not describe one ("something better") or continue with another request. */
const namesText = ({ quoted, exactOnly, severalParts, folded }: Slot, { scope }: SlotQuery): boolean =>
  quoted || scope === 'any' || !(exactOnly || severalParts || describesText.test(folded));

/** Keeps the items that the line may resolve to. */
function filterFound(found: Found, may: (item: ResolverItem) => boolean): Found {
  const best = found.best.filter(may);
  return { best, count: best.length === found.best.length ? found.count : best.length };
}

function strictItem(index: ItemIndex, slot: Slot): ResolverItem | undefined {
  const equal = index.strict(slot.written);
  return equal.length === 1 ? equal[0] : undefined;
}

function strictly(item: ResolverItem, slot: Slot, stale: boolean): Resolution {
  const tier = isById(item, slot) ? 'exact-id' : 'exact-name';
  const why = stale ? 'It is named exactly, in a list that is out of date.' : 'It is named exactly.';
  return { tier, strict: !stale, items: [item], count: 1, why };
}

/** The reason why an exact search found nothing, for the trace. */
const noneCalled = ({ written }: Slot, titles: Found): string =>
  titles.count > 0
    ? `“${written}” is a name that a user gave: use its id, or say what kind of thing it is.`
    : `Nothing here is called “${written}”.`;

function byExactTiers(index: ItemIndex, slot: Slot, query: SlotQuery): Resolution {
  const { scope, named } = query;
  const byId = filterFound(index.find(slot, 'exact-id'), (item) =>
    item.userTitled && !named
      ? idWritten(item, slot)
      : scope !== 'id-with-digit' || /\d/.test(item.header.id),
  );
  const tier = byId.count > 0 ? 'exact-id' : 'exact-name';
  const called = index.find(slot, 'exact-name');
  const byName = includesNames(scope, slot) ? called : { best: [], count: 0 };
  const found =
    tier === 'exact-id' ? byId : filterFound(byName, ({ userTitled }) => named || userTitled !== true);
  if (found.count === 0) return nothing(noneCalled(slot, named ? found : called));
  const why = found.count > 1 ? 'Several items are called that.' : 'The name matches except for punctuation.';
  return { tier, strict: false, items: found.best, count: found.count, why };
}

/** Resolves slots against the context's sources; looks up each (source, slot, tier) once. */
export function createResolver(context: RouteContext) {
  const known = new Map<string, Resolution>();
  const once = (key: readonly string[], make: () => Resolution): Resolution => {
    const text = key.join('\u0000');
    const resolution = known.get(text) ?? make();
    known.set(text, resolution);
    return resolution;
  };
  const exactly = (query: SlotQuery, slot: Slot): Resolution => {
    const index = context.indexOf(query.source);
    if (!index) return nothing(unsearchable);
    if (index.takesText && !namesText(slot, query))
      return nothing(`“${slot.written}” may be more than a text: put it in quotes.`);
    const item = strictItem(index, slot);
    if (item && mayResolveTo(item, slot, query)) return strictly(item, slot, context.stale(query.source));
    return byExactTiers(index, slot, query);
  };
  const roughly = ({ source, named, declaredScope }: SlotQuery, slot: Slot): Resolution => {
    const index = context.indexOf(source);
    if (!index) return nothing(unsearchable);
    for (const tier of looseTiers) {
      const { count, best } = filterFound(
        index.find(slot, tier),
        ({ userTitled }) => (named && declaredScope === 'any') || userTitled !== true,
      );
      if (count > 0) return { tier, strict: false, items: best, count, why: whyOf(tier) };
    }
    return nothing(`Nothing here resembles “${slot.written}”.`);
  };
  return {
    /** The two exact tiers. */
    exactly: (query: SlotQuery, slot: Slot): Resolution => {
      const { source, scope, named } = query;
      const key = ['exactly', sourceId(source), slot.written, scope, String([slot.quoted, named])];
      return once(key, () => exactly(query, slot));
    },
    /** The prefix, keyword and near-miss tiers, for a slot whose scope allows them. */
    roughly: (query: SlotQuery, slot: Slot): Resolution => {
      if (query.scope !== 'any') return nothing('This wording accepts only an exact name.');
      if (slot.exactOnly)
        return nothing(`“${slot.written}” is not the name of an item; it refers to something else.`);
      const { source, named, declaredScope = '' } = query;
      const key = ['roughly', sourceId(source), slot.folded, declaredScope, String(named)];
      return once(key, () => roughly(query, slot));
    },
  };
}

function whyOf(tier: Tier): string {
  if (tier === 'prefix') return 'A name starts with these words.';
  return tier === 'keyword' ? 'An item has all of these words.' : 'It is one letter away from an item.';
}
