import { isObject, type Json } from './json';
import { translatePattern } from './linear-pattern';

/**
 * Limits for a foreign schema: one that exceeds them is rejected at load, before anything is checked with it.
 */
const maxBytes = 256_000;
const maxDepth = 64;
const maxNodes = 20_000;
/** Total expanded size of all patterns of one schema: bounds the cost of compiling them. */
const maxPatternSize = 5_000;

/** Required value shape of every keyword that is checked here or contains schemas. */
type Shape =
  | 'schema'
  | 'schemas'
  | 'schema or schemas'
  | 'named schemas'
  | 'dependents'
  | 'patterned schemas'
  | 'type'
  | 'list'
  | 'texts'
  | 'count'
  | 'number'
  | 'bound'
  | 'switch'
  | 'pattern'
  | 'reference'
  | 'anchor';

const shapes: Readonly<Record<string, Shape>> = {
  type: 'type',
  enum: 'list',
  required: 'texts',
  pattern: 'pattern',
  uniqueItems: 'switch',
  minLength: 'count',
  maxLength: 'count',
  minItems: 'count',
  maxItems: 'count',
  minProperties: 'count',
  maxProperties: 'count',
  minContains: 'count',
  maxContains: 'count',
  minimum: 'number',
  maximum: 'number',
  multipleOf: 'number',
  exclusiveMinimum: 'bound',
  exclusiveMaximum: 'bound',
  properties: 'named schemas',
  $defs: 'named schemas',
  definitions: 'named schemas',
  dependentSchemas: 'named schemas',
  dependencies: 'dependents',
  dependentRequired: 'dependents',
  patternProperties: 'patterned schemas',
  additionalProperties: 'schema',
  propertyNames: 'schema',
  unevaluatedProperties: 'schema',
  unevaluatedItems: 'schema',
  additionalItems: 'schema',
  items: 'schema or schemas',
  prefixItems: 'schemas',
  contains: 'schema',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
  $ref: 'reference',
  $dynamicRef: 'reference',
  $recursiveRef: 'reference',
  $anchor: 'anchor',
  $dynamicAnchor: 'anchor',
};
const types = new Set(['null', 'boolean', 'string', 'number', 'integer', 'array', 'object']);

interface Review {
  nodes: number;
  patternSize: number;
  readonly unchecked: Set<string>;
}

/** Result of reviewing a schema. */
export interface SchemaReview {
  /** Why the schema must not be used, as the rest of a sentence; null when it may be used. */
  readonly problem: string | null;
  /**
   * Patterns with lookaround or backreferences, or very large ones; only the server checks those keywords.
   */
  readonly uncheckedPatterns: readonly string[];
}

/**
 * Reviews a foreign JSON Schema. A reference must point into the schema itself (nothing is fetched) and must
 * not form a cycle that describes nothing; every keyword must have its standard value shape. Linear in the
 * schema; compiles nothing.
 */
export function reviewSchema(schema: unknown): SchemaReview {
  const review: Review = { nodes: 0, patternSize: 0, unchecked: new Set() };
  const problem =
    sizeProblem(schema, 0, review) ??
    (JSON.stringify(schema).length > maxBytes ? `is over ${maxBytes} bytes` : null) ??
    schemaShapeProblem(schema as Json, '', review) ??
    loopProblem(schema);
  return { problem, uncheckedPatterns: [...review.unchecked] };
}

/** Why a JSON Schema must not be used; null when it may be used. */
export const schemaProblem = (schema: unknown): string | null => reviewSchema(schema).problem;

function sizeProblem(node: unknown, depth: number, review: Review): string | null {
  if (typeof node !== 'object' || node === null) return null;
  review.nodes += 1;
  if (depth > maxDepth) return `is nested deeper than ${maxDepth}`;
  if (review.nodes > maxNodes) return `has more than ${maxNodes} parts`;
  for (const child of Object.values(node)) {
    const problem = sizeProblem(child, depth + 1, review);
    if (problem !== null) return problem;
  }
  return null;
}

const firstProblem = <T>(list: Iterable<T>, problemOf: (one: T) => string | null): string | null => {
  for (const one of list) {
    const problem = problemOf(one);
    if (problem !== null) return problem;
  }
  return null;
};

function schemaShapeProblem(schema: Json, at: string, review: Review): string | null {
  if (typeof schema === 'boolean') return null;
  if (!isObject(schema)) return `has no schema at ${shortened(at) || 'its top'}`;
  if (at !== '' && typeof schema['$id'] === 'string')
    return `has a part with an address of its own at ${shortened(at)}`;
  return firstProblem(Object.entries(schema), ([keyword, value]) => {
    const shape = Object.hasOwn(shapes, keyword) ? shapes[keyword] : undefined;
    return shape ? shapeProblem(shape, value, `${at}/${keyword}`, review) : null;
  });
}

