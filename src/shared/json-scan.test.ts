import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatedKeys, repeatedName } from './json-scan';

describe('repeatedName', () => {
  it.each([
    ['{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}', null],
    ['{"a":1,"b":2,"a":3}', 'a'],
    ['{"x":[{"deep":{"b":1 , "b" :2}}]}', 'b'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a":"a","b":"\\"a\\":","c":["a","a"]}', null],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['["a","a"]', null],
    ['"a"', null],
  ])('%s: %s', (text, name) => {
    expect(repeatedName(text)).toBe(name);
  });

  it('finds nothing in the output of a program', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(repeatedName(JSON.stringify(value, null, 1))).toBeNull();
      }),
    );
  });

  it('returns the path of each', () => {
    const text = '{"a":[{"b":1,"b":2}],"c":{"d":{},"d":{"e":1,"e":2}},"a":3}';
    expect([...repeatedKeys(text)]).toEqual([['a', '', 'b'], ['c', 'd'], ['c', 'd', 'e'], ['a']]);
  });
});
