import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkCode } from './code-chunks';
import { slicesOf } from './markdown-plain';

const code = fc
  .array(fc.constantFrom('', 'function a() {', '  body();', '}', '\tx', 'y'.repeat(900)), { maxLength: 200 })
  .map((lines) => lines.join('\n'));

describe('chunkCode', () => {
  it('loses nothing', () => {
    fc.assert(
      fc.property(code, (text) => {
        expect(
          chunkCode(text, false)
            .map((chunk) => chunk.text)
            .join('\n'),
        ).toBe(text);
      }),
    );
  });

  it('keeps every finished chunk as the text grows', () => {
    fc.assert(
      fc.property(code, fc.nat(), (text, cut) => {
        const before = chunkCode(text.slice(0, text.length === 0 ? 0 : cut % text.length), true).slice(0, -1);
        expect(chunkCode(text, true).slice(0, before.length)).toEqual(before);
      }),
    );
  });

  it('limits the size of a chunk, and lets only the last one grow', () => {
    const chunks = chunkCode('let a = 1;\n'.repeat(1_000), true);
    expect(Math.max(...chunks.map((chunk) => chunk.text.length))).toBeLessThanOrEqual(4_000);
    expect(chunks.filter((chunk) => chunk.growing)).toEqual([chunks.at(-1)]);
  });
});

describe('slicesOf', () => {
  it('cuts any text into slices of limited size and loses nothing', () => {
    fc.assert(
      fc.property(code, (text) => {
        const slices = slicesOf(text);
        expect(slices.join('')).toBe(text);
        expect(Math.max(0, ...slices.map((slice) => slice.length))).toBeLessThanOrEqual(2_000);
      }),
    );
  });
});
