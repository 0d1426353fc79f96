import { describe, expect, it } from 'vitest';
import { compareLines, maxEdits, wholeTexts } from './line-diff';

const numbered = (word: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');

describe('the lines of two texts that differ', () => {
  it('have their place and the equal lines around them', () => {
    const [before, after] = ['a\nb\nc\nd\ne\n', 'a\nb\nC\nd\ne\n'];
    expect(compareLines(before, after, { context: 1 })).toEqual([
      {
        oldStart: 2,
        newStart: 2,
        lines: [
          { kind: 'same', text: 'b' },
          { kind: 'removed', text: 'c' },
          { kind: 'added', text: 'C' },
          { kind: 'same', text: 'd' },
        ],
      },
    ]);
    expect(compareLines('a\n', 'a\n')).toEqual([]);
  });

  it('keep signs that are part of a line, and leave out notes about its end', () => {
    expect(compareLines('- a', '+ a\n')?.[0]?.lines).toEqual([
      { kind: 'removed', text: '- a' },
      { kind: 'added', text: '+ a' },
    ]);
  });

  it('are not looked for above the limit', () => {
    const half = maxEdits / 2;
    expect(compareLines(numbered('a', half), numbered('b', half))).toHaveLength(1);
    expect(compareLines(numbered('a', half), numbered('b', half + 1))).toBeUndefined();
    expect(compareLines('a\n', 'b\n', { limit: 1 })).toBeUndefined();
  });
});

it('two texts as a whole are all lines of the old one, then all of the new one', () => {
  expect(wholeTexts('a\nb\n', 'c').lines).toEqual([
    { kind: 'removed', text: 'a' },
    { kind: 'removed', text: 'b' },
    { kind: 'added', text: 'c' },
  ]);
  expect(wholeTexts('', '\n').lines).toEqual([{ kind: 'added', text: '' }]);
});
