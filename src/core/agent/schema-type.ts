import type { Json, JsonObject } from '#shared/json';

const deepest = 5;
const maxChoices = 12;
const maxDefaultLength = 24;

interface TypeContext {
  /** The schema that local references point into. */
  readonly root: JsonObject;
  readonly depth: number;
  /** The references followed so far; meeting one again means a cycle. */
  readonly open: readonly string[];
}

type Kind = (schema: JsonObject, context: TypeContext) => string | undefined;

const isSchema = (value: Json | undefined): value is JsonObject =>
  value !== undefined && value !== null && typeof value === 'object' && !Array.isArray(value);

const list = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

const deeper = (context: TypeContext): TypeContext => ({ ...context, depth: context.depth + 1 });
const key = (name: string): string => (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name));
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'unknown';
const grouped = (type: string): string => (/ [|&] /.test(type) && !/^[{[]/.test(type) ? `(${type})` : type);

/** Resolves a pointer such as `#/$defs/Order` in the root; undefined when it leads nowhere. */
function pointed(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  let value: Json | undefined = root;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isSchema(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** The schema that a `$ref` refers to; `undefined` when it leads nowhere or back to itself. */
function resolved(
  schema: JsonObject,
  context: TypeContext,
): { readonly schema: JsonObject; readonly context: TypeContext } | undefined {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return { schema, context };
  if (context.open.includes(reference)) return undefined;
  const target = pointed(context.root, reference);
  return isSchema(target) ? resolved(target, { ...context, open: [...context.open, reference] }) : undefined;
}

/** A default value, if it is short enough to be useful. */
function defaultNote(schema: Json | undefined): string {
  if (!isSchema(schema) || !Object.hasOwn(schema, 'default') || schema['default'] === null) return '';
  const text = JSON.stringify(schema['default']);
  return text.length > maxDefaultLength || text.includes('*/') ? '' : ` /* default ${text} */`;
}

function member(name: string, schema: Json | undefined, required: boolean, context: TypeContext): string {
  return `${key(name)}${required ? '' : '?'}: ${typeAt(schema, deeper(context))}${required ? '' : defaultNote(schema)}`;
}

const objectType: Kind = (schema, context) => {
  const properties = schema['properties'];
  if (schema['type'] !== 'object' && !isSchema(properties)) return undefined;
  const rest = schema['additionalProperties'];
  const other = isSchema(rest) ? typeAt(rest, deeper(context)) : 'unknown';
  const names = isSchema(properties) ? Object.entries(properties) : [];
  if (names.length === 0) return isSchema(properties) && !isSchema(rest) ? '{}' : `Record<string, ${other}>`;
  const required = list(schema['required']);
  const members = names.map(([name, value]) => member(name, value, required.includes(name), context));
  return `{ ${[...members, ...(isSchema(rest) ? [`[key: string]: ${other}`] : [])].join('; ')} }`;
};

const arrayType: Kind = (schema, context) => {
  const tuple = list(schema['prefixItems']);
  if (tuple.length > 0) return `[${tuple.map((item) => typeAt(item, deeper(context))).join(', ')}]`;
  return schema['type'] === 'array' ? `${grouped(typeAt(schema['items'], deeper(context)))}[]` : undefined;
};

const choiceType: Kind = (schema, context) => {
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema['const']);
  const values = list(schema['enum']);
  if (values.length > 0) {
    const shown = values.slice(0, maxChoices).map((value) => JSON.stringify(value));
    return union(values.length > maxChoices ? [...shown, '…'] : shown);
  }
  const options = [...list(schema['anyOf']), ...list(schema['oneOf'])];
  if (options.length > 0) return union(options.map((option) => grouped(typeAt(option, deeper(context)))));
  const types = list(schema['type']);
  return types.length > 0
    ? union(types.map((type) => grouped(typeAt({ ...schema, type }, context))))
    : undefined;
};

/**
 * The parts of `allOf` with the schema's own members: objects are merged into one object, anything else
 * becomes an intersection.
 */
const mergedType: Kind = (schema, context) => {
  const { allOf, ...own } = schema;
  const given = isSchema(own['properties']) ? [own, ...list(allOf)] : list(allOf);
  if (list(allOf).length === 0) return undefined;
  const parts = given.flatMap((part) => (isSchema(part) ? [resolved(part, context)?.schema ?? {}] : []));
  if (!parts.every((part) => isSchema(part['properties']) && list(part['allOf']).length === 0)) {
    return parts.map((part) => grouped(typeAt(part, deeper(context)))).join(' & ');
  }
  const properties = Object.fromEntries(
    parts.flatMap((part) => Object.entries(part['properties'] as JsonObject)),
  );
  const required = parts.flatMap((part) => list(part['required']));
  return objectType({ type: 'object', properties, required }, context);
};

const simple: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

const simpleType: Kind = ({ type }) => (typeof type === 'string' ? simple[type] : undefined);
const kinds: readonly Kind[] = [mergedType, choiceType, arrayType, objectType, simpleType];

function typeAt(given: Json | undefined, context: TypeContext): string {
  if (!isSchema(given) || context.depth > deepest) return 'unknown';
  const found = resolved(given, context);
  if (!found) return 'unknown';
  for (const kind of kinds) {
    const type = kind(found.schema, found.context);
    if (type !== undefined) return found.schema['nullable'] === true ? union([type, 'null']) : type;
  }
  return 'unknown';
}

/**
 * Renders a JSON Schema as a TypeScript type on one line: local `$ref`, `allOf`, `anyOf`, enumerations,
 * tuples, defaults. An inexpressible type, an external reference or a cycle becomes `unknown`. Pure.
 */
export function schemaType(schema: JsonObject): string {
  return typeAt(schema, { root: schema, depth: 0, open: [] });
}
