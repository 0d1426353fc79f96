import { describe, expect, it } from 'vitest';
import { applyQueueFact, steeringLines, type LineQueue } from './line-queue';

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
