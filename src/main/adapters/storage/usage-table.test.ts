import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Usage } from '#shared/model';
import type { SessionFact } from '#shared/session-event';
import { createManualClock } from '../../../testing/manual-clock';
import { must, newDatabasePath, openStore, turnFacts } from '../../../testing/stored-session';
import { localDay } from '../system/system-clock';

const now = 1_700_000_000_000;
const day = localDay(now);
const model = { providerId: 'lab', model: 'big' };
const called = (turn: number, usage: Partial<Usage> = {}): SessionFact => ({
  type: 'model-called',
  turn,
  part: 'reply',
  model,
  usage: { modelTurns: 1, inputTokens: 100, outputTokens: 10, ...usage },
  ms: 1,
});

type Store = ReturnType<typeof openStore>;
const keys = (store: Store, group: 'day' | 'session' | 'model') =>
  must(store.usage.spent(group, '2000-01-01', '2100-01-01')).map(({ key, calls }) => [key, calls]);

/** A store with a session of one turn and these facts after it. */
function storeWith(
  facts: readonly SessionFact[],
  path = newDatabasePath(),
  clock = createManualClock(now).clock,
) {
  const store = openStore(path, { clock });
  must(store.acquireLease('s'));
  const begun = must(store.append('s', 0, turnFacts(0)));
  must(store.append('s', begun.length, facts));
  return { store, seq: begun.length + facts.length };
}

describe('[USE-store] the stored sums of model calls', () => {
  it('have one row for each day, session, model and step', () => {
    const { store } = storeWith([
      called(0, { cachedTokens: 60, cacheWriteTokens: 5, reasoningTokens: 4 }),
      called(0, { estimated: true }),
      called(0, { inputTokens: 150_000 }),
      called(0, { modelTurns: 0 }),
    ]);
    const rows = must(store.usage.spent('day', day, day));
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual({
      key: day,
      model,
      step: 0,
      calls: 2,
      inputTokens: 200,
      cachedTokens: 60,
      cacheWriteTokens: 5,
      outputTokens: 20,
      reasoningTokens: 4,
      reportedInput: 100,
      estimated: 1,
    });
    expect(must(store.usage.spent('day', '2000-01-01', '2000-01-02'))).toEqual([]);
  });

  it('include the summaries of a conversation', () => {
    const usage = { modelTurns: 1, inputTokens: 7, outputTokens: 3 };
    const { store } = storeWith([
      { type: 'history-compacted', upTo: 0, summary: 'x', by: 'model', usage, model },
    ]);
    expect(keys(store, 'model')).toEqual([['', 1]]);
  });

  it('count a call once: not again in a copy of its session', () => {
    const { store } = storeWith([called(0)]);
    must(store.acquireLease('copy'));
    must(
      store.append('copy', 0, [
        ...turnFacts(0),
        { type: 'session-forked', from: { sessionId: 's', turn: 0 }, turns: 1 },
        called(0),
      ]),
    );
    must(store.acquireLease('imported'));
    const facts = [...turnFacts(0), called(0)].map((fact) => ({ fact, at: now }));
    must(store.importSession('imported', facts));
    expect(keys(store, 'session')).toEqual([['s', 1]]);
  });

  it('are the same in a file that was salvaged, also those of a copied session', () => {
    const path = newDatabasePath();
    const { store } = storeWith([called(0)], path);
    must(store.acquireLease('copy'));
    const forked = { type: 'session-forked', from: { sessionId: 's', turn: 0 }, turns: 1 } as const;
    const copied = must(store.append('copy', 0, [...turnFacts(0), forked, called(0)]));
    must(store.append('copy', copied.length, [called(1)]));
    store.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, 0, 100));
    const next = openStore(path, { pid: 2_000 });
    expect(keys(next, 'session')).toEqual([
      ['copy', 1],
      ['s', 1],
    ]);
    expect(next.salvage()).not.toBeNull();
    next.close();
  });

  it('stay without the name of a deleted session', () => {
    const { store } = storeWith([called(0)]);
    must(store.acquireLease('other'));
    const begun = must(store.append('other', 0, turnFacts(0)));
    must(store.append('other', begun.length, [called(0), called(0)]));
    must(store.remove('s'));
    expect(keys(store, 'day')).toEqual([[day, 3]]);
    store.close();
  });
});
