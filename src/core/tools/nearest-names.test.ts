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
    // Only two neighbours that change places are one step, and it costs as much as any other.
    ['abcd', ['b_cd', 'zbcd'], ['zbcd', 'b_cd']],
    ['abcd', ['xacd', 'zbcd'], ['zbcd', 'xacd']],
    ['abcd', ['bacd', 'abcd'], ['abcd', 'bacd']],
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
    const name = `${long}${'z'.repeat(99)}`;
    expect(nearestNames(`${long}${'y'.repeat(99)}`, [name])).toEqual([name]);
  });
});

it('a suggestion names them, and is absent without any', () => {
  expect(didYouMean('raed', ['read', 'reap', 'write'])).toBe('Did you mean read, reap?');
  expect(didYouMean('write', ['list'])).toBeUndefined();
});
