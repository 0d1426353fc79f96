import { describe, expect, it } from 'vitest';
import type { SessionFact } from '#shared/session-event';
import { createManualClock } from '../../testing/manual-clock';
import { createFactBuffer } from './fact-buffer';

const fact = (nodeId: string): SessionFact => ({ type: 'node-started', turn: 0, runId: 'r', nodeId });

function setUp() {
  const time = createManualClock();
  const commits: (readonly SessionFact[])[] = [];
  let [writable, broken] = [true, 0];
  const commit = (facts: readonly SessionFact[]): boolean => writable && commits.push(facts) > 0;
  const buffer = createFactBuffer(time.clock, commit, () => void (broken += 1));
  const nodes = () => commits.map((batch) => batch.map((one) => 'nodeId' in one && one.nodeId));
  return { buffer, nodes, time, broken: () => broken, fail: () => (writable = false) };
}

describe('facts on their way to a session', () => {
  it('are committed together 100 ms after the first of them', () => {
    const { buffer, nodes, time } = setUp();
    buffer.add(fact('a'));
    time.advance(60);
    buffer.add(fact('b'));
    time.advance(39);
    expect(nodes()).toEqual([]);
    time.advance(1);
    expect(nodes()).toEqual([['a', 'b']]);
    buffer.add(fact('c'));
    time.advance(100);
    expect(nodes()).toEqual([['a', 'b'], ['c']]);
  });

  it('precede a fact that is recorded at once, and are committed only once', () => {
    const { buffer, nodes, time } = setUp();
    buffer.add(fact('a'));
    expect(buffer.record([fact('b')])).toBe(true);
    expect(time.timers()).toBe(0);
    expect(buffer.flush()).toBe(true);
    expect(nodes()).toEqual([['a', 'b']]);
  });

  it('break the buffer once when the session refuses them', () => {
    const { buffer, nodes, broken, fail } = setUp();
    fail();
    expect(buffer.flush()).toBe(true);
    expect(broken()).toBe(0);
    expect(buffer.record([fact('a')])).toBe(false);
    expect(buffer.record([fact('b')])).toBe(false);
    expect(buffer.flush()).toBe(false);
    expect(broken()).toBe(1);
    expect(nodes()).toEqual([]);
  });

  it('are committed when the buffer closes; later ones are refused', () => {
    const { buffer, nodes, time, broken } = setUp();
    buffer.add(fact('a'));
    buffer.close();
    buffer.add(fact('b'));
    expect(time.timers()).toBe(0);
    expect(buffer.record([fact('c')])).toBe(false);
    expect(nodes()).toEqual([['a']]);
    expect(broken()).toBe(0);
  });
});
