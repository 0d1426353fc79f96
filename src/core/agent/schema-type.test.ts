import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { mergeSchemas, observedSchema } from './observed-schema';
import { schemaType, type WriteObject } from './schema-type';

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
    ['a list of anything', { type: 'array' }, 'unknown[]'],
    ['a list of lists', { type: 'array', items: { type: 'array', items: { type: 'null' } } }, 'null[][]'],
    ['a list of objects', { type: 'array', items: { type: 'object', properties: {} } }, '{}[]'],
    ['an object of anything', { type: 'object' }, 'Record<string, unknown>'],
    [
      'an open object',
      { properties: {}, additionalProperties: { type: 'boolean' } },
      'Record<string, boolean>',
    ],
    [
      'members and others',
      {
        properties: { 'a-b': { const: 1 }, $c: { type: 'integer' }, '1d': true },
        required: ['a-b', '1d'],
        additionalProperties: { type: 'null' },
      },
      '{ "a-b": 1; $c?: number; "1d": unknown; [key: string]: null }',
    ],
    ['a constant', { type: 'string', const: null }, 'null'],
    ['oneOf', { oneOf: [{ type: 'number' }, { type: 'number' }, { const: 'x' }] }, 'number | "x"'],
    ['a choice that may be null', { enum: ['a'], nullable: true }, '"a" | null'],
    ['an unknown type', { type: 'date' }, 'unknown'],
    ['a list of a union', { type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    [
      'a list of objects with a union inside',
      { type: 'array', items: { type: 'object', properties: { a: { type: ['string', 'null'] } } } },
      '{ a?: string | null }[]',
    ],
    [
      'more than 12 choices',
      { enum: Array.from({ length: 13 }, (_, at) => at) },
      `${Array.from({ length: 12 }, (_, at) => at).join(' | ')} | …`,
    ],
    [
      '12 choices',
      { enum: Array.from({ length: 12 }, (_, at) => at) },
      Array.from({ length: 12 }, (_, at) => at).join(' | '),
    ],
    [
      'a reference with escapes',
      { $ref: '#/$defs/a~1b~0c', $defs: { 'a/b~c': { type: 'boolean' } } },
      'boolean',
    ],
    [
      'a reference through a reference',
      {
        $ref: '#/$defs/A',
        $defs: { A: { $ref: '#/$defs/B' }, B: { type: 'null' } },
      },
      'null',
    ],
    ['a reference that leads nowhere', { $ref: '#/$defs/A/B', $defs: { A: 1 } }, 'unknown'],
    ['a reference to what is no schema', { $ref: '#/$defs/A', $defs: { A: [1] } }, 'unknown'],
    ['a reference to what every object has', { $ref: '#/toString' }, 'unknown'],
    [
      'allOf with own members',
      {
        properties: { a: { type: 'string' } },
        required: ['a'],
        allOf: [{ $ref: '#/$defs/B' }],
        $defs: { B: { properties: { b: { type: 'null' } }, required: ['b'] } },
      },
      '{ a: string; b: null }',
    ],
    [
      'allOf with a choice inside',
      { allOf: [{ properties: { a: { type: 'string' } } }, { $ref: '#/$defs/none' }] },
      '{ a?: string } & unknown',
    ],
    [
      'allOf in allOf',
      { allOf: [{ properties: { a: {} }, allOf: [{ type: 'string' }] }] },
      '{ a?: unknown } & string',
    ],
    [
      'defaults that say something, and others',
      {
        properties: {
          a: { type: 'string', default: 'x' },
          b: { type: 'boolean', default: false },
          c: { type: 'string', default: 'x'.repeat(22) },
          d: { type: 'string', default: 'x'.repeat(23) },
          e: { type: 'string', default: '*/' },
          f: { const: 1, default: 1 },
          g: { enum: ['y'], default: 'y' },
          h: { type: 'number', default: 3 },
          i: { type: 'number', default: 0 },
        },
        required: ['h'],
      },
      `{ a?: string /* default "x" */; b?: boolean; c?: string /* default "${'x'.repeat(22)}" */; d?: string; e?: string; f?: 1; g?: "y"; h: number; i?: number }`,
    ],
    ['nothing said', {}, 'unknown'],
  ])('%s', (_what, schema, type) => {
    expect(schemaType(schema)).toBe(type);
  });

  it('ends however deeply and widely a schema refers to itself', () => {
    const wide = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`p${n}`, { $ref: '#' }]));
    expect(schemaType({ type: 'object', properties: wide }).length).toBeLessThan(1_000);
  });
});

