import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResolverItem, SourceDefinition } from '#shared/resolver';
import { Tier } from '#shared/route';
import { item } from '../../testing/routing-context';
import { fold } from './fold';
import { buildItemIndex, createItemIndex, type ItemIndex } from './item-index';
import { isOneEdit } from './edit-distance';

const definition: SourceDefinition = {
  id: 'things',
  displayName: 'All things',
  nouns: { one: ['thing'], many: ['things'] },
  vocabulary: 'curated',
};
const index = (items: readonly ResolverItem[]): ItemIndex => createItemIndex(items, definition);
const slot = (written: string) => ({ written, folded: fold(written) });
const idsOf = (found: { readonly best: readonly ResolverItem[] }): readonly string[] =>
  found.best.map(({ header }) => header.id);

describe('an index of items', () => {
  const items = [
    item('T-1', 'Blue whale', ['ocean giant']),
    item('T-2', 'Blue'),
    item('T-3', 'Red panda'),
    { ...item('T-12', 'Green tree frog'), keywords: ['amphibian'] },
  ];
  const made = index(items);
  const found = (written: string, tier: Tier): readonly string[] => idsOf(made.find(slot(written), tier));

  it('[CPR-7-resolve] searches by tier, the best first', () => {
    expect(found('t-1', 'exact-id')).toEqual(['T-1']);
    expect(found('t1', 'exact-id')).toEqual(['T-1']);
    expect(found('OCEAN   giant', 'exact-name')).toEqual(['T-1']);
    expect(found('blu', 'prefix')).toEqual(['T-2', 'T-1']);
    expect(found('bl', 'prefix')).toEqual([]);
    expect(found('whale blue', 'keyword')).toEqual(['T-1']);
    expect(found('the amphibian frog', 'keyword')).toEqual(['T-12']);
    expect(found('thing', 'keyword')).toEqual([]);
    expect(found('red padna', 'near-miss')).toEqual(['T-3']);
    expect(found('bleu', 'near-miss')).toEqual(['T-2', 'T-1']);
    expect(found('anda', 'near-miss')).toEqual([]);
    expect(found('T-21', 'near-miss')).toEqual(['T-12']);
    expect(found('T-4', 'near-miss')).toEqual([]);
  });

  it('[CPR-7-resolve] matches exactly only after NFC, case folding and white space', () => {
    const accents = index([item('a', 'Cafe\u0301  Noir'), item('b', 'Cafe Noir')]);
    expect(accents.strict('café noir').map(({ header }) => header.id)).toEqual(['a']);
    expect(accents.strict('cafe-noir')).toEqual([]);
    expect(made.strict('t1')).toEqual([]);
    expect(index([item('a', 'Same'), item('b', 'SAME'), item('c', 'same')]).strict('Same')).toHaveLength(2);
  });

  it('[T6-3-3-named] finds an unlisted item only by its exact name, and prefers a listed one', () => {
    const all = index([...items, { ...item('T-9', 'Grey seal', ['seal']), unlisted: true }]);
    expect(all.size).toBe(4);
    expect(idsOf({ best: all.search('', 0, 10).items })).not.toContain('T-9');
    expect(idsOf({ best: all.search('seal', 0, 10).items })).toEqual([]);
    for (const tier of Tier.options) expect(idsOf(all.find(slot('grey seal'), tier))).toEqual([]);
    for (const written of ['t-9', 'Grey  Seal', 'SEAL']) {
      expect(idsOf({ best: all.strict(written) })).toEqual(['T-9']);
    }
    expect(all.byId('T-9')?.header.displayName).toBe('Grey seal');
    const alike = index([item('T-1', 'Seal'), { ...item('T-9', 'Seal'), unlisted: true }]);
    expect(idsOf({ best: alike.strict('seal') })).toEqual(['T-1']);
  });

  it('lists all items in their order for an empty text or the name of the catalog', () => {
    for (const text of ['', '  ', 'things', 'Thing', 'all things']) {
      expect(made.search(text, 0, 10)).toEqual({ items, total: 4 });
    }
    expect(made.search('', 2, 1).items).toEqual([items[2]]);
  });

  it('filters by every word anywhere, in the order of the router’s preference', () => {
    const search = (text: string) => idsOf({ best: made.search(text, 0, 10).items });
    expect(search('ue')).toEqual(['T-2', 'T-1']);
    expect(search('frog gre')).toEqual(['T-12']);
    expect(search('padna')).toEqual(['T-3']);
    expect(search('nothing at all')).toEqual([]);
    expect(made.search('bleu', 0, 10).highlightId).toBe('T-2');
    expect(made.search('blue', 1, 1)).toMatchObject({
      total: 2,
      highlightId: 'T-2',
      items: [{ header: { id: 'T-1' } }],
    });
  });

  it('finds a name without letters as it is written', () => {
    expect(index([item('x', '🚀'), item('y', '???')]).search('🚀', 0, 5).items).toHaveLength(1);
  });

  it('accepts names of any length and kind', () => {
    const odd = ['x'.repeat(100_000), '', '\ud800', '\u202e abc', '<b>', '𝔗𝔢𝔵𝔱'].map((name, at) =>
      item(`i${at}`, name),
    );
    const made = index(odd);
    expect(made.search('text', 0, 5).items).toHaveLength(1);
    expect(made.search('', 0, 100).total).toBe(6);
  });
});

