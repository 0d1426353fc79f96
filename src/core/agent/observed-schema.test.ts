import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';
import { createMemoryTexts } from '../../testing/memory-texts';
import { mergeSchemas, observedSchema } from './observed-schema';
import { createObservedTypes } from './observed-types';

const text = { type: 'string' };
const number = { type: 'number' };
const objectOf = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
});
const mapOf = (additionalProperties: JsonObject): JsonObject => ({ type: 'object', additionalProperties });
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, at]));

describe('[PLN-observed] the schema of a value', () => {
  it.each<[string, Json, JsonObject]>([
    ['null', null, { type: 'null' }],
    ['a text', 'x', text],
    ['a truth', false, { type: 'boolean' }],
    ['an empty list', [], { type: 'array', items: {} }],
    ['a list', [1, 'x', 2], { type: 'array', items: { anyOf: [number, text] } }],
    ['an empty object', {}, objectOf({})],
    ['names of code', { a: 1, 'b-c_D9': 'x' }, objectOf({ a: number, 'b-c_D9': text })],
    ['a name with a space', { 'a b': 1, c: 2 }, mapOf(number)],
    ['a name that begins with a digit', { '1a': 'x' }, mapOf(text)],
    ['a name that ends strangely', { 'a.': 'x' }, mapOf(text)],
    ['a name of 41 characters', { ['n'.repeat(41)]: 1 }, objectOf({ ['n'.repeat(41)]: number })],
    ['a name of 42 characters', { ['n'.repeat(42)]: 1 }, mapOf(number)],
    ['25 members', members(25), mapOf(number)],
    [
      'a value below the depth',
      [[[[['x']]]]],
      {
        type: 'array',
        items: {
          type: 'array',
          items: { type: 'array', items: { type: 'array', items: { type: 'array', items: {} } } },
        },
      },
    ],
  ])('%s', (_what, value, schema) => {
    expect(observedSchema(value)).toEqual(schema);
  });

  it('is an object with members up to 24 of them', () => {
    expect(Object.keys(observedSchema(members(24))['properties'] as object)).toHaveLength(24);
  });

  it('looks at 20 items of a list, and at 20 values of a map', () => {
    const twenty = Array.from({ length: 20 }, () => 1);
    expect(observedSchema([...twenty, 'x'])).toEqual({ type: 'array', items: number });
    const map = Object.fromEntries([...twenty, 'x'].map((value, at) => [`key ${at}`, value]));
    expect(observedSchema(map)).toEqual(mapOf(number));
  });
});

describe('[PLN-observed] two schemas as one', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['the same', text, text, text],
    ['nothing and one', {}, text, text],
    ['one and nothing', text, {}, text],
    ['different kinds', text, number, { anyOf: [text, number] }],
    ['a choice and one of it', { anyOf: [text, number] }, number, { anyOf: [text, number] }],
    ['one and a choice', text, { anyOf: [number, text] }, { anyOf: [text, number] }],
    [
      'lists',
      { type: 'array', items: text },
      { type: 'array', items: number },
      { type: 'array', items: { anyOf: [text, number] } },
    ],
    [
      'an empty list and one',
      { type: 'array', items: {} },
      { type: 'array', items: text },
      { type: 'array', items: text },
    ],
    [
      'a list and an object',
      { type: 'array', items: text },
      objectOf({}),
      {
        anyOf: [{ type: 'array', items: text }, objectOf({})],
      },
    ],
    [
      'objects with other members',
      objectOf({ a: text, b: number }),
      objectOf({ b: text, c: text }),
      objectOf({ a: text, b: { anyOf: [number, text] }, c: text }, ['b']),
    ],
    ['maps', mapOf(text), mapOf(number), mapOf({ anyOf: [text, number] })],
    ['a map and an object', mapOf(text), objectOf({ a: number }), mapOf({ anyOf: [number, text] })],
    ['an object and a map', objectOf({ a: number }), mapOf(text), mapOf({ anyOf: [number, text] })],
    [
      'a choice with an object and an object',
      { anyOf: [text, objectOf({ a: text })] },
      objectOf({ b: text }),
      { anyOf: [text, objectOf({ a: text, b: text }, [])] },
    ],
  ])('%s', (_what, a, b, merged) => {
    expect(mergeSchemas(a, b)).toEqual(merged);
  });
});

describe('[PLN-observed] the types learned from results', () => {
  const toolOf = (more: Partial<ToolDefinition> = {}): ToolDefinition => ({
    ...{ uri: 'mcp://box.get', server: 'box', tool: 'get', serverVersion: '1', readOnly: true },
    ...{ description: '', inputSchema: {}, ...more },
  });
  const tool = toolOf();

  it('are those of all results so far, also after a restart', () => {
    const texts = createMemoryTexts();
    const types = createObservedTypes(texts);
    expect(types.schemaOf(tool)).toBeUndefined();
    types.see(tool, { a: 1 });
    types.see(tool, { a: 'x' });
    const schema = objectOf({ a: { anyOf: [number, text] } });
    expect(types.schemaOf(tool)).toEqual(schema);
    expect(createObservedTypes(texts).schemaOf(tool)).toEqual(schema);
  });

  it('are those of one tool in one version of its server, and of its parsed text', () => {
    const types = createObservedTypes(createMemoryTexts());
    types.see(tool, '{"a":1}');
    expect(types.schemaOf(tool)).toEqual(objectOf({ a: number }));
    for (const other of [{ uri: 'mcp://box.put' }, { serverVersion: '2' }, { bundled: 'box' }])
      expect(types.schemaOf(toolOf(other))).toBeUndefined();
  });

  it('are not those of a tool that declares its result', () => {
    const types = createObservedTypes(createMemoryTexts());
    types.see(toolOf({ outputSchema: text }), { a: 1 });
    expect(types.schemaOf(toolOf({ outputSchema: text }))).toBeUndefined();
  });

  it('come from 20 results of a tool, and are written only when they change', () => {
    const texts = createMemoryTexts();
    let writes = 0;
    const types = createObservedTypes({
      ...texts,
      put: (key, value) => ((writes += 1), texts.put(key, value)),
    });
    for (let at = 0; at < 19; at += 1) types.see(tool, 1);
    expect(writes).toBe(1);
    types.see(tool, 'x');
    types.see(tool, null);
    expect(types.schemaOf(tool)).toEqual({ anyOf: [number, text] });
    types.see(toolOf({ uri: 'mcp://box.put' }), 1);
    expect(writes).toBe(3);
  });

  it('are not stored when they are too long, nor read when they are damaged', () => {
    const texts = createMemoryTexts();
    const keys: string[] = [];
    const types = createObservedTypes({
      ...texts,
      put: (key, value) => (keys.push(key), texts.put(key, value)),
    });
    const long = (depth: number): Json =>
      depth === 0
        ? 1
        : Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`name${at}`, long(depth - 1)]));
    types.see(tool, long(4));
    expect(keys).toEqual([]);
    types.see(tool, 1);
    const [key = ''] = keys;
    for (const damaged of ['{', '[]', '"x"']) {
      texts.put(key, damaged);
      expect(types.schemaOf(tool)).toBeUndefined();
    }
  });
});