describe('[DCL-types] a JSON Schema as a type in few tokens', () => {
  /** The type, and the objects and choices in it that could have a name. */
  const brief = (schema: JsonObject, short = true) => {
    const named: string[] = [];
    const write: WriteObject = (full, hint, written) => {
      named.push(`${hint}: ${full}`);
      return short ? hint : written();
    };
    return { type: schemaType(schema, { hint: 'result', write }), named };
  };

  it.each<[string, JsonObject, readonly string[], string]>([
    ['a text', { type: 'string' }, ['a'], '{ a }'],
    ['an optional text', { type: 'string' }, [], '{ a? }'],
    ['a number', { type: 'integer' }, ['a'], '{ a# }'],
    ['texts', { type: 'array', items: { type: 'string' } }, ['a'], '{ a[] }'],
    ['numbers', { type: 'array', items: { type: 'number' } }, [], '{ a?#[] }'],
    ['a truth', { type: 'boolean' }, ['a'], '{ a: boolean }'],
    ['a number with a default', { type: 'number', default: 3 }, [], '{ a=3 }'],
    ['a truth with a default', { type: 'boolean', default: false }, [], '{ a=false }'],
    ['a text with a default', { type: 'string', default: 'x' }, [], '{ a="x" }'],
    ['a text that is empty by default', { type: 'string', default: '' }, [], '{ a? }'],
    ['a number with a default of another type', { type: 'number', default: '3' }, [], '{ a?#="3" }'],
    ['a number that is null by default', { type: 'number', default: null }, [], '{ a?# }'],
    ['a required number with a default', { type: 'number', default: 3 }, ['a'], '{ a# }'],
    [
      'a list with a default',
      { type: 'array', items: { type: 'string' }, default: ['x'] },
      [],
      '{ a?[]=["x"] }',
    ],
  ])('%s', (_what, a, required, type) => {
    expect(brief({ properties: { a }, required: [...required] }, false).type).toBe(type);
  });

  it('names objects and choices after their title, their reference or their place', () => {
    const point = { properties: { x: { type: 'number' } }, required: ['x'] };
    const { type, named } = brief(
      {
        properties: {
          address: point,
          items: { type: 'array', items: point },
          categories: { type: 'array', items: { enum: ['a', 'b'] } },
          boxes: { type: 'array', items: point },
          status: { type: 'array', items: point },
          at: { $ref: '#/$defs/Place' },
          titled: { ...point, title: 'Point' },
          untitled: { ...point, title: '' },
          merged: { title: 'Both', allOf: [point, { properties: { y: { type: 'number' } } }] },
          any: { type: 'object' },
        },
        $defs: { Place: point },
      },
      false,
    );
    expect(named.slice(1)).toEqual([
      'address: { x# }',
      'item: { x# }',
      'category: "a" | "b"',
      'box: { x# }',
      'status: { x# }',
      'Place: { x# }',
      'Point: { x# }',
      'untitled: { x# }',
      'Both: { x#, y?# }',
    ]);
    expect(named[0]).toBe(`result: ${type}`);
    expect(type).toContain('categories?: ("a" | "b")[], boxes?: { x# }[]');
  });

  it('uses the name instead of the type', () => {
    const order = { title: 'Order', properties: { id: { type: 'string' } } };
    expect(brief({ type: 'array', items: order }).type).toBe('Order[]');
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
