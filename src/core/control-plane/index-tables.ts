import type { ResolverItem } from '#shared/resolver';
import { compactId, fold, foldedWords, compareText } from './fold';

/** Work that can be interrupted after each step and returns its result at the end. */
type Steps<T> = Generator<undefined, T, undefined>;

/** Elements that are sorted in one go before merging begins. */
const run = 512;
/** Elements moved between two steps: under a millisecond of work. */
const stride = 2_048;

interface Merge {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly compare: (a: number, b: number) => number;
}

function* mergePass({ from, to, compare }: Merge, width: number): Steps<void> {
  let moved = 0;
  for (let low = 0; low < from.length; low += 2 * width) {
    const middle = Math.min(low + width, from.length);
    const high = Math.min(low + 2 * width, from.length);
    let left = low;
    let right = middle;
    for (let at = low; at < high; at += 1) {
      const takeLeft = right >= high || (left < middle && compare(from[left] ?? 0, from[right] ?? 0) <= 0);
      to[at] = from[takeLeft ? left++ : right++] ?? 0;
      if (++moved % stride === 0) yield;
    }
  }
}

/**
 * Sorts the positions of `keys` by text, then by `ties`. Runs in steps, so that a long list blocks nothing.
 */
function* sortedOrder(keys: readonly string[], ties: readonly string[]): Steps<Uint32Array> {
  const compare = (a: number, b: number): number =>
    compareText(keys[a] ?? '', keys[b] ?? '') || compareText(ties[a] ?? '', ties[b] ?? '');
  let from = Uint32Array.from(keys, (_key, index) => index);
  for (let low = 0; low < from.length; low += run) {
    from.subarray(low, low + run).sort(compare);
    if (low % (2 * run) === 0) yield;
  }
  let to = new Uint32Array(from.length);
  for (let width = run; width < from.length; width *= 2) {
    yield* mergePass({ from, to, compare }, width);
    [from, to] = [to, from];
  }
  return from;
}

/** A single position is stored without an array, because most lists have one element. */
export type Postings = Map<string, number | number[]>;

/**
 * Lookup tables for a list of items. Positions follow the order of names, so a shuffled catalog gives the
 * same tables.
 */
export interface IndexTables {
  readonly items: readonly ResolverItem[];
  /** The items in the order of the source. */
  readonly sourceItems: readonly ResolverItem[];
  readonly names: readonly string[];
  readonly ids: Postings;
  readonly compactIds: Postings;
  /** Display names and aliases. */
  readonly called: Postings;
  readonly prefixKeys: readonly string[];
  readonly prefixOwners: Uint32Array;
  readonly words: Postings;
  /** Words without digits by first letter and length, for near-miss lookups. */
  readonly alike: ReadonlyMap<string, readonly string[]>;
  /** The names, id and keywords of each item, for the picker's filter; each part begins with a space. */
  readonly haystacks: readonly string[];
  /** Positions, shortest name first. */
  readonly byLength: Uint32Array;
  readonly byId: ReadonlyMap<string, ResolverItem>;
}

/** Items processed between two pauses: one or two milliseconds of work. */
const slice = 64;

export function post(postings: Postings, key: string, position: number): void {
  const known = postings.get(key);
  if (known === undefined) postings.set(key, position);
  else if (typeof known === 'number') {
    if (known !== position) postings.set(key, [known, position]);
  } else if (known.at(-1) !== position) known.push(position);
}

/** The positions of a key, ascending. */
export function positionsOf(postings: Postings, key: string): readonly number[] {
  const known = postings.get(key);
  if (known === undefined) return [];
  return typeof known === 'number' ? [known] : known;
}

export const bucketOf = (word: string, length: number): string => `${length}${word.slice(0, 1)}`;

function* inOrder(sourceItems: readonly ResolverItem[]): Steps<{ items: ResolverItem[]; names: string[] }> {
  const folded: string[] = [];
  for (const [index, { header }] of sourceItems.entries()) {
    folded.push(fold(header.displayName));
    if (index % (4 * slice) === 0) yield;
  }
  const order = yield* sortedOrder(
    folded,
    sourceItems.map(({ header }) => header.id),
  );
  const items: ResolverItem[] = [];
  const names: string[] = [];
  for (const [index, position] of order.entries()) {
    const item = sourceItems[position];
    if (item) items.push(item);
    names.push(folded[position] ?? '');
    if (index % (32 * slice) === 0) yield;
  }
  return { items, names };
}

type Growing = Pick<IndexTables, 'ids' | 'compactIds' | 'called' | 'words'> & {
  readonly byId: Map<string, ResolverItem>;
  readonly haystacks: string[];
  readonly keys: string[];
  readonly owners: number[];
};

function addItem(growing: Growing, item: ResolverItem, position: number, name: string): void {
  const id = fold(item.header.id);
  const compact = compactId(id);
  const called = [...new Set([name, ...item.aliases.map(fold)])].filter((text) => text !== '');
  const keywords = item.keywords.flatMap(foldedWords);
  if (!growing.byId.has(item.header.id)) growing.byId.set(item.header.id, item);
  if (id !== '') post(growing.ids, id, position);
  if (compact !== undefined) post(growing.compactIds, compact, position);
  for (const text of called) {
    post(growing.called, text, position);
    growing.keys.push(text);
    growing.owners.push(position);
  }
  for (const text of [...called, id, ...keywords]) {
    for (const word of text.split(' ')) if (word !== '') post(growing.words, word, position);
  }
  growing.haystacks.push(` ${[...called, id, keywords.join(' ')].join('\n ')}`);
}

function* grow(items: readonly ResolverItem[], names: readonly string[]): Steps<Growing> {
  const growing: Growing = {
    ids: new Map(),
    compactIds: new Map(),
    called: new Map(),
    words: new Map(),
    byId: new Map(),
    haystacks: [],
    keys: [],
    owners: [],
  };
  for (const [position, item] of items.entries()) {
    addItem(growing, item, position, names[position] ?? '');
    if (position % slice === 0) yield;
  }
  return growing;
}

function* wordsAlike(words: Postings): Steps<Map<string, string[]>> {
  const alike = new Map<string, string[]>();
  let seen = 0;
  for (const word of words.keys()) {
    if (++seen % (8 * slice) === 0) yield;
    if (/\d/.test(word)) continue;
    const key = bucketOf(word, word.length);
    const bucket = alike.get(key);
    if (bucket) bucket.push(word);
    else alike.set(key, [word]);
  }
  return alike;
}

function* shortestFirst(names: readonly string[]): Steps<Uint32Array> {
  const byLength: number[][] = [];
  for (const [position, name] of names.entries()) {
    (byLength[name.length] ??= []).push(position);
    if (position % (64 * slice) === 0) yield;
  }
  return Uint32Array.from(byLength.flatMap((positions) => positions ?? []));
}

/** Builds the tables in steps of a few milliseconds at most. */
export function* buildTables(sourceItems: readonly ResolverItem[]): Steps<IndexTables> {
  const { items, names } = yield* inOrder(sourceItems);
  const { keys, owners, ...grown } = yield* grow(items, names);
  const order = yield* sortedOrder(keys, []);
  const prefixKeys: string[] = [];
  const prefixOwners = new Uint32Array(order.length);
  for (const [index, position] of order.entries()) {
    prefixKeys.push(keys[position] ?? '');
    prefixOwners[index] = owners[position] ?? 0;
    if (index % (32 * slice) === 0) yield;
  }
  const alike = yield* wordsAlike(grown.words);
  const byLength = yield* shortestFirst(names);
  return { items, sourceItems, names, prefixKeys, prefixOwners, alike, byLength, ...grown };
}
