import { canonicalJson, isObject, type Json, type JsonObject } from '#shared/json';
import type { WorkspaceFinding } from '#shared/workspace';
import { patternNames } from '../tools/tool-pattern';
import type { ToolCatalog, WorkspaceContent } from './workspace-content';

/** The known facts about the tools that can be called. */
export interface KnownBindings {
  /** The schema of each known tool by its name. */
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /**
   * Whether all tools that a name or a pattern can mean are known, so that a missing one really is missing.
   */
  readonly complete: (pattern: string) => boolean;
}

const annotations = ['$schema', 'description', 'title', 'default', 'examples', '$comment'];
const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'format'];
const ignored = new Set([...annotations, ...bounds]);

/**
 * The parts of a schema that a caller must match: names, types and required members, but not descriptions and
 * bounds.
 */
function shape(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(shape);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).filter(([name]) => !ignored.has(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === 'properties' ? shapes(member) : shape(member)]),
  );
}

/** Below `properties`, names are the author's own and not schema keywords. */
function shapes(properties: Json): Json {
  if (!isObject(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, shape(member)]));
}

const unbound = (tool: string, catalog: string): WorkspaceFinding => ({
  level: 'warning',
  file: catalog,
  field: 'tools',
  rule: 'unbound',
  reason: `${tool} has a descriptor, but no tool provides it, so it is not offered.`,
});
const differs = (tool: string, catalog: string): WorkspaceFinding => ({
  level: 'warning',
  file: catalog,
  field: 'tools',
  rule: 'schema-differs',
  reason: `The descriptor of ${tool} has another schema than the tool; the tool's own schema is used.`,
});

const unknown = (pattern: string, catalog: string): WorkspaceFinding => ({
  level: 'warning',
  file: catalog,
  field: 'tools',
  rule: 'unknown-tool',
  reason: `No tool matches ${pattern}, so this entry of the tool set has no effect.`,
});

/** A catalog's names and patterns that no tool answers to. */
function unknownNames({ file, tools, descriptors }: ToolCatalog, { schemas, complete }: KnownBindings) {
  const described = new Set(descriptors.map(({ name }) => name));
  const known = [...schemas.keys()];
  return tools
    .filter((pattern) => !described.has(pattern) && complete(pattern))
    .filter((pattern) => !known.some((tool) => patternNames(pattern, tool)))
    .map((pattern) => unknown(pattern, file));
}

/**
 * Finds names, patterns and descriptors without a matching tool, and descriptors whose arguments differ from those of
 * their binding. Pure.
 */
export function toolFindings(
  content: WorkspaceContent,
  bindings: KnownBindings,
): readonly WorkspaceFinding[] {
  return [...content.catalogs.values()].flatMap((catalog) => [
    ...unknownNames(catalog, bindings),
    ...catalog.descriptors.flatMap(({ name, parameters }) => {
      const { file } = catalog;
      const schema = bindings.schemas.get(name);
      if (!schema) return bindings.complete(name) ? [unbound(name, file)] : [];
      return canonicalJson(shape(schema)) === canonicalJson(shape(parameters)) ? [] : [differs(name, file)];
    }),
  ]);
}
