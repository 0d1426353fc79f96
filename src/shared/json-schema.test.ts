import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from './json';
import { createJsonSchemaCheck } from './json-schema';
import { schemaProblem } from './schema-guard';

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, addUsedSchema: false });

const scalar = fc.constantFrom<Json>(null, true, false, 0, 1, 1.5, -2, 10, '', 'a', 'ab', 'b1', '😀');
const value = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd1', '__proto__'), tie('value'), { maxKeys: 4 }),
  ),
})).value;

const name = fc.constantFrom('a', 'b', 'c', 'd1');
const small = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom('null', 'boolean', 'string', 'number', 'integer', 'array', 'object');
const pattern = fc.constantFrom('^a', '[a-c]', '\\d$', '^$', '.');

/** Generates schemas with all checked keywords, a few at a time. */
const schema = fc.letrec<{ schema: JsonObject | boolean }>((tie) => {
  const inner = tie('schema');
  const list = fc.array(inner, { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(name, inner, { maxKeys: 3 });
  const keywords = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.array(value, { minLength: 1, maxLength: 4 }),
    const: value,
    minimum: small,
    maximum: small,
    exclusiveMinimum: small,
    exclusiveMaximum: small,
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: small,
    maxLength: small,
    pattern,
    minItems: small,
    maxItems: small,
    uniqueItems: fc.boolean(),
    prefixItems: list,
    items: inner,
    contains: inner,
    minContains: small,
    maxContains: small,
    minProperties: small,
    maxProperties: small,
    required: fc.uniqueArray(name, { maxLength: 3 }),
    properties: named,
    patternProperties: fc.dictionary(pattern, inner, { maxKeys: 2 }),
    additionalProperties: inner,
    propertyNames: inner,
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
    dependentSchemas: named,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: inner,
    if: inner,
    then: inner,
    else: inner,
    $ref: fc.constant('#/$defs/shared'),
    unevaluatedItems: inner,
    unevaluatedProperties: inner,
  };
  return {
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.boolean(),
      fc
        .subarray(Object.keys(keywords), { minLength: 1, maxLength: 4 })
        .chain((names) =>
          fc.record(
            Object.fromEntries(
              names.map((each) => [each, keywords[each as keyof typeof keywords] as fc.Arbitrary<unknown>]),
            ),
          ),
        )
        .map((made) => made as JsonObject),
    ),
  };
}).schema;

