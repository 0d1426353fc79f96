import { describe, expect, it } from 'vitest';
import { didYouMean, nearestNames } from './nearest-names';

describe('the nearest names', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['read', ['read'], ['read']],
    // One letter is missing, added, replaced, or swapped with its neighbour.
    ['raed', ['read'], ['read']],
    ['abcd', ['badc'], ['badc']],
    ['rea', ['read'], ['read']],
    ['reads', ['read'], ['read']],
    ['rexd', ['read'], ['read']],
    ['READ', ['read'], ['read']],
    ['read', ['READ'], ['READ']],
    ['', ['ab', 'abc'], ['ab']],
    ['abcd', ['wxyz'], []],
    ['abcd', ['abwx', 'awxd', 'wxyd'], ['abwx', 'awxd']],
    // Letters that are not neighbours are no swap: both are replaced.
    ['abcde', ['cbaxx'], []],
    // Names up to 11 characters may differ in two, one of 12 in three.
    ['abcdefghijk', ['abcdefghxyz'], []],
    ['abcdefghijkl', ['abcdefghixyz'], ['abcdefghixyz']],
    ['abcdefghijkl', ['abcdefghwxyz'], []],
    ['read', [], []],
  ])('to %j among %j are %j', (wanted, names, expected) => {
    expect(nearestNames(wanted, names)).toEqual(expected);
  });

  it('are at most three, the nearest first and equally near ones in code-unit order', () => {
    const names = ['readx', 'reax', 'reab', 'read', 'reaxx'];
    expect(nearestNames('read', names)).toEqual(['read', 'reab', 'readx']);
    expect(nearestNames('read', names.toReversed())).toEqual(['read', 'reab', 'readx']);
  });

  it('are compared in their first 128 characters', () => {
    const long = 'x'.repeat(128);
    expect(nearestNames(`${long}${'y'.repeat(99)}`, [`${long}z`])).toEqual([`${long}z`]);
  });
});

it('a suggestion names them, and is absent without any', () => {
  expect(didYouMean('raed', ['read', 'reap', 'write'])).toBe('Did you mean read, reap?');
  expect(didYouMean('write', ['list'])).toBeUndefined();
});
