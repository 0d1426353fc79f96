import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter } from './line-splitter';

function split(chunks: readonly Uint8Array[], maxBytes = 1_000): { lines: string[]; overflows: number } {
  const lines: string[] = [];
  let overflows = 0;
  const push = createLineSplitter(
    maxBytes,
    (line) => lines.push(line),
    () => {
      overflows += 1;
    },
  );
  for (const chunk of chunks) push(chunk);
  return { lines, overflows };
}

describe('the line splitter', () => {
  it('returns the same lines however the bytes are split, even within characters', () => {
    const anyText = fc
      .array(fc.constantFrom('a', 'é', '💚', '\n', '\r\n', '{"x":1}', '\u2028'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(anyText, fc.array(fc.integer({ min: 1, max: 7 })), (text, sizes) => {
        const bytes = Buffer.from(`${text}\n`);
        const chunks: Uint8Array[] = [];
        for (let from = 0, turn = 0; from < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? bytes.length;
          chunks.push(bytes.subarray(from, from + size));
          from += size;
        }
        const expected = `${text}\n`
          .split('\n')
          .slice(0, -1)
          .map((line) => line.replace(/\r$/, ''));
        expect(split(chunks)).toEqual({ lines: expected, overflows: 0 });
      }),
    );
  });

  it('accepts a line of exactly the limit, and stops permanently at one byte more', () => {
    expect(split([Buffer.from('12345\n')], 5)).toEqual({ lines: ['12345'], overflows: 0 });
    const over = [Buffer.from('ok\n123'), Buffer.from('456'), Buffer.from('\nlate\n')];
    expect(split(over, 5)).toEqual({ lines: ['ok'], overflows: 1 });
  });
});
