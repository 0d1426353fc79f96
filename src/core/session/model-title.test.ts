import { describe, expect, it } from 'vitest';
import { cleanTitle } from './model-title';

const conversation = 'Can you compare the copper mines of Chile with those of Peru? Chile has more copper.';

describe('[LOCAL-title] the title that a model wrote', () => {
  it.each([
    ['**Title: "Copper mines"**', 'Copper mines'],
    ["'Copper in Peru'", 'Copper in Peru'],
    ["Chile's copper\nand more", "Chile's copper and more"],
    ['Comparing \u202Emines\u0000', 'Comparing mines'],
    [
      'Copper mines of Chile and of Peru, compared by their size and their age',
      'Copper mines of Chile and of Peru, compared by their size…',
    ],
  ])('is one short line: %j', (written, title) => {
    expect(cleanTitle(written, conversation)).toBe(title);
  });

  it('is in the language of the conversation', () => {
    expect(cleanTitle('銅鉱山の比較', 'チリとペルーの銅鉱山を比較してください。')).toBe('銅鉱山の比較');
  });

  it.each(['', ' "" ', '…', '1 2 3', 'zzz qqq', 'copper copper copper', '\uFFFD\uFFFD'])(
    'is none: %j',
    (written) => {
      expect(cleanTitle(written, conversation)).toBeNull();
    },
  );
});
