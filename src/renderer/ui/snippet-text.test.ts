import { describe, expect, it } from 'vitest';
import { splitSnippet } from './snippet-text';

describe('search snippets', () => {
  it('mark the matched words and nothing else', () => {
    expect(splitSnippet('a \u0001big\u0002 and \u0001small\u0002')).toEqual([
      { text: 'a ', match: false },
      { text: 'big', match: true },
      { text: ' and ', match: false },
      { text: 'small', match: true },
    ]);
  });

  it('show text with broken marks as text', () => {
    expect(splitSnippet('a\u0002b\u0001c')).toEqual([
      { text: 'ab', match: false },
      { text: 'c', match: false },
    ]);
  });
});
