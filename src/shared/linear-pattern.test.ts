import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern } from './linear-pattern';

const says = (pattern: string, text: string): boolean | string => {
  const compiled = compilePattern(pattern);
  return compiled.ok ? compiled.value.test(text) : compiled.error;
};

/** Pattern fragments as people and generators write them. */
const atoms = fc.constantFrom(
  ...[
    'a',
    'b',
    'é',
    '😀',
    '.',
    '\\d',
    '\\D',
    '\\w',
    '\\W',
    '\\s',
    '\\S',
    '[a-c]',
    '[^a-c]',
    '[\\w-]',
    '[\\s.]',
    '\\.',
  ],
  ...[
    '\\-',
    '\\/',
    '\\u0041',
    '\\u{1F600}',
    '\\x41',
    '\\t',
    '\\p{L}',
    '\\P{L}',
    '\\b',
    '^',
    '$',
    '[]',
    '[^]',
    '[a\\]b]',
  ],
);
const quantifiers = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?');
const patterns = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(atoms, quantifiers).map(([atom, often]) => (/^(\^|\$|\\b)$/.test(atom) ? atom : atom + often)),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(${a}|${b})`),
    fc.tuple(tie('pattern'), quantifiers).map(([inner, often]) => `(?:${inner})${often}`),
    fc.tuple(tie('pattern'), quantifiers).map(([inner, often]) => `(?<g>${inner})${often}`),
  ),
})).pattern;
const texts = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    'c',
    'A',
    '1',
    ' ',
    '.',
    '-',
    '\n',
    '\u00a0',
    '\u2028',
    'é',
    '😀',
    '_',
    '/',
    ']',
  ),
  maxLength: 8,
});

describe('patterns of schemas', () => {
  it('[SCH-linear] match as ECMA-262 defines', () => {
    fc.assert(
      fc.property(patterns, texts, (pattern, text) => {
        let expected: boolean;
        try {
          expected = new RegExp(pattern, 'u').test(text);
        } catch {
          return;
        }
        expect(says(pattern, text)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['looks ahead', '(?=a)b'],
    ['looks ahead for none', '(?!a)b'],
    ['looks back', '(?<=a)b'],
    ['looks back for none', '(?<!a)b'],
    ['refers back', '(a)\\1'],
    ['refers back by name', '(?<g>a)\\k<g>'],
    ['expands to a long program', 'a{900}'.repeat(3)],
    ['lists long classes', `[${'ab'.repeat(400)}]{3}`.repeat(3)],
  ])('[SCH-linear] that only a backtracking or a slow engine could run are refused: %s', (_what, pattern) => {
    expect(says(pattern, 'aaab')).toBe('unsupported');
  });
});
