import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, parseJson, sameJson, writeCanonicalJson } from './json';

/** A reference implementation of the canonical text, as simple as possible. */
function plainly(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(plainly).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${plainly(member)}`);
  return `{${members.join(',')}}`;
}

const leaf = fc.oneof(
  ...[
    fc.constantFrom(undefined, null, true, false, 0, -0, NaN, Infinity, '', '0'),
    fc.double(),
    fc.integer(),
  ],
  fc.string({ unit: 'binary' }),
  // Lone surrogates.
  fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 })).map((units) => String.fromCharCode(...units)),
);
const name = fc.oneof(
  fc.constantFrom('a', 'b', '10', '9', '__proto__', 'é', '\u{1f600}', '\uffff'),
  fc.string(),
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));

/** The value with its members reordered and `undefined` ones added. */
function shuffled(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(shuffled);
  const members = Object.entries(value).reverse();
  return Object.fromEntries([
    ['\0absent', undefined],
    ...members.map(([key, member]) => [key, shuffled(member)]),
  ]);
}

describe('the canonical text of a value', () => {
  it('follows its definition, as a whole and in parts', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const pieces: string[] = [];
        writeCanonicalJson(value, (piece) => pieces.push(piece));
        expect(canonicalJson(value)).toBe(plainly(value));
        expect(pieces.join('')).toBe(plainly(value));
      }),
      { numRuns: 500 },
    );
  });

  it('splits no surrogate pair, so parts can be encoded separately', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const encoded: Buffer[] = [];
        writeCanonicalJson(value, (piece) => encoded.push(Buffer.from(piece)));
        expect(Buffer.concat(encoded).toString()).toBe(plainly(value));
      }),
    );
  });

  it('can be compared without building it: in any order, and never equal when the texts differ', () => {
    fc.assert(
      fc.property(anything, anything, (a, b) => {
        expect(sameJson(a, shuffled(a))).toBe(true);
        expect(sameJson(a, b)).toBe(plainly(a) === plainly(b));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [{ a: null }, { a: undefined, b: null }],
    [{ a: null }, {}],
    [[], {}],
    [[null], []],
    [{ a: 1 }, { a: '1' }],
    [{ a: [1, 2] }, { a: [1, 3] }],
  ])('distinguishes %j from %j', (a, b) => {
    expect(sameJson(a, b)).toBe(false);
    expect(sameJson(b, a)).toBe(false);
  });

  it.each([
    [[undefined], [null]],
    [{ a: NaN }, { a: null }],
    [-0, 0],
    [{ a: undefined }, {}],
  ])('does not distinguish %j from %j', (a, b) => {
    expect(sameJson(a, b)).toBe(true);
    expect(canonicalJson(a)).toBe(canonicalJson(b));
  });
});

describe('parseJson', () => {
  const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const objects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

  it('refuses nesting so deep that a reader could run out of stack', () => {
    for (const deep of [lists, objects]) {
      expect(parseJson(deep(500))).toMatchObject({ ok: true });
      expect(parseJson(deep(501))).toMatchObject({
        ok: false,
        error: expect.stringContaining('levels') as string,
      });
      expect(parseJson(deep(200_000)).ok).toBe(false);
    }
    expect(parseJson(`[${'[],'.repeat(1_000)}1]`).ok).toBe(true);
  });

  it('reads brackets inside a string as text, whatever is escaped in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('[', '{', '"', '\\', 'x'), { minLength: 600, maxLength: 900 }),
        (signs) => {
          const text = signs.join('');
          expect(parseJson(JSON.stringify([text, text]))).toEqual({ ok: true, value: [text, text] });
        },
      ),
    );
    for (const text of [`"${'\\'.repeat(600)}`, `"${'\\"'.repeat(600)}`, `${lists(300)}"`]) {
      expect(parseJson(text).ok).toBe(false);
    }
  });
});
