import { describe, expect, it } from 'vitest';
import { planOf, scriptNode } from '../../testing/agent-plans';
import { asWritten, candidatesOf, unquoted, valuesOfGoal, withParams } from './recipe-values';

const stepOf = (code: string, params: object = {}) => planOf([scriptNode('a', code, { params })], 'Done.');

describe('[REC-params] the values that a goal names', () => {
  it('are its words, names, numbers and paths, as the host writes them too', () => {
    expect([...valuesOfGoal('Count TODO in ./src/, "my docs" and 3 of 4.5')]).toEqual(
      expect.arrayContaining([
        ['TODO', 'name'],
        ['in', 'word'],
        ['./src/', 'path'],
        ['src', 'path'],
        ['my docs', 'name'],
        ['and', 'word'],
        [3, 'name'],
        [4.5, 'name'],
      ]) as unknown,
    );
    expect(valuesOfGoal('x\ny').size).toBe(0);
  });

  it.each([
    ['./docs', 'docs'],
    ['docs/', 'docs'],
    ['./', '.'],
    ['/', '/'],
    ['a/./b', 'a/./b'],
    ['a/b/c', 'a/b/c'],
  ])('%j is written %j', (word, path) => {
    expect(asWritten(word)).toBe(path);
  });

  it.each([
    ['"a b"', 'a b'],
    ["'a'", 'a'],
    ['`a`', 'a'],
    ['"a\'', '"a\''],
    ['a"b"', 'a"b"'],
    ['"a"b', '"a"b'],
  ])('%j without quotes is %j', (token, text) => {
    expect(unquoted(token)).toBe(text);
  });
});

describe('[REC-params] the values of a plan that can become parameters', () => {
  const namesOf = (code: string, goal: string, params: object = {}) =>
    candidatesOf(stepOf(code, params), valuesOfGoal(goal)).map(({ name, value, type, chosen }) => [
      ...[name, value, type, chosen],
    ]);

  it('have the names of their properties, each its own, and those of the goal come first', () => {
    expect(namesOf("f({ n: 1, path: 'b' }); g({ n: 2, path: 'a/b' });", 'Do 2')).toEqual([
      ['n', 2, 'number', true],
      ['n_2', 1, 'number', false],
      ['path', 'b', 'string', false],
      ['path_2', 'a/b', 'path', false],
    ]);
    expect(namesOf("f({ $a: 'x', $b: 'y' });", 'Do it')).toEqual([
      ['value', 'x', 'string', false],
      ['value_2', 'y', 'string', false],
    ]);
  });

  it('are each offered once, and neither empty nor longer than 200 characters', () => {
    const long = 'x'.repeat(201);
    expect(namesOf(`f({ a: '', b: '${long}', c: '${long.slice(1)}', d: 'y', e: 'y' });`, 'Go')).toEqual([
      ['c', long.slice(1), 'string', false],
      ['d', 'y', 'string', false],
    ]);
    expect(namesOf('f();', 'Go', { a: '', b: [1], c: true, d: 5 })).toEqual([['d', 5, 'number', false]]);
  });

  it('are neither a word of every sentence, nor the text of the result, nor a loose text', () => {
    expect(namesOf("f({ by: 'folder' });", 'Count by folder')).toEqual([]);
    expect(namesOf("f({ by: 'Folder' });", 'Count by Folder')).toEqual([['by', 'Folder', 'string', true]]);
    expect(namesOf("return { summary: 'x' };", 'Go')).toEqual([]);
    expect(namesOf("return { summary: 'Rome' };", 'Go to Rome')).toEqual([
      ['summary', 'Rome', 'string', true],
    ]);
    expect(namesOf("f('Rome');", 'Go to Rome')).toEqual([]);
    expect(namesOf("f('./src');", 'Go to ./src')).toEqual([['value', './src', 'path', true]]);
  });

  it('are at most 40 besides those of the goal', () => {
    const members = Array.from({ length: 45 }, (_, at) => `m${at}: ${at + 100}`).join(', ');
    expect(namesOf(`f({ ${members} });`, 'Use 144')).toHaveLength(41);
  });
});

describe('[REC-params] a step that reads its parameters', () => {
  it('has them in its code instead of the values, and keeps its other own ones', () => {
    const [node] = stepOf("f({ n: 3, m: 4 }, params.where, params.limit, './src');", {
      where: './src',
      limit: 5,
    }).nodes;
    const names = new Map<string | number, string>([
      [3, 'count'],
      ['./src', 'folder'],
    ]);
    const step = node && withParams(node, valuesOfGoal('Do 3 in ./src'), names);
    expect(step).toMatchObject({
      code: 'f({ n: params.count, m: 4 }, params.folder, params.limit, params.folder);',
      params: { limit: 5 },
    });
  });

  it('loses the parameters that it had where it has no code', () => {
    const [node] = planOf([
      { id: 'a', title: 'a', kind: 'llm', prompt: 'x', params: { k: 'v', l: 1 } },
    ]).nodes;
    const step = node && withParams(node, valuesOfGoal('Do v'), new Map([['v', 'kind']]));
    expect(step?.params).toEqual({ l: 1 });
    expect(step).not.toHaveProperty('code');
  });
});