const isCount = (value: Json): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const areTexts = (value: Json): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
const isType = (value: Json): boolean =>
  typeof value === 'string'
    ? types.has(value)
    : areTexts(value) && lengthOf(value) <= types.size && (value as string[]).every(isType);
const lengthOf = (value: Json): number => (Array.isArray(value) ? value.length : 0);

/** Value checks for keywords that contain no schemas. */
const leafShapes: Readonly<Partial<Record<Shape, readonly [(value: Json) => boolean, string]>>> = {
  type: [isType, 'an unknown type'],
  list: [Array.isArray, 'no list'],
  texts: [areTexts, 'no list of strings'],
  count: [isCount, 'no count'],
  number: [(value) => typeof value === 'number', 'no number'],
  bound: [(value) => typeof value === 'number' || typeof value === 'boolean', 'no number'],
  switch: [(value) => typeof value === 'boolean', 'neither true nor false'],
  anchor: [(value) => typeof value === 'string', 'no string'],
};

function shapeProblem(shape: Shape, value: Json, at: string, review: Review): string | null {
  const leaf = leafShapes[shape];
  if (leaf) return leaf[0](value) ? null : `has ${leaf[1]} at ${shortened(at)}`;
  if (shape === 'pattern') return patternProblem(value, at, review);
  if (shape === 'reference') return referenceProblem(value, at);
  if (shape === 'schema') return schemaShapeProblem(value, at, review);
  if (shape === 'schemas' || shape === 'schema or schemas') return listProblem(shape, value, at, review);
  if (!isObject(value)) return `has no schemas by name at ${shortened(at)}`;
  return firstProblem(Object.entries(value), ([name, inner]) => {
    const ofName = shape === 'patterned schemas' ? patternProblem(name, at, review) : null;
    const none = ofName !== null || (shape === 'dependents' && areTexts(inner));
    return none ? ofName : schemaShapeProblem(inner, `${at}/${name}`, review);
  });
}

function listProblem(shape: Shape, value: Json, at: string, review: Review): string | null {
  if (Array.isArray(value)) {
    const schemas = (value as readonly Json[]).entries();
    return firstProblem(schemas, ([index, inner]) => schemaShapeProblem(inner, `${at}/${index}`, review));
  }
  if (shape === 'schemas') return `has no list of schemas at ${shortened(at)}`;
  return schemaShapeProblem(value, at, review);
}

const shortened = (at: string): string => (at.length > 100 ? `…${at.slice(-100)}` : at);

function referenceProblem(value: Json, at: string): string | null {
  if (typeof value !== 'string') return `has no string at ${shortened(at)}`;
  return value.startsWith('#') ? null : `refers to ${value.slice(0, 100)}`;
}

function patternProblem(value: Json, at: string, review: Review): string | null {
  if (typeof value !== 'string') return `has no string at ${shortened(at)}`;
  const translated = translatePattern(value);
  if (translated.ok) {
    review.patternSize += translated.value.size;
    return review.patternSize > maxPatternSize ? 'has patterns that are too large together' : null;
  }
  if (translated.error === 'invalid') return `has an invalid pattern at ${shortened(at)}`;
  review.unchecked.add(value.slice(0, 200));
  return null;
}

/** Follows chains of references: a chain that returns to its start describes nothing and never ends. */
function loopProblem(schema: unknown): string | null {
  let found: string | null = null;
  const ending = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || found !== null) return;
    const reference = (node as { $ref?: unknown }).$ref;
    if (typeof reference === 'string' && loops(schema, reference, ending))
      found = 'has references that lead to themselves';
    Object.values(node).forEach(visit);
  };
  visit(schema);
  return found;
}

/** `ending`: references known to terminate; adds those it passes, so that each is followed once. */
function loops(schema: unknown, first: string, ending: Set<string>): boolean {
  const seen = new Set<string>();
  let reference: unknown = first;
  while (typeof reference === 'string' && !ending.has(reference)) {
    if (seen.has(reference)) return true;
    seen.add(reference);
    reference = pointed(schema, reference)?.$ref;
  }
  for (const each of seen) ending.add(each);
  return false;
}

function pointed(schema: unknown, reference: string): { readonly $ref?: unknown } | undefined {
  let node: unknown = schema;
  for (const part of reference.replace(/^#\/?/, '').split('/')) {
    if (part === '') continue;
    if (typeof node !== 'object' || node === null) return undefined;
    node = (node as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return typeof node === 'object' && node !== null ? node : undefined;
}
