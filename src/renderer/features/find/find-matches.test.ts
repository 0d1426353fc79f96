import type { SessionFact } from '#shared/session-event';
import { describe, expect, it } from 'vitest';
import { askFacts, sampleUsage, sessionOf } from '../../../testing/sample-session';
import {
  createMatchFinder,
  findInSlices,
  findPattern,
  firstFrom,
  maxMatches,
  placeOf,
  stepFrom,
} from './find-matches';

const talk = (replies: readonly string[]) =>
  sessionOf(replies.flatMap((reply, turn) => askFacts({ turn, reply, outcome: 'done' })));

/** The turns of the matches, each match once. */
const createTurnFinder = (typed: string) => (blocks: Parameters<ReturnType<typeof createMatchFinder>>[0]) =>
  createMatchFinder(typed)(blocks).map(({ turn }) => turn);

describe('createMatchFinder', () => {
  it('finds turns by reply, ignoring case and white space', () => {
    const { blocks } = talk(['A Red\n fox', 'a redfox', 'ÉTÉ', 'nothing']);
    expect(createTurnFinder('red fox')(blocks)).toEqual([0]);
    expect(createTurnFinder('été')(blocks)).toEqual([2]);
  });

  it('reads the query literally, never as a pattern', () => {
    const { blocks } = talk(['cost (a.b)*', 'cost axb', '[x] \\d {2} $5 ^ a|b /c/ ?']);
    expect(createTurnFinder('(a.b)*')(blocks)).toEqual([0]);
    expect(createTurnFinder('[x] \\d {2} $5 ^ a|b /c/ ?')(blocks)).toEqual([2]);
  });

  it('finds the user’s own words and the answer of a run', () => {
    const { blocks } = sessionOf([
      ...askFacts({ turn: 0, text: 'where is the Lighthouse', reply: 'there', outcome: 'done' }),
      ...runTurn(1, 'Two lighthouses were found'),
    ]);
    expect(createTurnFinder('lighthouse')(blocks)).toEqual([0, 1]);
  });

  it('finds nothing for an empty query', () => {
    expect(findPattern(' \n')).toBeNull();
    expect(createTurnFinder('  ')(talk(['x']).blocks)).toEqual([]);
  });

  it('reads unchanged blocks only once', () => {
    const { blocks } = talk(Array.from({ length: 200 }, (_, turn) => (turn % 2 === 0 ? 'even' : 'odd')));
    let reads = 0;
    const counted = blocks.map((block) =>
      block.map((turn) => ({
        ...turn,
        get text() {
          reads += 1;
          return turn.text;
        },
      })),
    );
    const find = createMatchFinder('odd');
    expect(find(counted)).toHaveLength(100);
    const once = reads;
    expect(find([...counted.slice(0, -1), [...(counted.at(-1) ?? [])]])).toHaveLength(100);
    expect(reads - once).toBe(counted.at(-1)?.length);
  });
});

describe('stepping through the matches', () => {
  const at = (turn: number, nth = 0) => ({ turn, nth });

  it('[FIND-each] counts every match of a turn: in the line, the reply and the answer', () => {
    const { blocks } = sessionOf(
      askFacts({ turn: 0, text: 'red', reply: 'red and RED, no blue', outcome: 'done' }),
    );
    expect(createMatchFinder('red')(blocks)).toEqual([at(0), at(0, 1), at(0, 2)]);
  });

  it('[FIND-each] stops counting beyond a useful number', () => {
    expect(createMatchFinder('a')(talk(['a'.repeat(30_000)]).blocks)).toHaveLength(maxMatches);
  });

  it('[FIND-each] begins at the visible part and continues match by match, wrapping around', () => {
    const matches = [at(2), at(5), at(5, 1), at(9)];
    expect(firstFrom(matches, 4)).toEqual(at(5));
    expect(firstFrom(matches, 10)).toEqual(at(2));
    expect(firstFrom([], 0)).toBeNull();
    expect(stepFrom(matches, at(5), 1)).toEqual(at(5, 1));
    expect(stepFrom(matches, at(9), 1)).toEqual(at(2));
    expect(stepFrom(matches, at(5, 1), -1)).toEqual(at(5));
    expect(stepFrom(matches, at(2), -1)).toEqual(at(9));
    // A match that is gone leads to the next existing one.
    expect(stepFrom(matches, at(5, 7), 1)).toEqual(at(9));
    expect([placeOf(matches, at(5, 1)), placeOf(matches, at(5, 7)), placeOf(matches, null)]).toEqual([
      2, -1, -1,
    ]);
  });
});

function runTurn(turn: number, answer: string): readonly SessionFact[] {
  return [
    {
      type: 'message-sent',
      turn,
      text: 'look',
      runMode: 'agent',
      model: { providerId: 'offline', model: 'offline' },
    },
    { type: 'run-started', turn, runId: 'run-1', goal: 'look' },
    { type: 'run-ended', turn, runId: 'run-1', outcome: 'done', answer, usage: sampleUsage },
  ];
}

describe('[SCALE-find-frames] findInSlices', () => {
  /** A finder for which reading a block takes this many milliseconds. */
  const slowFinder = (ms: number) => {
    const seen: number[] = [];
    const find: ReturnType<typeof createMatchFinder> = (blocks) => {
      if (blocks.length === 1) {
        const until = performance.now() + ms;
        while (performance.now() < until);
        seen.push(blocks[0]![0]!.turn);
      }
      return [];
    };
    return { find, seen };
  };
  const { blocks } = talk(Array.from({ length: 640 }, (_, turn) => `reply ${turn}`));

  it('yields the thread between slices, and finds the same as one uninterrupted search', async () => {
    const { find, seen } = slowFinder(5);
    const over = new Promise<void>((resolve) => findInSlices(find, blocks, () => resolve()));
    // The first slice has ended before the search is complete, so other waiting tasks run in between.
    expect(seen.length).toBeLessThan(blocks.length);
    await over;
    expect(seen).toHaveLength(blocks.length);
    const finder = createMatchFinder('reply 6');
    const found = await new Promise((resolve) => findInSlices(finder, blocks, resolve));
    expect(found).toEqual(createMatchFinder('reply 6')(blocks));
  });

  it('reads no block beyond the limit, because a frequent letter reaches it soon', async () => {
    const everywhere = talk(Array.from({ length: 640 }, () => 'e'.repeat(maxMatches / 64))).blocks;
    let reads = 0;
    const find = createMatchFinder('e');
    const found = await new Promise<number>((resolve) =>
      findInSlices(
        (some) => {
          reads += some.length;
          return find(some);
        },
        everywhere,
        (matches) => resolve(matches.length),
      ),
    );
    // One pass counts, and one assembles the matches.
    expect({ found, reads }).toEqual({ found: maxMatches, reads: 2 });
  });

  it('ends when it is stopped', async () => {
    const { find, seen } = slowFinder(10);
    let done = false;
    findInSlices(find, blocks, () => (done = true))();
    const before = seen.length;
    await new Promise<void>((resolve) => findInSlices(createMatchFinder('x'), blocks, () => resolve()));
    expect({ done, seen: seen.length }).toEqual({ done: false, seen: before });
  });
});
