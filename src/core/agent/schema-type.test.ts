import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { mergeSchemas, observedSchema } from './observed-schema';
import { schemaType } from './schema-type';

describe('[PLN-types] a JSON Schema as a type', () => {
  it.each<[string, JsonObject, string]>([
    ['a local reference', { $ref: '#/$defs/A', $defs: { A: { type: 'string' } } }, 'string'],
    [
      'an object of references',
      {
        type: 'object',
        properties: { at: { $ref: '#/definitions/P' } },
        required: ['at'],
        definitions: { P: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
      },
      '{ at: { x: number } }',
    ],
    [
      'a reference that goes round',
      {
        $ref: '#/$defs/T',
        $defs: {
          T: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#/$defs/T' } } } },
        },
      },
      '{ kids?: unknown[] }',
    ],
    ['a reference that leads out', { $ref: 'https://example.org/x.json' }, 'unknown'],
    [
      'allOf of objects',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { type: 'object', properties: { b: { type: 'integer' } } },
        ],
      },
      '{ a: string; b?: number }',
    ],
    ['allOf of others', { allOf: [{ type: 'string' }, { enum: ['a', 'b'] }] }, 'string & ("a" | "b")'],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
    ['an enumeration', { type: 'string', enum: ['open', 'paid'] }, '"open" | "paid"'],
    ['several types', { type: ['string', 'number'] }, 'string | number'],
    ['a list of choices', { type: 'array', items: { enum: [1, 2] } }, '(1 | 2)[]'],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }, 'Record<string, number>'],
    [
      'a default',
      { type: 'object', properties: { limit: { type: 'number', default: 20 } } },
      '{ limit?: number /* default 20 */ }',
    ],
    ['no arguments', { type: 'object', properties: {}, additionalProperties: false }, '{}'],
    ['nothing said', {}, 'unknown'],
  ])('%s', (_what, schema, type) => {
    expect(schemaType(schema)).toBe(type);
  });

  it('ends however deeply and widely a schema refers to itself', () => {
    const wide = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`p${n}`, { $ref: '#' }]));
    expect(schemaType({ type: 'object', properties: wide }).length).toBeLessThan(1_000);
  });
});

describe('[PLN-observed] a type learned from results', () => {
  it('shows shapes and names, never values', () => {
    const first = observedSchema({ rows: [{ id: 'SECRET-1', total: 4 }, { id: 'x' }], next: null });
    const second = observedSchema({ rows: [], next: 'c2' });
    const type = schemaType(mergeSchemas(first, second));
    expect(type).toBe('{ rows: { id: string; total?: number }[]; next: null | string }');
    expect(JSON.stringify(first)).not.toContain('SECRET');
  });

  it('treats an object whose keys are data as a map', () => {
    const schema = observedSchema({ 'a@example.org': 1, 'b@example.org': 2 });
    expect(schemaType(schema)).toBe('Record<string, number>');
  });
});
