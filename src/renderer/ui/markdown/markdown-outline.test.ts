import { describe, expect, it } from 'vitest';
import { outlineLevels } from './markdown';
import { lexBlocks } from '#shared/markdown/parse';

const levels = (text: string) =>
  outlineLevels(lexBlocks(text).filter(({ type }) => type !== 'space')).filter(
    (level) => level !== undefined,
  );

describe('outlineLevels', () => {
  it.each([
    ['# a\n\n## b\n\n### c\n\n## d', [3, 4, 5, 4]],
    ['### a\n\n### b', [3, 3]],
    ['### a\n\n# b\n\n##### c\n\n### d', [3, 3, 4, 4]],
    ['text\n\n###### a', [3]],
    ['# a\n\n## b\n\n### c\n\n#### d\n\n##### e\n\n###### f\n\n# g', [3, 4, 5, 6, 6, 6, 3]],
  ])('skips no level in %j', (text, expected) => {
    expect(levels(text)).toEqual(expected);
  });

  it('increases by one at most, for any input', () => {
    for (let seed = 1; seed < 400; seed += 1) {
      const depths = Array.from({ length: 8 }, (_, at) => 1 + (((seed * (at + 3) * 7919) % 97) % 6));
      const found = levels(depths.map((depth) => `${'#'.repeat(depth)} x`).join('\n\n'));
      expect(found).toHaveLength(8);
      found.reduce<number>((before, level) => {
        expect(level).toBeLessThanOrEqual(before + 1);
        return level;
      }, 2);
    }
  });
});
