import { describe, expect, it } from 'vitest';
import { schemaProblem } from './schema-guard';

describe('schemas that servers declare [H43]', () => {
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
    ['a date', { pattern: '^\\d{4}-\\d{2}-\\d{2}$' }],
  ])('%s is taken', (_what, schema) => {
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
    ['an evil pattern', { properties: { a: { pattern: '^(a+)+$' } } }, 'never finish'],
    ['an evil choice', { pattern: '(a|a)*b' }, 'never finish'],
    ['an evil property pattern', { patternProperties: { '(x*)*y': {} } }, 'never finish'],
    ['a pattern of a kilobyte', { pattern: 'a'.repeat(1_000) }, 'too long'],
    ['a million parts', { enum: Array.from({ length: 30_000 }, () => ({})) }, 'parts'],
    ['a large text', { description: 'x'.repeat(300_000) }, 'bytes'],
  ])('%s is refused', (_what, schema, why) => {
    expect(schemaProblem(schema)).toContain(why);
  });

  it('a depth that would end the stack is refused, not walked', () => {
    let deep: object = {};
    for (let level = 0; level < 100_000; level += 1) deep = { not: deep };
    expect(schemaProblem(deep)).toContain('deeper');
  });

  it('thousands of references one after another are followed once each', () => {
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
