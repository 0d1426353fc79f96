import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createContentIndex } from './content-index';

const shares = (content: unknown, args: unknown): boolean => {
  const index = createContentIndex();
  index.add(content as never);
  return index.sharesWith(args as never);
};

describe('the content that one server returned', () => {
  const letters = 'The quick brown fox jumps over the lazy dog near the river bank at noon';

  it('[FLOW-shared] is found in arguments that repeat 24 characters of it, at any position', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: letters.length - 24 }),
        fc.string({ maxLength: 30 }),
        fc.string({ maxLength: 30 }),
        (at, before, after) => {
          const part = letters.slice(at, at + 24);
          expect(shares({ text: letters }, { body: [`${before}${part}${after}`] })).toBe(true);
        },
      ),
    );
  });

  it('[FLOW-shared] is not found where only 23 characters are repeated', () => {
    const inner = letters.slice(10, 33);
    expect(shares(letters, `#${inner}#`)).toBe(false);
    expect(shares(letters, `#${letters.slice(10, 34)}#`)).toBe(true);
  });

  it.each([
    ['a value', { id: 'W7701' }, { order: 'W7701' }],
    ['a value inside a longer text', { key: 'hunter2' }, { message: 'x+hunter2\n' }],
    ['the value of a line', 'KEY=hunter2\nMODE=fast\n', { message: 'hunter2' }],
    ['a number', [{ total: 48213 }], { amount: 48213 }],
    ['the name of a member', { 'ada@example.org': 1 }, { to: 'ada@example.org' }],
    ['a value as the name of a member', { who: 'ada@example.org' }, { 'ada@example.org': true }],
  ])('[FLOW-shared] is found when the arguments contain %s of it', (_what, content, args) => {
    expect(shares(content, args)).toBe(true);
  });

  it.each([
    ['short values', { ok: true, n: 42, tag: 'new' }, { n: 42, tag: 'new' }],
    ['another text', { text: letters }, { query: 'state of the build' }],
    ['nothing', [], { query: 'anything' }],
  ])('[FLOW-shared] is not found in %s', (_what, content, args) => {
    expect(shares(content, args)).toBe(false);
  });

  it('[FLOW-shared] counts as found when there is too much of it to compare', () => {
    expect(shares(Array(50).fill('x'.repeat(100_000)), { query: 'anything' })).toBe(true);
  });
});

describe('where two texts begin or end alike', () => {
  it.each([
    ['begin', 'The quick brown fox: jumps over it all', 'The quick brown fox; sleeps under it'],
    ['end', 'it jumps over all the quick brown foxes', 'and sleeps under every quick brown foxes'],
    ['are cut', 'The quick brown fox jumps', 'The quick brown fox jum'],
  ])('[FLOW-shared] fewer than 24 characters say nothing: they %s alike', (_how, content, args) => {
    expect(shares(content, args)).toBe(false);
  });

  it('[FLOW-shared] the last 24 characters of a text are found', () => {
    const text = 'The quick brown fox jumps';
    expect(text).toHaveLength(25);
    expect(shares(text, text.slice(1))).toBe(true);
  });

  it('[FLOW-shared] each of several texts with the same beginning is found', () => {
    const begin = 'The quick brown';
    const texts = [`${begin} fox jumps over`, `${begin} dog sleeps now`];
    for (const text of texts) expect(shares(texts, text.slice(0, 24))).toBe(true);
  });
});

describe('the short values of a content', () => {
  it.each([
    ['of four characters', 'ab1d', 'to ab1d'],
    ['in a line with spaces', 'first\n  hunter2  \nlast', 'hunter2'],
    ['after a name and spaces', 'first\nKEY = hunter2\n', 'xhunter2'],
    ['after a colon', 'first\nkey: hunter2', 'hunter2'],
    ['of several lines', '\nab\ncd\n', 'x ab\ncd y'],
    ['that begin like another', ['abcd1', 'abcd2'], 'is abcd1'],
    ['beside nothing', [null, true, 'hunter2'], 'hunter2'],
  ])('[FLOW-shared] are found: %s', (_what, content, args) => {
    expect(shares(content, { args })).toBe(true);
  });

  it('[FLOW-shared] are not found in nothing', () => {
    expect(shares('hunter2', { a: null, b: false, c: [] })).toBe(false);
  });
});

describe('the value of an argument', () => {
  const gives = (content: unknown, argument: unknown): boolean => {
    const index = createContentIndex();
    index.add(content as never);
    return index.givesValueOf(argument as never);
  };
  const text = 'The quick brown fox jumps over the lazy dog';

  it.each<[string, unknown, unknown, boolean]>([
    ['a whole short value', 'hunter2', 'hunter2', true],
    ['a value with spaces around it', 'hunter2', '  hunter2\n', true],
    ['a part of a short value', 'hunter22', 'hunter2', false],
    ['a text around a short value', 'hunter2', 'x hunter2', false],
    ['a value too short to say anything', 'new', 'new', false],
    ['a later value of a list', 'hunter2', ['other', 'hunter2'], true],
    ['a value deep inside', 'hunter2', [{ a: [{ b: 'hunter2' }] }], true],
    ['the name of a member', 'hunter2', [{ hunter2: 1 }], false],
    ['24 characters of a text', text, text.slice(1, 25), true],
    ['23 characters of a text', text, text.slice(1, 24), false],
    ['nothing', 'hunter2', [null, true, {}], false],
  ])('[APR-sources] that is %s', (_what, content, argument, expected) => {
    expect(gives(content, argument)).toBe(expected);
  });

  it('[APR-sources] is looked for in its first 20,000 characters', () => {
    expect(gives(text, `${'-'.repeat(19_000)}${text}`)).toBe(true);
    expect(gives(text, `${'-'.repeat(19_990)}${text}`)).toBe(false);
    expect(gives(text, ['-'.repeat(19_999), text])).toBe(false);
  });
});
