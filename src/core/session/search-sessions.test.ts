import { ok } from '#shared/result';
import type { SearchHit } from '#shared/ipc';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../testing/manual-clock';
import { must, newDatabasePath, openStore, turnFacts } from '../../testing/stored-session';
import type { Comparison } from '../ports/sentence-encoder';
import { createSessionSearch } from './search-sessions';

const hit = (sessionId: string): SearchHit => ({ sessionId, sessionTitle: sessionId, turn: 0, snippet: 'x' });
const opening = (sessionId: string, line: string) => ({ sessionId, title: sessionId, turn: 3, line });

/** A search over hits and openings; `closeTo` gives the closeness of a text, null: the encoder never answers. */
function createSearch(hits: readonly string[], closeTo: ((text: string) => number) | null, on = true) {
  const { clock, advance } = createManualClock();
  const asked: Comparison[] = [];
  const search = createSessionSearch({
    clock,
    log: {
      search: () => ok(hits.map(hit)),
      openings: () => ok([opening('Baking', 'How long does bread rise?'), opening('Tests', 'Mock a clock')]),
    },
    encoder: {
      available: () => on,
      compare: (comparison) => {
        asked.push(comparison);
        return closeTo ? Promise.resolve(comparison.texts.map(closeTo)) : new Promise(() => undefined);
      },
    },
  });
  return { search, asked, advance };
}

const order = async (search: ReturnType<typeof createSearch>['search']) =>
  must(await search.search('q')).map(({ sessionId }) => sessionId);

describe('a search of the history', () => {
  it('[MEAN-search] mixes the order of the words with that of the meaning', async () => {
    const closeTo = (text: string) => (text.startsWith('c') ? 0.9 : 0.1);
    expect(await order(createSearch(['a', 'b', 'c'], closeTo).search)).toEqual(['a', 'c', 'b']);
    const many = Array.from({ length: 15 }, (_, at) => `${at}`);
    const { search, asked } = createSearch(many, () => 0);
    expect(await order(search)).toEqual(many);
    expect(asked[0]?.texts).toHaveLength(10);
  });

  it('[MEAN-search] keeps the order of the words without the encoder, or when it is late', async () => {
    const without = createSearch(['a', 'b', 'c'], () => 1, false);
    expect(await order(without.search)).toEqual(['a', 'b', 'c']);
    expect(without.asked).toHaveLength(0);
    const late = createSearch(['a', 'b', 'c'], null);
    const found = order(late.search);
    late.advance(400);
    expect(await found).toEqual(['a', 'b', 'c']);
  });

  it('[MEAN-similar] lists the sessions that are close enough, nearest first', async () => {
    const closeTo = (text: string) => (text.includes('bread') ? 0.8 : 0.2);
    const { search, asked } = createSearch([], closeTo);
    expect(must(await search.similar('yeast'))).toEqual([
      { sessionId: 'Baking', sessionTitle: 'Baking', turn: 3, snippet: 'How long does bread rise?' },
    ]);
    expect(asked[0]).toMatchObject({
      set: 'sessions',
      texts: ['Baking', 'How long does bread rise?', 'Tests', 'Mock a clock'],
    });
    expect(must(await createSearch([], closeTo, false).search.similar('yeast'))).toEqual([]);
  });

  it('[MEAN-similar] reads how the newest sessions begin', () => {
    const store = openStore(newDatabasePath());
    must(store.acquireLease('s'));
    must(store.append('s', 0, turnFacts(1)));
    must(store.acquireLease('empty'));
    must(store.append('empty', 0, [{ type: 'session-created', title: 'Empty', project: null }]));
    const openings = must(store.openings(10));
    expect(openings).toHaveLength(2);
    expect(openings).toContainEqual({
      sessionId: 's',
      title: 'A session',
      turn: 0,
      line: 'How do I sort a list?',
    });
    expect(openings).toContainEqual({ sessionId: 'empty', title: 'Empty', turn: 0, line: '' });
    expect(must(store.openings(1))).toHaveLength(1);
    store.close();
  });
});