describe('checking a value against a JSON Schema', () => {
  it('[SCH-standard] agrees with the reference validator on every keyword', () => {
    let fitting = 0;
    fc.assert(
      fc.property(schema, schema, value, (top, shared, drawn) => {
        // As parsed from JSON: plain objects, and -0 becomes 0.
        const given = parsed(drawn);
        const whole = parsed({
          ...(typeof top === 'boolean' ? { allOf: [top] } : top),
          $defs: { shared: withoutReferences(shared) },
        }) as JsonObject;
        // Here the reference validator departs from the standard: `contains` evaluates every item, nothing
        // contains `false`, beside `prefixItems` an empty list contains anything, `minContains` inside `contains`
        // counts for it; what a branch of `anyOf` or `oneOf` evaluates is counted where it does not fit and
        // forgotten where it refers to a schema, and that of an `if` alone is forgotten; a member `__proto__`
        // always counts as evaluated.
        const text = JSON.stringify(whole);
        fc.pre(
          !text.includes('"contains":false') &&
            !/"contains":\{[^{}]*"minContains":0/.test(text) &&
            !(text.includes('unevaluatedProperties') && JSON.stringify(given).includes('__proto__')) &&
            !(text.includes('contains') && /unevaluatedItems|prefixItems/.test(text)) &&
            !(/anyOf|oneOf|"if"/.test(text) && text.includes('unevaluated')),
        );
        const expected = referenceResult(whole, given);
        fc.pre(expected !== null);
        const checked = createJsonSchemaCheck(whole)(given);
        fitting += expected ? 1 : 0;
        expect(schemaProblem(whole)).toBeNull();
        expect([checked.ok, checked.ok && checked.value === null]).toEqual([true, expected]);
      }),
      { numRuns: 800 },
    );
    expect(fitting).toBeGreaterThan(50);
  });

  it('[SCH-standard] follows the standard where the reference validator departs from it', () => {
    const fits = (given: JsonObject, one: Json) => {
      const checked = createJsonSchemaCheck(given)(one);
      return checked.ok && checked.value === null;
    };
    const numbers: JsonObject = { contains: { type: 'number' }, unevaluatedItems: { type: 'string' } };
    expect([fits(numbers, [1, 'a']), fits(numbers, [1, null]), fits({ contains: false }, [])]).toEqual([
      true,
      false,
      false,
    ]);
    const both: JsonObject = { prefixItems: [{ maxProperties: 0 }], contains: { type: 'number' } };
    expect([fits(both, []), fits(both, [1]), fits(both, ['a'])]).toEqual([false, true, false]);
    const branches: JsonObject = { anyOf: [true, { prefixItems: [false] }], unevaluatedItems: false };
    expect([fits(branches, []), fits(branches, [1])]).toEqual([true, false]);
    const one: JsonObject = {
      oneOf: [true, { items: false, not: false }],
      unevaluatedItems: { type: 'null' },
    };
    expect([fits(one, [null]), fits(one, [1])]).toEqual([true, false]);
    const condition: JsonObject = { if: { properties: { a: true } }, unevaluatedProperties: false };
    expect([fits(condition, { a: 1 }), fits(condition, { b: 1 })]).toEqual([true, false]);
    expect(fits({ contains: { minContains: 0 } }, [])).toBe(false);
    expect(fits({ unevaluatedProperties: false }, JSON.parse('{"__proto__":1}') as Json)).toBe(false);
    const referring: JsonObject = {
      anyOf: [{ $ref: '#/$defs/shared', unevaluatedItems: false }],
      unevaluatedItems: false,
      $defs: { shared: { items: true } },
    };
    expect(fits(referring, [null])).toBe(true);
    expect(fits({ ...referring, $defs: { shared: true } }, [null])).toBe(false);
  });

  it('[SCH-standard] knows what is evaluated inside "not" and "contains" too', () => {
    const fits = (given: JsonObject, one: Json) => {
      const checked = createJsonSchemaCheck(given)(one);
      return checked.ok && checked.value === null;
    };
    const all: JsonObject = { additionalProperties: true, unevaluatedProperties: false };
    expect([fits(all, { a: 1 }), fits({ not: all }, { a: 1 }), fits({ contains: all }, [{ a: 1 }])]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('[SCH-standard] supports the older dialects: item lists, dependencies, boolean exclusive bounds', () => {
    const fits = (given: JsonObject, one: Json) => {
      const checked = createJsonSchemaCheck(given)(one);
      return checked.ok && checked.value === null;
    };
    const pair: JsonObject = { items: [{ type: 'string' }], additionalItems: false };
    expect([fits(pair, ['a']), fits(pair, ['a', 'b'])]).toEqual([true, false]);
    const both: JsonObject = { dependencies: { a: ['b'], c: { required: ['d1'] } } };
    expect([fits(both, { a: 1, b: 1 }), fits(both, { a: 1 }), fits(both, { c: 1 })]).toEqual([
      true,
      false,
      false,
    ]);
    const above: JsonObject = { minimum: 1, exclusiveMinimum: true };
    expect([fits(above, 2), fits(above, 1)]).toEqual([true, false]);
    expect(fits({ type: 'string', nullable: true }, null)).toBe(true);
  });
});

/** Whether the value fits for the reference validator; null where the code that it generates breaks down. */
function referenceResult(given: JsonObject, one: Json): boolean | null {
  const fits = ajv.compile(given);
  try {
    return fits(one);
  } catch {
    return null;
  }
}

const parsed = (drawn: Json): Json => JSON.parse(JSON.stringify(drawn)) as Json;

/** A shared schema that refers to itself at the same value would describe nothing. */
function withoutReferences(given: JsonObject | boolean): JsonObject | boolean {
  return JSON.parse(JSON.stringify(given).replaceAll('"$ref":"#/$defs/shared"', '"$comment":"none"')) as
    JsonObject | boolean;
}
