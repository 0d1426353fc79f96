import { describe, expect, it } from 'vitest';
import { matchPattern, parsePattern, slotNames, utteranceTokens } from './intent-pattern';

/** The slots of each match of a line, most literal first. */
const matches = (pattern: string, line: string) =>
  matchPattern(parsePattern(pattern), utteranceTokens(line) ?? []).map(({ slots }) =>
    Object.fromEntries(slots),
  );

describe('a pattern', () => {
  it('consists of words, slots, and alternatives, which may be nested', () => {
    expect(parsePattern('Find [all] (big|large {kind}) {path}')).toEqual([
      { type: 'word', word: 'find' },
      { type: 'choice', options: [[{ type: 'word', word: 'all' }], []] },
      {
        type: 'choice',
        options: [
          [{ type: 'word', word: 'big' }],
          [
            { type: 'word', word: 'large' },
            { type: 'slot', name: 'kind' },
          ],
        ],
      },
      { type: 'slot', name: 'path' },
    ]);
    expect(slotNames(parsePattern('find (a {x}|[b {y}]) c {z}'))).toEqual(['x', 'y', 'z']);
  });

  it.each([
    ['find [all', '"]" is missing'],
    ['find (all', '")" is missing'],
    ['find all]', '"]" has no matching opening bracket'],
    ['find all)', '")" has no matching opening bracket'],
    ['find (all]', '"]" has no matching opening bracket'],
    ['find | list', '"|" is outside parentheses'],
    ['', 'it has no required word'],
    ['{path}', 'it has no required word'],
    ['[find] {path}', 'it has no required word'],
    ['(find|{path})', 'it has no required word'],
  ])('is a defect of its row when it is %j', (pattern, problem) => {
    expect(() => parsePattern(pattern)).toThrow(problem);
  });

  it('may have its required word in each of its alternatives', () => {
    expect(matches('(find|list) {path}', 'list src')).toEqual([{ path: 'src' }]);
  });
});

describe('a line of the user', () => {
  it.each([
    ['find duplicates', ['find', 'duplicates']],
    ['  find   duplicates  ', ['find', 'duplicates']],
    ['find duplicates?!', ['find', 'duplicates']],
    ['find duplicates...', ['find', 'duplicates']],
    ['find duplicates …', ['find', 'duplicates']],
    ['find duplicates in src/.', ['find', 'duplicates', 'in', 'src/.']],
    ['find duplicates in ..', ['find', 'duplicates', 'in', '..']],
    ['find duplicates in a.b.', ['find', 'duplicates', 'in', 'a.b']],
    ['Please find duplicates', ['find', 'duplicates']],
    ['hey, can you please find duplicates, thanks!', ['find', 'duplicates']],
    ['Hello! I want you to find duplicates please', ['find', 'duplicates']],
    ['i want to find duplicates', ['find', 'duplicates']],
    ['I’d like you to find duplicates thank you.', ['find', 'duplicates']],
    ["i'd like to find duplicates", ['find', 'duplicates']],
    ['id like to find duplicates', ['find', 'duplicates']],
    ["let's find duplicates", ['find', 'duplicates']],
    ['let’s find duplicates', ['find', 'duplicates']],
    ['go ahead and find duplicates', ['find', 'duplicates']],
    ['ok so now find duplicates', ['find', 'duplicates']],
    ['would you find duplicates', ['find', 'duplicates']],
    ['sort the list', ['sort', 'the', 'list']],
    ['find please and hello', ['find', 'please', 'and', 'hello']],
    ['find thanksgiving', ['find', 'thanksgiving']],
    ['find "two words" and `three of them`', ['find', '"two words"', 'and', '`three of them`']],
    ["find 'two words' now", ['find', "'two words'", 'now']],
    ['find "an open quote', ['find', '"an', 'open', 'quote']],
    ['find ""', ['find', '""']],
    ['fi\u006e\u0303d', ['fi\u00f1d']],
  ])('is read without polite words and final marks: %s', (line, tokens) => {
    expect(utteranceTokens(line)).toEqual(tokens);
  });

  it.each([
    ['', null],
    ['   ', null],
    ['one\ntwo', null],
    ['one\rtwo', null],
    ['?!', null],
    ['x'.repeat(513), null],
    ['x'.repeat(512), ['x'.repeat(512)]],
  ])('is read only as one line of at most 512 characters: %j', (line, tokens) => {
    expect(utteranceTokens(line)).toEqual(tokens);
  });
});

describe('a line that matches a pattern', () => {
  it.each([
    ['find [all] files in {path}', 'Find all files in src', [{ path: 'src' }]],
    ['find [all] files in {path}', 'find FILES in "my docs"', [{ path: '"my docs"' }]],
    ['find files, {kind}', 'find files, txt', []],
    ['find files {kind}', 'find files, txt', [{ kind: 'txt' }]],
    ['find files {kind}', 'find ,files txt', []],
    ['find {kind} {path}', 'find txt src', [{ kind: 'txt', path: 'src' }]],
    ['find {path}', 'find', []],
    ['find {path}', 'find src now', []],
    ['find src', 'find', []],
    ['find src', 'list src', []],
  ])('%s: %s', (pattern, line, found) => {
    expect(matches(pattern, line)).toEqual(found);
  });

  it('is matched by its words before it is matched by a slot', () => {
    const pieces = parsePattern('find [{kind}] [all] [{path}]');
    const found = matchPattern(pieces, ['Find', 'ALL']);
    expect(found.map(({ words }) => words)).toEqual([['find', 'all'], ['find'], ['find']]);
    expect(found.map(({ slots }) => Object.fromEntries(slots))).toEqual([
      {},
      { kind: 'ALL' },
      { path: 'ALL' },
    ]);
  });

  it('has at most 64 readings, whatever its pattern', () => {
    const optional = '[{a}] '.repeat(10);
    expect(matches(`${optional} find`, 'x find').length).toBeGreaterThan(0);
    expect(matches(`find ${'[{a}] '.repeat(40)}`, `find ${'x '.repeat(20)}`).length).toBeLessThanOrEqual(64);
  });
});
