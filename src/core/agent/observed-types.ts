import { isObject, parseJson, sameJson, type Json, type JsonObject } from '#shared/json';
import type { TextCache } from '../ports/text-cache';
import type { ToolDefinition } from '../ports/tool-definition';
import { canonicalHash } from '../tools/canonical-hash';
import type { ToolCaller } from '../tools/tool-caller';
import { mergeSchemas, observedSchema } from './observed-schema';

/** What tools without an output schema were seen to give: shapes and member names, never values. */
export interface ObservedTypes {
  readonly see: (tool: ToolDefinition, result: Json) => void;
  /** The schema of every result seen so far, or undefined. */
  readonly schemaOf: (tool: ToolDefinition) => JsonObject | undefined;
}

const keyOf = ({ uri, serverVersion }: ToolDefinition): string =>
  canonicalHash({ observed: uri, version: serverVersion });

/** A shape larger than this says nothing a plan could use. */
const maxSchemaLength = 8_000;
/** Results of one tool that are looked at in one life of the process; a script may make thousands of calls. */
const maxSamples = 20;

/** Learns per tool and server version; another version of a server is not known yet. */
export function createObservedTypes(cache: TextCache): ObservedTypes {
  const samples = new Map<string, number>();
  const schemaOf = (tool: ToolDefinition): JsonObject | undefined => {
    const cached = cache.get(keyOf(tool));
    const parsed = cached === null ? null : parseJson(cached);
    return parsed?.ok === true && isObject(parsed.value) ? parsed.value : undefined;
  };
  return {
    schemaOf,
    see: (tool, result) => {
      const count = (samples.get(tool.uri) ?? 0) + 1;
      if (count > maxSamples) return;
      samples.set(tool.uri, count);
      const known = schemaOf(tool);
      const merged = mergeSchemas(known ?? {}, observedSchema(result));
      if (known && sameJson(known, merged)) return;
      const text = JSON.stringify(merged);
      if (text.length <= maxSchemaLength) cache.put(keyOf(tool), text);
    },
  };
}

/** The same calls; what a tool without an output schema gave is looked at on its way back. */
export function withTypeInference(calls: ToolCaller, observed: ObservedTypes): ToolCaller {
  return {
    ...calls,
    forNode: (scope, listing) => {
      const untyped = new Map(
        listing.tools.flatMap((tool) => (tool.outputSchema ? [] : [[tool.uri, tool] as const])),
      );
      const call = calls.forNode(scope, listing);
      return async (uri, args, signal) => {
        const result = await call(uri, args, signal);
        const tool = untyped.get(uri);
        if (result.ok && tool) observed.see(tool, result.value);
        return result;
      };
    },
  };
}
