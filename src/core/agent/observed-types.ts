import { isObject, parseJson, sameJson, type Json, type JsonObject } from '#shared/json';
import type { TextCache } from '../ports/text-cache';
import type { ToolDefinition } from '../ports/tool-definition';
import { canonicalHash } from '../tools/canonical-hash';
import { answersInText, scriptResult } from './json-text';
import { mergeSchemas, observedSchema } from './observed-schema';

/** Records the result shapes and member names of tools without an output schema, never values. */
export interface ObservedTypes {
  /** Learns from a result; a tool that declares an output schema is left alone. */
  readonly see: (tool: ToolDefinition, result: Json) => void;
  /** The merged schema of all results seen so far, or undefined. */
  readonly schemaOf: (tool: ToolDefinition) => JsonObject | undefined;
}

/** A tool whose text is parsed is known under another key than when it was a string. */
const keyOf = (tool: ToolDefinition): string =>
  canonicalHash({
    observed: tool.uri,
    version: tool.serverVersion,
    ...(answersInText(tool) && { parsed: true }),
  });

/** Maximum length of a stored schema; a plan cannot use a larger one. */
const maxSchemaLength = 8_000;
/** Maximum number of results inspected per tool and process; a script may make thousands of calls. */
const maxSamples = 20;

/** Learns per tool and server version; a new server version starts without known types. */
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
      if (tool.outputSchema) return;
      const count = (samples.get(tool.uri) ?? 0) + 1;
      if (count > maxSamples) return;
      samples.set(tool.uri, count);
      const known = schemaOf(tool);
      const merged = mergeSchemas(known ?? {}, observedSchema(scriptResult(tool, result)));
      if (known && sameJson(known, merged)) return;
      const text = JSON.stringify(merged);
      if (text.length <= maxSchemaLength) cache.put(keyOf(tool), text);
    },
  };
}
