import { canonicalJson, isObject, type Json, type JsonObject } from '#shared/json';
import type { WorkspaceFinding } from '#shared/workspace';
import type { WorkspaceContent } from './workspace-content';

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
  ...{ level: 'warning', file: catalog, field: 'tools', rule: 'unbound' },
  reason: `${tool} is described, but nothing here can carry it out; it is not offered.`,
});
const differs = (tool: string, catalog: string): WorkspaceFinding => ({
  ...{ level: 'warning', file: catalog, field: 'tools', rule: 'schema-differs' },
  reason: `${tool} is described with another schema than it has; its own is what counts.`,
});

/** Descriptors that no binding answers to, or that describe other arguments than their binding takes. Pure. */
export function toolFindings(
  content: WorkspaceContent,
  bindings: KnownBindings,
): readonly WorkspaceFinding[] {
  return [...content.catalogs.values()].flatMap(({ id, descriptors }) =>
    descriptors.flatMap(({ name, parameters }) => {
      const schema = bindings.schemaOf(name);
      if (!schema) return bindings.complete(name) ? [unbound(name, id)] : [];
      return canonicalJson(shape(schema)) === canonicalJson(shape(parameters)) ? [] : [differs(name, id)];
    }),
  );
}
