import type { SessionFact } from '#shared/session-event';
import { describe, expect, it } from 'vitest';
import { askFacts, sampleUsage, sessionOf } from '../../../testing/sample-session';
import { createTurnFinder, findPattern, firstFrom, stepFrom } from './find-turns';

const talk = (replies: readonly string[]) =>
  sessionOf(replies.flatMap((reply, turn) => askFacts({ turn, reply, outcome: 'done' })));

describe('createTurnFinder', () => {
  it('finds turns by reply, in any case and with any white space between words', () => {
    const { blocks } = talk(['A Red\n fox', 'a redfox', 'ÉTÉ', 'nothing']);
    expect(createTurnFinder('red fox')(blocks)).toEqual([0]);
    expect(createTurnFinder('été')(blocks)).toEqual([2]);
  });

  it('takes what is typed as it is, never as a pattern', () => {
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

  it('finds nothing for nothing', () => {
    expect(findPattern(' \n')).toBeNull();
    expect(createTurnFinder('  ')(talk(['x']).blocks)).toEqual([]);
  });

  it('reads blocks that did not change only once', () => {
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
    const find = createTurnFinder('odd');
    expect(find(counted)).toHaveLength(100);
    const once = reads;
    expect(find([...counted.slice(0, -1), [...(counted.at(-1) ?? [])]])).toHaveLength(100);
    expect(reads - once).toBe(counted.at(-1)?.length);
  });
});

describe('going through the matches', () => {
  it('begins at what is in sight and goes around', () => {
    expect(firstFrom([2, 5, 9], 4)).toBe(5);
    expect(firstFrom([2, 5, 9], 10)).toBe(2);
    expect(firstFrom([], 0)).toBeNull();
    expect(stepFrom([2, 5, 9], 5, 1)).toBe(9);
    expect(stepFrom([2, 5, 9], 9, 1)).toBe(2);
    expect(stepFrom([2, 5, 9], 5, -1)).toBe(2);
    expect(stepFrom([2, 5, 9], 2, -1)).toBe(9);
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
