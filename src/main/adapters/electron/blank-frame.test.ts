import { describe, expect, it } from 'vitest';
import { isBlankFrame } from './blank-frame';

type Colour = readonly [blue: number, green: number, red: number, alpha: number];
const grey = (shade: number): Colour => [shade, shade, shade, 255];
const paper = grey(250);

/** A 40 by 20 pixel bitmap in the window's format: four bytes per pixel. */
const picture = (colourAt: (x: number, y: number) => Colour): Buffer =>
  Buffer.from(
    Array.from({ length: 800 }, (_, at) => colourAt(at % 40, Math.floor(at / 40))).flatMap((colour) => [
      ...colour,
    ]),
  );

/** Letter strokes on a plain background, anti-aliased in this many shades. */
const text = (shades: number) =>
  picture((x, y) => (y % 6 === 0 || x % 3 === 0 ? paper : grey(20 + ((x + y) % shades) * 12)));

describe('a picture of a window', () => {
  it('of one colour, or of areas and lines without text, is blank', () => {
    expect(isBlankFrame(picture(() => paper))).toBe(true);
    expect(isBlankFrame(picture((x) => (x < 10 ? grey(240) : paper)))).toBe(true);
    expect(
      isBlankFrame(picture((x, y) => grey(200 + (y === 3 || x === 10 ? 1 : 0) + (x < 10 ? 2 : 0)))),
    ).toBe(true);
    expect(isBlankFrame(text(10))).toBe(true);
  });

  it('with text is not blank, wherever the text is', () => {
    expect(isBlankFrame(text(11))).toBe(false);
    expect(isBlankFrame(picture((x, y) => (y === 19 && x > 20 ? grey(x) : paper)))).toBe(false);
  });

  it('distinguishes two colours by each channel', () => {
    const tints = (part: number) =>
      picture(
        (x) => [10, 10, 10, 255].map((value, at) => (at === part ? x * 6 : value)) as unknown as Colour,
      );
    for (const part of [0, 1, 2, 3]) expect(isBlankFrame(tints(part))).toBe(false);
  });

  it('that is missing counts for nothing, and a partial pixel at its end does not count', () => {
    expect(isBlankFrame(Buffer.alloc(0))).toBe(false);
    expect(isBlankFrame(Buffer.from([1, 2, 3]))).toBe(false);
    expect(isBlankFrame(Buffer.concat([picture(() => paper), Buffer.from([1, 2])]))).toBe(true);
  });
});
