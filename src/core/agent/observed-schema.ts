import { isObject, sameJson, type Json, type JsonObject } from '#shared/json';

const deepest = 4;
const maxItems = 20;
/** An object with more members, or with names unusual for code, counts as a map: its keys are data. */
const maxMembers = 24;

const isName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_-]{0,40}$/.test(name);

function objectSchema(value: JsonObject, depth: number): JsonObject {
  const members = Object.entries(value).map(
    ([name, member]) => [name, observedSchema(member, depth + 1)] as const,
  );
  if (members.length > maxMembers || members.some(([name]) => !isName(name))) {
    const schemas = members.slice(0, maxItems).map(([, schema]) => schema);
    return { type: 'object', additionalProperties: schemas.reduce(mergeSchemas, {}) };
  }
  return { type: 'object', properties: Object.fromEntries(members), required: members.map(([name]) => name) };
}

/** Infers the JSON Schema of one value: its shape and member names, never its content. Pure. */
export function observedSchema(value: Json, depth = 0): JsonObject {
  if (value === null) return { type: 'null' };
  if (depth > deepest) return {};
  if (Array.isArray(value)) {
    const items = (value as readonly Json[])
      .slice(0, maxItems)
      .map((item) => observedSchema(item, depth + 1));
    return { type: 'array', items: items.reduce(mergeSchemas, {}) };
  }
  if (isObject(value)) return objectSchema(value, depth);
  return { type: typeof value };
}

const asObject = (value: Json | undefined): JsonObject =>
  value !== undefined && isObject(value) ? value : {};
const names = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

function mergeObjects(a: JsonObject, b: JsonObject): JsonObject {
  const [left, right] = [asObject(a['properties']), asObject(b['properties'])];
  const members = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (a['additionalProperties'] ?? b['additionalProperties']) {
    const all = [
      ...Object.values(left),
      ...Object.values(right),
      a['additionalProperties'],
      b['additionalProperties'],
    ];
    return { type: 'object', additionalProperties: all.map(asObject).reduce(mergeSchemas, {}) };
  }
  const properties = Object.fromEntries(
    [...members].map((name) => [name, mergeSchemas(asObject(left[name]), asObject(right[name]))]),
  );
  const required = names(a['required']).filter((name) => names(b['required']).includes(name));
  return { type: 'object', properties, required: [...required] };
}

const isEmpty = (schema: JsonObject): boolean => Object.keys(schema).length === 0;

/**
 * Merges two schemas into one that both values fit: a member missing from one becomes optional, different
 * kinds become `anyOf`. Pure.
 */
export function mergeSchemas(a: JsonObject, b: JsonObject): JsonObject {
  if (isEmpty(a) || sameJson(a, b)) return b;
  if (isEmpty(b)) return a;
  if (a['type'] === 'object' && b['type'] === 'object') return mergeObjects(a, b);
  if (a['type'] === 'array' && b['type'] === 'array') {
    return { type: 'array', items: mergeSchemas(asObject(a['items']), asObject(b['items'])) };
  }
  const options = [a, b]
    .flatMap((schema) => ('anyOf' in schema ? names(schema['anyOf']) : [schema]))
    .map(asObject);
  const kinds = [...new Set(options.map((option) => option['type']))];
  return { anyOf: kinds.map((kind) => options.filter(({ type }) => type === kind).reduce(mergeSchemas, {})) };
}
