import { sourceId, type ResolverItem, type ResolverSource } from '#shared/resolver';
import type { Tier } from '#shared/route';
import { strictKey } from './fold';
import type { Found, ItemIndex } from './item-index';
import type { Reach } from './pattern';
import type { RouteContext } from './route-context';
import type { Slot } from './slot';

/** What a slot resolved to; no tier: to nothing, and why. */
export interface Resolution {
  readonly tier?: Tier;
  /** Exactly one item equal by id, display name or alias, from a list that is not out of date. */
  readonly strict: boolean;
  readonly items: readonly ResolverItem[];
  readonly count: number;
  readonly why: string;
}

export interface Resolver {
  /** The two exact tiers. */
  readonly exactly: (source: ResolverSource, slot: Slot, reach: Reach) => Resolution;
  /** Prefix, keyword and near miss: for a slot that may reach so far. */
  readonly roughly: (source: ResolverSource, slot: Slot, reach: Reach) => Resolution;
}

const looseTiers: readonly Tier[] = ['prefix', 'keyword', 'near-miss'];
const nothing = (why: string): Resolution => ({ strict: false, items: [], count: 0, why });
const unsearchable = 'Its items cannot be searched now.';

/** Whether a name, not only an id, may be found in this reach. */
function namesReached(reach: Reach, slot: Slot): boolean {
  if (reach === 'phrase') return slot.quoted || slot.wordCount >= 2;
  return reach === 'name' || reach === 'any';
}

function reachedIds(found: Found, reach: Reach): Found {
  if (reach !== 'id-with-digit') return found;
  const best = found.best.filter(({ header }) => /\d/.test(header.id));
  return { best, count: best.length === 0 ? 0 : found.count };
}

function strictItem(index: ItemIndex, slot: Slot): ResolverItem | undefined {
  const equal = index.strict(slot.written);
  return equal.length === 1 ? equal[0] : undefined;
}

const isById = (item: ResolverItem, slot: Slot): boolean =>
  strictKey(item.header.id) === strictKey(slot.written);

function strictly(item: ResolverItem, slot: Slot, stale: boolean): Resolution {
  const tier = isById(item, slot) ? 'exact-id' : 'exact-name';
  const why = stale ? 'It is named exactly, in a list that is out of date.' : 'It is named exactly.';
  return { tier, strict: !stale, items: [item], count: 1, why };
}

function byExactTiers(index: ItemIndex, slot: Slot, reach: Reach): Resolution {
  const byId = reachedIds(index.find(slot, 'exact-id'), reach);
  const tier = byId.count > 0 ? 'exact-id' : 'exact-name';
  const found = tier === 'exact-id' || !namesReached(reach, slot) ? byId : index.find(slot, 'exact-name');
  if (found.count === 0) return nothing(`“${slot.written}” is the name of nothing here.`);
  const why =
    found.count > 1 ? 'Several items are called that.' : 'It is called that, but for its punctuation.';
  return { tier, strict: false, items: found.best, count: found.count, why };
}

function mayBeStrict(item: ResolverItem, slot: Slot, reach: Reach): boolean {
  if (!isById(item, slot)) return namesReached(reach, slot);
  return reach !== 'id-with-digit' || /\d/.test(item.header.id);
}

/** Resolves slots against the context's sources; asks each (source, slot, tier) once. */
export function createResolver(context: RouteContext): Resolver {
  const known = new Map<string, Resolution>();
  const once = (key: readonly string[], make: () => Resolution): Resolution => {
    const text = key.join('\u0000');
    const resolution = known.get(text) ?? make();
    known.set(text, resolution);
    return resolution;
  };
  const exactly = (source: ResolverSource, slot: Slot, reach: Reach): Resolution => {
    const index = context.indexOf(source);
    if (!index) return nothing(unsearchable);
    const item = strictItem(index, slot);
    if (item && mayBeStrict(item, slot, reach)) return strictly(item, slot, context.stale(source));
    return byExactTiers(index, slot, reach);
  };
  const roughly = (source: ResolverSource, slot: Slot): Resolution => {
    const index = context.indexOf(source);
    if (!index) return nothing(unsearchable);
    for (const tier of looseTiers) {
      const { count, best } = index.find(slot, tier);
      if (count > 0) return { tier, strict: false, items: best, count, why: whyOf(tier) };
    }
    return nothing(`“${slot.written}” is like nothing here.`);
  };
  return {
    exactly: (source, slot, reach) =>
      once(['exactly', sourceId(source), slot.written, reach, String(slot.quoted)], () =>
        exactly(source, slot, reach),
      ),
    roughly: (source, slot, reach) => {
      if (reach !== 'any') return nothing('Said like this, only an exact name is looked for.');
      if (slot.exactOnly) return nothing(`“${slot.written}” points at something, it is no name of an item.`);
      return once(['roughly', sourceId(source), slot.folded], () => roughly(source, slot));
    },
  };
}

function whyOf(tier: Tier): string {
  if (tier === 'prefix') return 'A name begins like that.';
  return tier === 'keyword' ? 'All its words are words of an item.' : 'It is one letter away from an item.';
}
