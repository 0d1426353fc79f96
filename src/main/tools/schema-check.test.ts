import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#shared/json';
import { createSchemaCheck } from './schema-check';

const check = (schema: JsonObject, value: Json) => {
  const checked = createSchemaCheck()(schema, value);
  return checked.ok ? 'fits' : checked.error;
};

describe('checking a value against a schema', () => {
  it('knows the current dialect and the old one', () => {
    const pair: JsonObject = { type: 'array', prefixItems: [{ type: 'string' }], items: false };
    expect(check(pair, ['a'])).toBe('fits');
    expect(check(pair, ['a', 'b'])).not.toBe('fits');
    const old: JsonObject = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      additionalItems: false,
    };
    expect(check(old, ['a'])).toBe('fits');
    expect(check(old, ['a', 'b'])).not.toBe('fits');
  });

  it('names what is wrong and where', () => {
    const schema: JsonObject = { type: 'object', properties: { a: { properties: { b: { enum: ['x'] } } } } };
    expect(check(schema, { a: { b: 'y' } })).toEqual([expect.stringContaining('arguments.a.b')]);
  });

  it.each<[string, JsonObject]>([
    ['a reference to another machine', { $ref: 'https://example.org/schema.json' }],
    ['a type that does not exist', { type: 'strnig' }],
    ['a pattern that is none', { type: 'string', pattern: '(' }],
  ])('refuses every value under %s', (_what, schema) => {
    expect(check(schema, 'x')).toEqual([expect.stringContaining('cannot be checked')]);
  });

  it('does not run a pattern that could take years, and still runs the others', () => {
    const evil = `${'a'.repeat(40)}!`;
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^((a+)+)+$'])
      expect(check({ type: 'string', pattern }, evil)).toBe('fits');
    expect(check({ type: 'string', pattern: '^[0-9]+$' }, evil)).not.toBe('fits');
  });

  it('does not even look into a pattern of a book’s length', () => {
    expect(check({ type: 'string', pattern: `(${'*'.repeat(200_000)}` }, 'x')).toBe('fits');
  });
});
