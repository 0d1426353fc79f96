import { expect, it } from 'vitest';
import { withoutComments } from './without-comments';

it.each([
  ['{"a": 1}', { a: 1 }],
  ['{"a": "// no, and /* no */ and ,}"}', { a: '// no, and /* no */ and ,}' }],
  [String.raw`{"a": "\"// no"}`, { a: '"// no' }],
  ['// yes\n{"a": 1, /* yes\n */ "b": [1, 2,],} // yes', { a: 1, b: [1, 2] }],
  ['{"a": [1, // last\n /* really */\n]}', { a: [1] }],
  ['{"a": "http://example.org/x"}', { a: 'http://example.org/x' }],
])('[MCP-import] %j is read without its comments', (text, value) => {
  expect(JSON.parse(withoutComments(text))).toEqual(value);
});

it('keeps every line where it was', () => {
  const text = '{\n// one\n/* two\nthree */ "a": 1,\n}';
  expect(withoutComments(text).split('\n')).toHaveLength(text.split('\n').length);
});

it('takes linear time', () => {
  // A quadratic algorithm would take minutes for these.
  for (const text of [',/*'.repeat(100_000), ', '.repeat(200_000), '"\\'.repeat(100_000)]) {
    expect(withoutComments(text)).toHaveLength(text.length);
  }
});
