import { describe, expect, it } from 'vitest';
import { formatMoment, formatSpan, formatTime } from './format';

const at = new Date(2026, 4, 12, 9, 5).getTime();

describe('[CHAT-moment] the time of a turn', () => {
  it('is the hour today, with the day this year, otherwise with the year', () => {
    expect(formatMoment(at, new Date(2026, 4, 12, 23, 59).getTime())).toBe(formatTime(at));
    const later = formatMoment(at, new Date(2026, 4, 13, 0, 1).getTime());
    expect(later).toContain('12');
    expect(later).not.toContain('2026');
    expect(formatMoment(at, new Date(2027, 0, 1).getTime())).toContain('2026');
  });
});

it.each([
  [340, '340 ms'],
  [2_100, '2.1 s'],
  [65_000, '1 min 05 s'],
  [600_000, '10 min'],
])('a duration of %i ms is %s', (ms, shown) => {
  expect(formatSpan(ms)).toBe(shown);
});
