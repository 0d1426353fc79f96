import { describe, expect, it } from 'vitest';
import { openAtFirst } from './open-at-first';

const change = (length: number) => ({
  hunks: [
    { oldStart: 1, newStart: 1, lines: Array.from({ length }, () => ({ kind: 'added' as const, text: '' })) },
  ],
});

describe('how many changes begin open', () => {
  it('[P3-W-diff] all of a few, the first of many, and one at least', () => {
    expect(openAtFirst([])).toBe(0);
    expect(openAtFirst([change(10), change(20)])).toBe(2);
    expect(openAtFirst(Array.from({ length: 500 }, () => change(12)))).toBe(33);
    expect(openAtFirst([change(5_000), change(1)])).toBe(1);
  });
});
