import type { Json, JsonObject } from '#shared/json';
import type { ToolDefinition } from '../ports/tool-definition';
import { scriptAliases } from './script-tools';

const deepest = 4;
const longestSignature = 600;
const longestDescription = 160;

const isObject = (value: Json | undefined): value is JsonObject =>
  value !== undefined && value !== null && typeof value === 'object' && !Array.isArray(value);

const key = (name: string): string => (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name));

function members(schema: JsonObject, depth: number): string {
  const properties = schema['properties'];
  if (!isObject(properties)) return 'Record<string, unknown>';
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly Json[]) : [];
  const listed = Object.entries(properties).map(
    ([name, member]) => `${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(member, depth + 1)}`,
  );
  return listed.length === 0 ? '{}' : `{ ${listed.join('; ')} }`;
}

function arrayOf(items: Json | undefined, depth: number): string {
  const item = typeOf(items, depth + 1);
  return item.includes(' ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

const simple: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

/** A choice the schema spells out: `enum`, `const`, `anyOf`, `oneOf`, or several types. */
function choiceType(schema: JsonObject, depth: number): string | undefined {
  const values = schema['enum'];
  if (Array.isArray(values)) return union((values as readonly Json[]).map((value) => JSON.stringify(value)));
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema['const']);
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options))
    return union((options as readonly Json[]).map((option) => typeOf(option, depth + 1)));
  const { type } = schema;
  if (!Array.isArray(type)) return undefined;
  return union((type as readonly Json[]).map((one) => typeOf({ ...schema, type: one }, depth + 1)));
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'unknown';

/** A JSON Schema as a TypeScript type on one line; what it cannot say becomes `unknown`. */
function typeOf(schema: Json | undefined, depth: number): string {
  if (!isObject(schema) || depth > deepest) return 'unknown';
  const choice = choiceType(schema, depth);
  if (choice !== undefined) return choice;
  const { type } = schema;
  if (type === 'array') return arrayOf(schema['items'], depth);
  if (type === 'object' || isObject(schema['properties'])) return members(schema, depth);
  return (typeof type === 'string' && simple[type]) || 'unknown';
}

/** The first sentence, on one line, without characters that show nothing or turn the text's direction. */
export function firstSentence(description: string): string {
  const line = description
    .slice(0, 2_000)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? line;
  return sentence.length > longestDescription ? `${sentence.slice(0, longestDescription - 1)}…` : sentence;
}

const cut = (text: string): string => (text.length > longestSignature ? 'unknown' : text);

/** `tools.server.tool(args: {…}): Promise<{…}>` for each tool, as scripts call it. */
export function toolSignatures(tools: readonly ToolDefinition[]): ReadonlyMap<string, string> {
  const aliases = scriptAliases(tools.map(({ uri }) => uri));
  const byUri = new Map(tools.map((definition) => [definition.uri, definition]));
  const signatures = new Map<string, string>();
  for (const [alias, uri] of aliases) {
    const definition = byUri.get(uri);
    if (!definition) continue;
    const input = cut(typeOf(definition.inputSchema, 0));
    const output = definition.outputSchema ? cut(typeOf(definition.outputSchema, 0)) : 'unknown';
    signatures.set(uri, `tools.${alias}(args: ${input}): Promise<${output}>`);
  }
  return signatures;
}
