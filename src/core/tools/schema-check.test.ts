import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#shared/json';
import { createSchemaCheck } from './schema-check';

const check = (schema: JsonObject, value: Json) => {
  const checked = createSchemaCheck()(schema, value);
  return checked.ok ? 'fits' : checked.error;
};

describe('checking a value against a schema', () => {
  it('supports the current dialect and the older one', () => {
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

  it('names the problem and its location', () => {
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

  it('[SCH-unchecked] leaves a pattern with lookaround or backreferences to its server, and checks the rest', () => {
    const schema: JsonObject = { type: 'string', pattern: '^(?=.*[0-9]).+$', maxLength: 3 };
    expect(check(schema, 'abc')).toBe('fits');
    expect(check(schema, 'abcd')).toEqual(['arguments must NOT have more than 3 characters']);
    const names: JsonObject = {
      patternProperties: { '(.)\\1': { type: 'number' } },
      additionalProperties: false,
    };
    expect(check(names, { aa: 'x' })).toBe('fits');
  });

  it('[SCH-linear] runs a pattern that would take a backtracking engine years', () => {
    const evil = `${'a'.repeat(40)}!`;
    for (const pattern of ['^(a+)+$', '^(a|a)*$', '^((a+)+)+$'])
      expect(check({ type: 'string', pattern }, evil)).not.toBe('fits');
  });
});