const anItem = fc
  .record({
    id: fc.string({ minLength: 1, maxLength: 6 }),
    name: fc.string({ maxLength: 12 }),
    alias: fc.string({ maxLength: 6 }),
  })
  .map(({ id, name, alias }) => item(id, name, [alias]));
const itemsAnyhow = fc.uniqueArray(anItem, { selector: ({ header }) => header.id, maxLength: 40 });

describe('an index of random items', () => {
  it('[CPR-3-deterministic] finds the same in another order', () => {
    const check = (items: readonly ResolverItem[], text: string): void => {
      const [one, other] = [index(items), index([...items].reverse())];
      for (const tier of Tier.options)
        expect(other.find(slot(text), tier)).toEqual(one.find(slot(text), tier));
      if (fold(text) !== '') expect(other.search(text, 0, 99)).toEqual(one.search(text, 0, 99));
    };
    fc.assert(fc.property(itemsAnyhow, fc.string({ maxLength: 6 }), check), { numRuns: 400 });
  });

  it('[CPR-7-resolve] finds each item by its own id and name', () => {
    const check = (items: readonly ResolverItem[]): void => {
      const made = index(items);
      for (const { header } of items) {
        expect(made.byId(header.id)?.header.id).toBe(header.id);
        if (fold(header.displayName) !== '') {
          expect(made.find(slot(header.displayName), 'exact-name').count).toBeGreaterThan(0);
          expect(made.strict(header.displayName).length).toBeGreaterThan(0);
        }
      }
    };
    fc.assert(fc.property(itemsAnyhow, check), { numRuns: 300 });
  });

  it('[CPR-index-sliced] built in slices is the same as built at once, with pauses between', async () => {
    const many = Array.from({ length: 5_000 }, (_, at) =>
      item(`N-${at}`, `Name ${(at * 7_919) % 5_000} of many`),
    );
    let pauses = 0;
    const sliced = await buildItemIndex(many, definition, async () => {
      pauses += 1;
    });
    expect(pauses).toBeGreaterThan(40);
    for (const text of ['name 12', 'n-77', 'nmae 4', 'of many']) {
      expect(sliced.search(text, 0, 50)).toEqual(index(many).search(text, 0, 50));
    }
  });

  it('has an edit distance of one for a letter inserted, removed, replaced, or two swapped', () => {
    const edits = ['pilo', 'piloot', 'pilat', 'pilto', 'ilot'.padStart(4), 'pilots'];
    for (const edit of edits) expect(isOneEdit('pilot', edit), edit).toBe(true);
    for (const far of ['pilot', 'pol', 'ptlio', 'plito', 'abcde', ''])
      expect(isOneEdit('pilot', far), far).toBe(false);
  });
});
