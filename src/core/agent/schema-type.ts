import type { Json, JsonObject } from '#shared/json';

const deepest = 5;
const maxChoices = 12;
const maxDefaultLength = 24;

/**
 * Writes an object type or an enumeration: in full, or as a name. `full` is its text without names, `written`
 * renders its members with names; `hint` is the schema's title, the last part of its reference, or the name of
 * its member.
 */
export type WriteObject = (full: string, hint: string, written: () => string) => string;

interface TypeContext {
  /** The schema that local references point into. */
  readonly root: JsonObject;
  readonly depth: number;
  /** The references followed so far; meeting one again means a cycle. */
  readonly open: readonly string[];
  /** The name of the value at its place. */
  readonly hint: string;
  readonly write?: WriteObject | undefined;
  /** A member that is a string is written without its type, and a default as a value. */
  readonly brief: boolean;
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
  const hint = reference.split('/').at(-1) ?? '';
  return isSchema(target)
    ? resolved(target, { ...context, hint, open: [...context.open, reference] })
    : undefined;
}

/** Defaults that a reader expects anyway. */
const emptyDefaults = new Set(['null', 'false', '0', '""', '[]', '{}']);

/** A default value, if it is short enough to be useful and not the only value there is. */
function defaultOf(schema: Json | undefined): string {
  if (!isSchema(schema) || !Object.hasOwn(schema, 'default')) return '';
  const text = JSON.stringify(schema['default']);
  if (Object.hasOwn(schema, 'const') || list(schema['enum']).length === 1) return '';
  return text.length > maxDefaultLength || text.includes('*/') ? '' : text;
}

/** The types that a member's default tells, by the JavaScript type of the default. */
const isNamedBy = (type: string, value: string): boolean =>
  typeof JSON.parse(value) === type && ['string', 'number', 'boolean'].includes(type);

/** A type after its member's name, in few tokens. */
const briefType = (type: string): string =>
  ({ string: '', number: '#', 'string[]': '[]', 'number[]': '#[]' })[type] ?? `: ${type}`;

/** `path`, `line#`, `ids[]`, `context=3`: a default says that the member is optional and of what type it is. */
function briefMember(name: string, type: string, required: boolean, value: string): string {
  if (!required && value !== '' && value !== '""' && isNamedBy(type, value)) return `${name}=${value}`;
  const note = required || value === '' || emptyDefaults.has(value) ? '' : `=${value}`;
  return `${name}${required ? '' : '?'}${briefType(type)}${note}`;
}

function member(name: string, schema: Json | undefined, required: boolean, context: TypeContext): string {
  const type = typeAt(schema, { ...deeper(context), hint: name });
  const value = defaultOf(schema);
  if (context.brief) return briefMember(key(name), type, required, value);
  const note = required || value === '' || emptyDefaults.has(value) ? '' : ` /* default ${value} */`;
  return `${key(name)}${required ? '' : '?'}: ${type}${note}`;
}

const objectText: Kind = (schema, context) => {
  const properties = schema['properties'];
  if (schema['type'] !== 'object' && !isSchema(properties)) return undefined;
  const rest = schema['additionalProperties'];
  const other = isSchema(rest) ? typeAt(rest, deeper(context)) : 'unknown';
  const names = isSchema(properties) ? Object.entries(properties) : [];
  if (names.length === 0) return isSchema(properties) && !isSchema(rest) ? '{}' : `Record<string, ${other}>`;
  const required = list(schema['required']);
  const members = names.map(([name, value]) => member(name, value, required.includes(name), context));
  const all = [...members, ...(isSchema(rest) ? [`[key: string]: ${other}`] : [])];
  return `{ ${all.join(context.brief ? ', ' : '; ')} }`;
};

function hintOf({ title }: JsonObject, { hint }: TypeContext): string {
  return typeof title === 'string' && title !== '' ? title : hint;
}

const objectType: Kind = (schema, context) => {
  const { write } = context;
  const full = objectText(schema, { ...context, write: undefined });
  if (!write || full?.startsWith('{ ') !== true) return full;
  return write(full, hintOf(schema, context), () => objectText(schema, context) ?? full);
};

/** The singular of a plural name: `orders` gives `order`. */
const singular = (name: string): string =>
  name
    .replace(/ies$/, 'y')
    .replace(/(?<=(?:ss|sh|ch|x))es$/, '')
    .replace(/(?<=[^su])s$/, '');

const arrayType: Kind = (schema, context) => {
  const tuple = list(schema['prefixItems']);
  if (tuple.length > 0) return `[${tuple.map((item) => typeAt(item, deeper(context))).join(', ')}]`;
  if (schema['type'] !== 'array') return undefined;
  return `${grouped(typeAt(schema['items'], { ...deeper(context), hint: singular(context.hint) }))}[]`;
};

const choiceType: Kind = (schema, context) => {
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema['const']);
  const values = list(schema['enum']);
  if (values.length > 0) {
    const shown = values.slice(0, maxChoices).map((value) => JSON.stringify(value));
    const full = union(values.length > maxChoices ? [...shown, '…'] : shown);
    return context.write ? context.write(full, hintOf(schema, context), () => full) : full;
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
  const schemas = isSchema(own['properties']) ? [own, ...list(allOf)] : list(allOf);
  if (list(allOf).length === 0) return undefined;
  const parts = schemas.flatMap((part) => (isSchema(part) ? [resolved(part, context)?.schema ?? {}] : []));
  if (!parts.every((part) => isSchema(part['properties']) && list(part['allOf']).length === 0)) {
    return parts.map((part) => grouped(typeAt(part, deeper(context)))).join(' & ');
  }
  const properties = Object.fromEntries(
    parts.flatMap((part) => Object.entries(part['properties'] as JsonObject)),
  );
  const required = parts.flatMap((part) => list(part['required']));
  const { title } = schema;
  return objectType({ type: 'object', properties, required, ...(title && { title }) }, context);
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

function typeAt(schema: Json | undefined, context: TypeContext): string {
  if (!isSchema(schema) || context.depth > deepest) return 'unknown';
  const found = resolved(schema, context);
  if (!found) return 'unknown';
  for (const kind of kinds) {
    const type = kind(found.schema, found.context);
    if (type !== undefined) return found.schema['nullable'] === true ? union([type, 'null']) : type;
  }
  return 'unknown';
}

/** How object types and enumerations are written; without it each is written in full and every type is shown. */
export interface TypeNaming {
  readonly hint: string;
  readonly write: WriteObject;
}

/**
 * Renders a JSON Schema as a TypeScript type on one line: local `$ref`, `allOf`, `anyOf`, enumerations,
 * tuples, defaults. An inexpressible type, an external reference or a cycle becomes `unknown`. With `naming`,
 * a member that is a string has no type. Pure.
 */
export function schemaType(schema: JsonObject, naming?: TypeNaming): string {
  const { hint = '', write } = naming ?? {};
  return typeAt(schema, { root: schema, depth: 0, open: [], hint, write, brief: naming !== undefined });
}
