import { describe, expect, it } from 'vitest';
import { rewritten, valuesIn } from './code-values';

/** The values of a script as `source text` or `key=source text`. */
const values = (code: string) =>
  valuesIn(code).values.map(
    ({ start, end, key }) => (key === undefined ? '' : `${key}=`) + code.slice(start, end),
  );

describe('the parts of a script that a parameter can replace', () => {
  it.each([
    ["return 'a' + 2;", ["'a'", '2']],
    ['return [true, null, /x/, 3n, `t`];', []],
    ["f({ path: 'src', 'quoted': 'b', [1]: 2, max: -3 });", ["path='src'", "'b'", '2', '3']],
    ["f({ path: ['src', { depth: 1 }] });", ["'src'", 'depth=1']],
    ["'use strict'; 'x';", []],
    ["params['a']; list[0]; list.x;", []],
    ['if (n > 10) await f(await g(1));', ['10', '1']],
    ['return {', []],
  ])('are the literals of %s', (code, found) => {
    expect(values(code)).toEqual(found);
  });

  it('have their value, and their place in the source', () => {
    expect(valuesIn("return 'a\\n';").values).toEqual([{ start: 7, end: 12, value: 'a\n' }]);
    expect(valuesIn('return { n: 0x10 };').values).toEqual([{ start: 12, end: 16, value: 16, key: 'n' }]);
  });

  it.each([
    ['return params.path + params.max;', ['path', 'max']],
    ["return params['path'] + params[path] + inputs.path + params;", []],
    ['return other.params.path;', []],
    ['return params.path.length;', ['path']],
    ['return {', []],
  ])('are the reads of params in %s', (code, names) => {
    expect(valuesIn(code).reads.map(({ name }) => name)).toEqual(names);
    for (const { start, end, name } of valuesIn(code).reads)
      expect(code.slice(start, end)).toBe(`params.${name}`);
  });

  it('are replaced all at once, in whatever order they are given', () => {
    const changes = [
      { start: 0, end: 1, by: 'first' },
      { start: 4, end: 5, by: '' },
      { start: 2, end: 3, by: 'middle' },
    ];
    expect(rewritten('a b c', changes)).toBe('first middle ');
    expect(rewritten('a b c', [])).toBe('a b c');
    expect(changes.map(({ start }) => start)).toEqual([0, 4, 2]);
  });
});
