import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBlockSplitter, type Blocks } from './blocks';
import { lexBlocks } from './parse';

/** Lines that interact badly: every block form, complete and cut short. */
const lines = [
  'words',
  'more words',
  '',
  '',
  '# head',
  '#',
  '---',
  '===',
  '- item',
  '-',
  '  - inner',
  '    deep',
  '1. one',
  '2) two',
  '> quote',
  '>',
  '```ts',
  '```',
  '~~~',
  '| a | b |',
  '|---|---|',
  '|---|',
  '| 1 | 2 |',
  '$$',
  '\\[',
  '\\]',
  'x^2 $$',
  '$$y$$',
  '[ref]: https://a.example',
  '[ref]: <https://b.example> "t"',
  'see [ref]',
  '<details>',
  '<details open><summary>**more**</summary>',
  '</details>',
  '<div>',
  '</div>',
  '<!-- c',
  '-->',
  '<script>',
  '</script>',
  '- [ ] task',
  '***',
  '\ttabbed',
  '   ',
  'a\\',
  '**bold',
  '&amp;',
  '[x]',
  '* * *',
  '+ plus',
];

const text = fc.array(fc.constantFrom(...lines), { maxLength: 14 }).map((parts) => parts.join('\n'));

function shapeOf({ blocks, targets }: Blocks) {
  return { blocks: blocks.map(({ token }) => ({ type: token.type, raw: token.raw.trimEnd() })), targets };
}

function inPieces(source: string, lengths: readonly number[]): Blocks {
  const splitter = createBlockSplitter();
  let at = 0;
  for (let index = 0; at < source.length; index += 1) {
    at += lengths[index % lengths.length] ?? 1;
    splitter.update(source.slice(0, at), true);
  }
  return splitter.update(source, false);
}

describe('createBlockSplitter', () => {
  it('returns the same blocks for a text character by character as for the whole [H62]', () => {
    fc.assert(
      fc.property(text, (source) => {
        expect(shapeOf(inPieces(source, [1]))).toEqual(shapeOf(createBlockSplitter().update(source, false)));
      }),
      { numRuns: 300 },
    );
  });

  it('returns the same blocks for any split as one parse', () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(text, pieces, (source, lengths) => {
        const whole = lexBlocks(source).filter((token) => token.type !== 'space' && token.type !== 'def');
        expect(shapeOf(inPieces(source, lengths)).blocks).toEqual(
          whole.map((token) => ({ type: token.type, raw: token.raw.trimEnd() })),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('never parses a finished block again', () => {
    const splitter = createBlockSplitter();
    const first = splitter.update('one\n\ntwo\n\nthree\n', true);
    const later = splitter.update('one\n\ntwo\n\nthree\nand more\n\nfour', true);
    expect(later.blocks[0]).toBe(first.blocks[0]);
    expect(later.blocks[1]).toBe(first.blocks[1]);
    expect(later.blocks).toHaveLength(4);
  });

  it('holds back a last line of marks until its meaning is known', () => {
    const splitter = createBlockSplitter();
    expect(splitter.update('words\n-', true).blocks).toHaveLength(1);
    expect(splitter.update('words\n-', true).blocks[0]?.token.type).toBe('paragraph');
    expect(splitter.update('words\n- item', true).blocks[1]?.token.type).toBe('list');
  });

  it('starts over with another text', () => {
    const splitter = createBlockSplitter();
    splitter.update('# one\n\ntwo\n\nthree', true);
    expect(shapeOf(splitter.update('other', false)).blocks).toEqual([{ type: 'paragraph', raw: 'other' }]);
  });
});
