import { describe, expect, it } from 'vitest';
import { askFacts, sessionOf } from '../testing/sample-session';
import type { SessionFact } from './session-event';
import { activePath, lastModelOf, newestAfter, pathBlocks, siblingsIn, turnsAfterHead } from './turn-tree';

/** An answered line with a place in the tree. */
const line = (turn: number, place: { parent?: number; regenerates?: number } = {}): SessionFact[] => {
  const [sent, ...answer] = askFacts({ turn, reply: `reply ${turn}`, outcome: 'done' });
  return [{ ...sent, ...place } as SessionFact, ...answer];
};
const head = (turn: number): SessionFact => ({ type: 'branch-chosen', turn });
const numbers = (turns: readonly { readonly turn: number }[]) => turns.map(({ turn }) => turn);

/** 0 ─ 1 ─ 2, another answer to line 1 (3), followed by 4, and another line instead of 1 (5). */
const branched = [
  ...line(0),
  ...line(1),
  ...line(2),
  ...line(3, { parent: 0, regenerates: 1 }),
  ...line(4),
  ...line(5, { parent: 0 }),
];

describe('[TREE-path] the active path of a session', () => {
  it('is the whole session while there are no branches, in the same blocks', () => {
    const session = sessionOf([...line(0), ...line(1)]);
    expect(numbers(activePath(session))).toEqual([0, 1]);
    expect(pathBlocks(session)).toBe(session.blocks);
    expect(siblingsIn(session).size).toBe(0);
  });

  it('ends with the newest line, and follows the head wherever it moves', () => {
    expect(numbers(activePath(sessionOf(branched)))).toEqual([0, 5]);
    expect(numbers(activePath(sessionOf([...branched, head(2)])))).toEqual([0, 1, 2]);
    expect(pathBlocks(sessionOf([...branched, head(4)])).map(numbers)).toEqual([[0, 3, 4]]);
  });

  it('names the last model on the path, not of another branch', () => {
    const other = { providerId: 'other', model: 'large' };
    const [sent, ...answer] = askFacts({ turn: 2, reply: 'x', outcome: 'done', model: other });
    const facts = [...line(0), ...line(1), { ...sent, parent: 0 } as SessionFact, ...answer];
    expect(lastModelOf(sessionOf(facts))).toEqual(other);
    expect(lastModelOf(sessionOf([...facts, head(1)]))).not.toEqual(other);
  });

  it('ends at a parent that is not an earlier turn, as damage can cause', () => {
    expect(numbers(activePath(sessionOf([...line(0), ...line(1, { parent: 1 })])))).toEqual([1]);
  });
});

describe('[TREE-siblings] the siblings of a turn', () => {
  it('are the answers to its line, and the newest answer of each other line at its place', () => {
    const siblings = siblingsIn(sessionOf(branched));
    expect(siblings.get(1)).toEqual({ lines: [1, 5], replies: [1, 3] });
    expect(siblings.get(3)).toEqual({ lines: [3, 5], replies: [1, 3] });
    expect(siblings.get(5)).toEqual({ lines: [3, 5], replies: [5] });
    expect([...siblings.keys()].toSorted()).toEqual([1, 3, 5]);
  });

  it('count an answer that regenerates a regenerated one with the others', () => {
    const facts = [
      ...line(0),
      ...line(1, { parent: -1, regenerates: 0 }),
      ...line(2, { parent: -1, regenerates: 1 }),
    ];
    expect(siblingsIn(sessionOf(facts)).get(2)?.replies).toEqual([0, 1, 2]);
  });

  it('lead to the newest turn that follows', () => {
    const session = sessionOf(branched);
    expect(newestAfter(session, 1)).toBe(2);
    expect(newestAfter(session, 3)).toBe(4);
    expect(newestAfter(session, 0)).toBe(5);
  });

  it('count the hidden turns after the head was moved back', () => {
    expect(turnsAfterHead(sessionOf(branched))).toBe(0);
    expect(turnsAfterHead(sessionOf([...branched, head(1)]))).toBe(1);
    expect(turnsAfterHead(sessionOf([...branched, head(4)]))).toBe(0);
  });
});
