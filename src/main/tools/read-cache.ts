import type { Json, JsonObject } from '#shared/json';
import { parseJson, isObject } from '#shared/json';
import type { TextCache } from '../ports/text-cache';
import type { ToolDefinition } from '../ports/tool-definition';
import { canonicalHash } from './canonical-hash';

/**
 * How what a read depends on looks at this moment: equal stamps, equal result. Null: nobody can tell, so the call is made.
 */
export type FreshnessStamp = (definition: ToolDefinition, args: JsonObject) => Promise<string | null>;

/** What is known of a read before it is made. */
export interface LookedUp {
  /** The result of an equal read of something that has not changed since. */
  readonly hit: { readonly value: Json } | null;
  /** Keeps what the call gave, as of the moment of the look. */
  readonly keep: (value: Json) => void;
}

/** Results of reads by (server@version, tool, canonical arguments), for one project folder. */
export interface ReadCache {
  /** With `fresh` nothing is a hit, and what the call gives is kept all the same. */
  readonly look: (definition: ToolDefinition, args: JsonObject, fresh: boolean) => Promise<LookedUp>;
}

export interface ReadCacheDeps {
  readonly project: string;
  readonly texts: TextCache;
  readonly stamp: FreshnessStamp;
}

const nothing: LookedUp = { hit: null, keep: () => undefined };

function storedValue(text: string | null, stamp: string): LookedUp['hit'] {
  const entry = text === null ? null : parseJson(text);
  if (!entry?.ok || !isObject(entry.value) || entry.value['stamp'] !== stamp) return null;
  const { value } = entry.value;
  return value === undefined ? null : { value };
}

export function createReadCache({ project, texts, stamp }: ReadCacheDeps): ReadCache {
  return {
    look: async (definition, args, fresh) => {
      const now = await stamp(definition, args);
      if (now === null) return nothing;
      const { server, serverVersion, tool, description, inputSchema } = definition;
      const key = canonicalHash({
        ...{ project, server, serverVersion, tool, arguments: args },
        ...{ description, inputSchema },
      });
      return {
        hit: fresh ? null : storedValue(texts.get(key), now),
        keep: (value) => texts.put(key, JSON.stringify({ stamp: now, value })),
      };
    },
  };
}
