import { describe, expect, it } from 'vitest';
import { applyQueueFact, nextLine, steeringLines, type LineQueue } from './line-queue';

const model = { providerId: 'local', model: 'm' };
const waits = { runMode: 'agent' as const, model, items: [] };
const queued: LineQueue = {
  lines: ['a', 'b', 'c'].map((lineId) => ({ ...waits, lineId, text: lineId, when: 'stage' })),
  paused: true,
};
const move = (lineId: string, before: string | null) =>
  applyQueueFact(queued, { type: 'line-moved', lineId, before })!;
const orderOf = ({ lines }: Pick<LineQueue, 'lines'>) => lines.map(({ lineId }) => lineId).join('');

describe('[QUE-move] a moved line', () => {
  it.each([
    ['c', 'a', 'cab'],
    ['a', 'c', 'bac'],
    ['a', null, 'bca'],
    ['c', null, 'abc'],
    ['b', 'b', 'abc'],
    ['x', 'a', 'abc'],
    ['a', 'x', 'abc'],
  ])('%s before %s: %s', (lineId, before, order) => {
    const moved = move(lineId, before);
    expect([orderOf(moved), moved.paused]).toEqual([order, true]);
  });

  it('steers a run in its new place', () => {
    const { lines } = move('c', 'a');
    expect(orderOf({ lines: steeringLines({ lines }) })).toBe('cab');
  });
});

describe('[QUE-stage] a line with attached items', () => {
  it('steers no run: it waits for its own turn', () => {
    const item = { kind: 'file' as const, ref: 'a.md', hash: 'a'.repeat(64), tokens: 1, bytes: 1 };
    const [a, b, c] = queued.lines;
    const lines = [a!, { ...b!, items: [item] }, c!];
    expect(orderOf({ lines: steeringLines({ lines }) })).toBe('ac');
    expect(orderOf({ lines: steeringLines({ lines: [{ ...lines[1]!, when: 'now' }] }) })).toBe('');
  });
});

describe('[QUE-edit] a line under edit', () => {
  const hold = (queue: LineQueue, lineId: string, held = true): LineQueue =>
    applyQueueFact(queue, { type: 'line-edited', lineId, held })!;
  const { lines } = queued;

  it('is not used, nor is a line after it, except one to be used now', () => {
    const held = hold({ lines }, 'b');
    expect(orderOf({ lines: steeringLines(held) })).toBe('a');
    const first = hold({ lines }, 'a');
    expect([nextLine(first), steeringLines(first)]).toEqual([undefined, []]);
    const hurried = applyQueueFact(first, { type: 'line-edited', lineId: 'c', when: 'now' })!;
    expect(nextLine(hurried)?.lineId).toBe('c');
    expect(orderOf({ lines: steeringLines(hurried) })).toBe('c');
    const self = applyQueueFact(first, { type: 'line-edited', lineId: 'a', when: 'now' })!;
    expect([nextLine(self), steeringLines(self)]).toEqual([undefined, []]);
  });

  it('is as before once the edit ends', () => {
    expect(hold(hold({ lines }, 'b'), 'b', false)).toEqual({ lines });
  });
});
