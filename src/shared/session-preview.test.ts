import { describe, expect, it } from 'vitest';
import { askFacts, eventsOf, sessionOf } from '../testing/sample-session';
import type { SessionFact } from './session-event';
import { previewEvents, previewFromTail, previewOf } from './session-preview';
import { activePath } from './turn-tree';

const line = (turn: number, place: { parent?: number } = {}): SessionFact[] => {
  const [sent, ...answer] = askFacts({ turn, reply: `reply ${turn}`, outcome: 'done' });
  return [{ ...sent, ...place } as SessionFact, ...answer];
};
const lines = Array.from({ length: 300 }, (_, turn) => line(turn)).flat();
const head = (turn: number): SessionFact => ({ type: 'branch-chosen', turn });

const lastTurns = (facts: readonly SessionFact[], count: number) =>
  activePath(sessionOf(facts)).slice(-count);

describe('[SES-preview] the preview of a long session', () => {
  it('has the same last turns as the whole session, wherever its tail begins', () => {
    const events = eventsOf(lines);
    for (let size = 10; size < 300; size += 1) {
      const preview = previewFromTail(events.slice(-size));
      expect(preview?.turns).toEqual(lastTurns(lines, Math.min(40, Math.floor(size / 4))));
    }
    expect(previewOf(sessionOf(lines))?.turns).toEqual(lastTurns(lines, 40));
  });

  it('ends with the branch that is in use', () => {
    const branched = [...lines, ...line(300, { parent: 290 }), ...line(301)];
    const last = (facts: readonly SessionFact[]) => previewFromTail(eventsOf(facts).slice(-80))?.turns;
    expect(
      last(branched)
        ?.map(({ turn }) => turn)
        .slice(-3),
    ).toEqual([290, 300, 301]);
    expect(last([...branched, head(299)])?.at(-1)?.turn).toBe(299);
  });

  it('does not exist when the branch in use is not in the tail', () => {
    expect(previewFromTail(eventsOf([...lines, head(3)]).slice(-80))).toBeNull();
    expect(previewFromTail(eventsOf(lines).slice(-3))).toBeNull();
    expect(previewFromTail([])).toBeNull();
  });

  it('does not exist for a short session, which opens at once', () => {
    const short = line(0);
    expect(previewFromTail(eventsOf(short))).toBeNull();
    expect(previewOf(sessionOf(short))).toBeNull();
    expect(sessionOf(lines).seq).toBeGreaterThan(previewEvents);
  });
});
