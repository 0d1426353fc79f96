import { describe, expect, it } from 'vitest';
import { initiallyOpen } from './lazy-details';

const change = (length: number) => ({
  hunks: [
    { oldStart: 1, newStart: 1, lines: Array.from({ length }, () => ({ kind: 'added' as const, text: '' })) },
  ],
});

describe('the number of changes that are open at first', () => {
  it('[P3-W-diff] is all of a few, the first of many, and at least one', () => {
    expect(initiallyOpen([])).toBe(0);
    expect(initiallyOpen([change(10), change(20)])).toBe(2);
    expect(initiallyOpen(Array.from({ length: 500 }, () => change(12)))).toBe(33);
    expect(initiallyOpen([change(5_000), change(1)])).toBe(1);
  });
});
