import { canonicalJson, isObject, type Json, type JsonObject } from '#shared/json';
import type { WorkspaceFinding } from '#shared/workspace';
import type { ToolCatalog, WorkspaceContent } from './workspace-content';

/** What is known of the tools that can be called. */
export interface KnownBindings {
  /** The schema of a tool's binding, where it is known. */
  readonly schemaOf: (tool: string) => JsonObject | undefined;
  /** Whether all tools of a tool's side (the host, a server) are known, so that a missing one is really missing. */
  readonly complete: (tool: string) => boolean;
}

const annotations = ['$schema', 'description', 'title', 'default', 'examples', '$comment'];
const bounds = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'format'];
const ignored = new Set([...annotations, ...bounds]);

/** What a caller must get right: names, types and what is required; not words and bounds. */
function shape(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(shape);
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).filter(([name]) => !ignored.has(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === 'properties' ? shapes(member) : shape(member)]),
  );
}

/** Below `properties` the names are the author's own, none of the schema's words. */
function shapes(properties: Json): Json {
  if (!isObject(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, shape(member)]));
}

const unbound = (tool: string, catalog: string): WorkspaceFinding => ({
  level: 'warning',
  file: catalog,
  field: 'tools',
  rule: 'unbound',
  reason: `${tool} is described, but nothing here can carry it out; it is not offered.`,
});
const differs = (tool: string, catalog: string): WorkspaceFinding => ({
  level: 'warning',
  file: catalog,
  field: 'tools',
  rule: 'schema-differs',
  reason: `${tool} is described with another schema than it has; its own is what counts.`,
});

const unknown = (pattern: string, catalog: string): WorkspaceFinding => ({
  level: 'warning',
  file: catalog,
  field: 'tools',
  rule: 'unknown-tool',
  reason: `No tool is called ${pattern}, so the catalog offers nothing by it.`,
});

/** A catalog's names of the host's side that no tool has. What a server offers is known only once it ran. */
function unknownNames({ id, tools, descriptors }: ToolCatalog, bindings: KnownBindings) {
  const described = new Set(descriptors.map(({ name }) => name));
  return tools
    .filter((tool) => !described.has(tool) && !tool.includes('*') && !tool.includes('?'))
    .filter((tool) => bindings.complete(tool) && !bindings.schemaOf(tool))
    .map((tool) => unknown(tool, id));
}

/** Names and descriptors that no tool answers to, and descriptors that describe other arguments than their binding takes. Pure. */
export function toolFindings(
  content: WorkspaceContent,
  bindings: KnownBindings,
): readonly WorkspaceFinding[] {
  return [...content.catalogs.values()].flatMap((catalog) => [
    ...unknownNames(catalog, bindings),
    ...catalog.descriptors.flatMap(({ name, parameters }) => {
      const { id } = catalog;
      const schema = bindings.schemaOf(name);
      if (!schema) return bindings.complete(name) ? [unbound(name, id)] : [];
      return canonicalJson(shape(schema)) === canonicalJson(shape(parameters)) ? [] : [differs(name, id)];
    }),
  ]);
}
