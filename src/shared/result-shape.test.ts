import { describe, expect, it } from 'vitest';
import type { Json } from './json';
import { shapeOf } from './result-shape';

/** `levels` objects in each other. */
const nested = (levels: number): Json => (levels === 0 ? 'end' : { in: nested(levels - 1) });

describe('the shape of a value', () => {
  it.each<[string, Json, unknown]>([
    ['a number', 7, 7],
    ['a truth', false, false],
    ['nothing', null, null],
    ['an empty text', '', { type: 'string', bytes: 0 }],
    ['a text, by its bytes', 'aé€😀', { type: 'string', bytes: 10 }],
    ['an empty list', [], { type: 'array', length: 0 }],
    ['an empty object', {}, { type: 'object', keys: {} }],
    [
      'an object',
      { id: 1, name: 'Ada' },
      { type: 'object', keys: { id: 1, name: { type: 'string', bytes: 3 } } },
    ],
  ])('is %s', (_name, value, shape) => {
    expect(shapeOf(value)).toEqual(shape);
  });

  it('never has the text itself', () => {
    const secret = 'the secret text';
    const shape = JSON.stringify(shapeOf({ a: secret, b: [{ c: secret.repeat(100) }], d: { e: secret } }));
    expect(shape).not.toContain(secret);
  });

  it('of a list has its length, its first item and its first three short rows', () => {
    const rows = [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }];
    expect(shapeOf(rows)).toEqual({
      type: 'array',
      length: 4,
      items: { type: 'object', keys: { n: 1 } },
      first: rows.slice(0, 3),
    });
    expect(shapeOf(rows, false)).not.toHaveProperty('first');
  });

  it('has no rows when one of the first three is long; a later one does not count', () => {
    const long = { text: 'x'.repeat(300) };
    const short = { n: 1 };
    expect(shapeOf([short, short, long])).not.toHaveProperty('first');
    expect(shapeOf([short, short, short, long])).toHaveProperty('first', [short, short, short]);
  });

  it('has rows of up to 240 characters', () => {
    expect(shapeOf(['x'.repeat(238)])).toHaveProperty('first');
    expect(shapeOf(['x'.repeat(239)])).not.toHaveProperty('first');
  });

  it('shows no rows of a list in the items of a list', () => {
    const shape = shapeOf([[[1], 'x'.repeat(300)]]);
    expect(shape).toMatchObject({ items: { type: 'array', length: 2 } });
    expect(shape).not.toHaveProperty('items.first');
  });

  it('names 24 keys and counts the rest', () => {
    const object = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
    expect(shapeOf(object(24))).not.toHaveProperty('more');
    const shape = shapeOf(object(30));
    expect(shape).toMatchObject({ more: 6 });
    expect(Object.keys((shape as { keys: object }).keys)).toHaveLength(24);
  });

  it('is four levels deep: what is below is only counted', () => {
    expect(shapeOf(nested(5))).toEqual({
      type: 'object',
      keys: {
        in: {
          type: 'object',
          keys: {
            in: {
              type: 'object',
              keys: { in: { type: 'object', keys: { in: { type: 'object', keys: {}, more: 1 } } } },
            },
          },
        },
      },
    });
  });

  it('is small, however deep or wide the value is', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`k${index}`, nested(1_000)]),
    );
    expect(JSON.stringify(shapeOf(wide)).length).toBeLessThan(10_000);
  });

  it('of a stored value names its handle and its size', () => {
    const $artifact = `artifact://sha256/${'a'.repeat(64)}`;
    const stored = { $artifact, bytes: 9_000, head: 'x' };
    const shape = shapeOf({ list: stored });
    expect(shape).toEqual({
      type: 'object',
      keys: { list: { type: 'stored', bytes: 9_000, handle: $artifact } },
    });
  });
});
