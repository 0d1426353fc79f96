import { describe, expect, it } from 'vitest';
import { brokenConstraint, patternApplies, patternNames } from './tool-pattern';

const box = 'mcp://box.put';

describe('a pattern names a tool', () => {
  it.each([
    [box, box, true],
    ['mcp://box.puts', box, false],
    ['mcp://box.pu', box, false],
    ['*', box, true],
    ['mcp://box.*', box, true],
    ['mcp://box.*', 'mcp://boxes.put', false],
    ['*.put', box, true],
    ['*.put', 'mcp://box.put_all', false],
    ['mcp://*.p*t', box, true],
    ['mcp://*o*.*t', box, true],
    ['mcp://*z*.put', box, false],
    // The pieces stand in this order and do not share characters.
    ['a*bc*cd', 'abcd', false],
    ['a*bc*cd', 'abccd', true],
    ['aa*aa', 'aaa', false],
    ['aa*aa', 'aaaa', true],
    ['a*b*c*d', 'axcxbxd', false],
    ['a**d', 'ad', true],
    ['*ab*ab*', 'xabx', false],
    // Arguments do not matter to the name.
    [`${box}?kind=a`, box, true],
    ['mcp://box.*?kind=a', box, true],
    ['mcp://box.put.', box, false],
  ])('%s names %s: %s', (pattern, tool, names) => {
    expect(patternNames(pattern, tool)).toBe(names);
  });
});

describe('an allow line with arguments', () => {
  it.each([
    [box, { any: 1 }, undefined],
    [`${box}?kind=a`, { kind: 'a' }, undefined],
    [`${box}?kind=a`, { kind: 'b' }, 'kind'],
    [`${box}?kind=a`, {}, 'kind'],
    [`${box}?kind=a`, null, 'kind'],
    [`${box}?0=a`, ['a'], '0'],
    [`${box}?length=1`, 'a', 'length'],
    [`${box}?kind=a,b`, { kind: ['a', 'b'] }, undefined],
    [`${box}?kind=a,b`, { kind: ['a', 'c'] }, 'kind'],
    [`${box}?kind=a,b`, { kind: { a: 1, b: 2 } }, undefined],
    [`${box}?kind=a,b`, { kind: { a: 1, c: 2 } }, 'kind'],
    [`${box}?n=1,true,null`, { n: 1 }, undefined],
    [`${box}?n=1,true,null`, { n: [true, null] }, undefined],
    [`${box}?n=1`, { n: 2 }, 'n'],
    [`${box}?n=null`, { n: null }, undefined],
    [`${box}?0=a`, 'a', '0'],
    [`${box}?kind=a%2Cb`, { kind: 'a,b' }, undefined],
    [`${box}?kind=a%2Cb`, { kind: 'a' }, 'kind'],
    [`${box}?a%20b=x`, { 'a b': 'x' }, undefined],
    // A broken escape is taken as it is written.
    [`${box}?kind=%zz`, { kind: '%zz' }, undefined],
    [`${box}?kind=a&size=s`, { kind: 'a', size: 'm' }, 'size'],
    [`${box}?kind=a&size=s`, { kind: 'b', size: 'm' }, 'kind'],
    // An argument without values allows none.
    [`${box}?kind`, { kind: 'a' }, 'kind'],
    [`${box}?kind=a=b`, { kind: 'a=b' }, undefined],
    [`${box}?toString=a`, {}, 'toString'],
  ])('%s with %j is violated at %s', (pattern, args, broken) => {
    expect(brokenConstraint(pattern, args)).toBe(broken);
  });
});

describe('a deny line', () => {
  it.each([
    ['mcp://bag.put', {}, false],
    [box, {}, true],
    [`${box}?kind=a`, {}, false],
    [`${box}?kind=a`, { kind: 'a' }, true],
    [`${box}?kind=a`, { kind: 'b' }, false],
    // A listed value applies among others, at any depth, and between commas.
    [`${box}?kind=a`, { kind: ['b', 'a'] }, true],
    [`${box}?kind=a`, { kind: 'b, a' }, true],
    [`${box}?kind=a`, { kind: 'b,c' }, false],
    [`${box}?kind=a`, { kind: [{ deep: [{ x: 'a' }] }] }, true],
    [`${box}?kind=a`, { kind: { a: 0 } }, true],
    [`${box}?n=1`, { n: [2, 1] }, true],
    [`${box}?n=null`, { n: null }, true],
    [`${box}?n=0`, { n: ['x'] }, false],
    [`${box}?kind=a&size=s`, { kind: 'a', size: 's' }, true],
    [`${box}?kind=a&size=s`, { kind: 'a', size: 'm' }, false],
    ['mcp://bag.put?kind=a', { kind: 'a' }, false],
  ])('%s applies to %j: %s', (pattern, args, applies) => {
    expect(patternApplies(pattern, box, args)).toBe(applies);
  });
});
