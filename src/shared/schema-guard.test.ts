import { describe, expect, it } from 'vitest';
import { reviewSchema, schemaProblem } from './schema-guard';

describe('schemas that servers declare [H43]', () => {
  it('[SCH-unchecked] names the patterns that only their server can check', () => {
    const properties = Object.fromEntries(
      ['^(?=.*a)b$', '(a)\\1', '^(?<!x)y$', 'a{3000}', 'x'.repeat(1_001), '^[a-z]+$'].map((pattern, at) => [
        `p${at}`,
        { pattern },
      ]),
    );
    const { problem, uncheckedPatterns } = reviewSchema({ properties });
    expect(problem).toBeNull();
    expect(uncheckedPatterns.map((pattern) => pattern.slice(0, 10))).toEqual([
      '^(?=.*a)b$',
      '(a)\\1',
      '^(?<!x)y$',
      'a{3000}',
      'xxxxxxxxxx',
    ]);
  });

  it.each([
    [
      'an ordinary one',
      { type: 'object', properties: { a: { type: 'string', pattern: '^[a-z]+(-[a-z]+)?$' } } },
    ],
    [
      'a tree that refers to itself',
      { $ref: '#/$defs/n', $defs: { n: { properties: { next: { $ref: '#/$defs/n' } } } } },
    ],
    ['a reference to nowhere', { properties: { a: { $ref: '#/$defs/none' } } }],
    ['a pattern with a repeated character class', { pattern: '^([a-z]{3})$' }],
    ['a pattern that would backtrack for ever elsewhere', { properties: { a: { pattern: '^(a+)+$' } } }],
    ['a date', { pattern: '^\\d{4}-\\d{2}-\\d{2}$' }],
  ])('%s is accepted', (_what, schema) => {
    expect(schemaProblem(schema)).toBeNull();
  });

  it.each([
    ['a remote reference', { $ref: 'https://example.org/a.json' }, 'refers to'],
    ['a file reference', { items: [{ $ref: 'file:///etc/passwd' }] }, 'refers to'],
    ['a reference to itself', { $ref: '#' }, 'lead to themselves'],
    [
      'a ring of references',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      'lead to themselves',
    ],
    [
      'a pattern that is none',
      { properties: { a: { pattern: '(' } } },
      'an invalid pattern at /properties/a',
    ],
    ['a property pattern that is none', { patternProperties: { '[': {} } }, 'an invalid pattern'],
    [
      'thousands of patterns',
      { anyOf: Array.from({ length: 3_000 }, () => ({ pattern: 'a{2}' })) },
      'too large together',
    ],
    [
      'hundreds of classes that list many properties',
      { anyOf: Array.from({ length: 250 }, () => ({ pattern: `[${'\\p{L}'.repeat(60)}]` })) },
      'too large together',
    ],
    [
      'hundreds of classes that list many characters',
      { anyOf: Array.from({ length: 250 }, () => ({ pattern: `[${'ab'.repeat(400)}]` })) },
      'too large together',
    ],
    ['a type that does not exist', { items: { type: 'strnig' } }, 'an unknown type at /items/type'],
    ['a list of types without end', { type: Array.from({ length: 9 }, () => 'string') }, 'an unknown type'],
    ['a schema that is none', { properties: { a: 'string' } }, 'no schema at /properties/a'],
    ['required as a switch', { properties: { a: { required: true } } }, 'no list of strings'],
    ['an address within', { properties: { a: { $id: 'https://example.org/a' } } }, 'address of its own'],
    ['a million parts', { enum: Array.from({ length: 30_000 }, () => ({})) }, 'parts'],
    ['a large text', { description: 'x'.repeat(300_000) }, 'bytes'],
  ])('%s is refused', (_what, schema, why) => {
    expect(schemaProblem(schema)).toContain(why);
  });

  it('classes that repeat count once', () => {
    const names = { pattern: '^[\\p{L}\\p{N}A-Za-z0-9_.-]{1,100}$' };
    const review = reviewSchema({ anyOf: Array.from({ length: 20 }, () => names) });
    expect(review).toEqual({ problem: null, uncheckedPatterns: [] });
  });

  it('a class that lists hundreds of properties is left to the server', () => {
    const pattern = `[${'\\P{L}'.repeat(60)}]`;
    expect(reviewSchema({ pattern })).toEqual({ problem: null, uncheckedPatterns: [pattern.slice(0, 200)] });
  });

  it('nesting that would overflow the stack is refused without a recursion', () => {
    let deep: object = {};
    for (let level = 0; level < 100_000; level += 1) deep = { not: deep };
    expect(schemaProblem(deep)).toContain('deeper');
  });

  it('thousands of chained references are followed once each', () => {
    const chain = (end: number) => ({
      $defs: Object.fromEntries(
        Array.from({ length: 7_000 }, (_, at) => [
          `a${at}`,
          { $ref: `#/$defs/a${at === 6_999 ? end : at + 1}` },
        ]),
      ),
    });
    expect(schemaProblem(chain(9_999))).toBeNull();
    expect(schemaProblem(chain(6_000))).toContain('lead to themselves');
  });
});
