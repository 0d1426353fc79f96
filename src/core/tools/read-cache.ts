import type { Json, JsonObject } from '#shared/json';
import { parseJson, isObject } from '#shared/json';
import type { TextCache } from '../ports/text-cache';
import type { ToolDefinition } from '../ports/tool-definition';
import { canonicalHash } from './canonical-hash';

/** A stamp of all that a read depends on: equal stamps mean equal results. Null: unknown, make the call. */
export type FreshnessStamp = (definition: ToolDefinition, args: JsonObject) => Promise<string | null>;

/** The cache entry for a read, looked up before the read is made. */
export interface CacheLookup {
  /** The result of an equal read whose inputs have not changed since. */
  readonly hit: { readonly value: Json } | null;
  /** Stores the result of the call with the stamp of the lookup. */
  readonly store: (value: Json) => void;
}

/** Results of reads by (server@version, tool, canonical arguments), for one project folder. */
export interface ReadCache {
  /** With `bypass` nothing is a hit, but the new result is stored. */
  readonly lookUp: (definition: ToolDefinition, args: JsonObject, bypass: boolean) => Promise<CacheLookup>;
  /** Invalidates a server's cached results before a write. */
  readonly invalidate: (server: string) => void;
}

export interface ReadCacheDeps {
  readonly project: string;
  readonly texts: TextCache;
  readonly stamp: FreshnessStamp;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const nothing: CacheLookup = { hit: null, store: () => undefined };

/** The stored result of a read if its stamp is the same and it has not expired. */
function storedValue(text: string | null, stamp: string, now: number, ttlMs: number): CacheLookup['hit'] {
  const entry = text === null ? null : parseJson(text);
  if (!entry?.ok || !isObject(entry.value) || entry.value['stamp'] !== stamp) return null;
  const { value, at } = entry.value;
  const age = typeof at === 'number' ? now - at : 0;
  // A clock that was set back must not extend the life of an entry.
  return value === undefined || age < 0 || age >= ttlMs ? null : { value };
}

export function createReadCache({ project, texts, stamp, now }: ReadCacheDeps): ReadCache {
  const changesKey = (server: string): string => canonicalHash({ project, changesOf: server });
  /** The current stamp of a read: the state of its files, or else the number of writes sent to its server. */
  const currentStamp = async (definition: ToolDefinition, args: JsonObject): Promise<string | null> => {
    const files = await stamp(definition, args);
    if (files !== null || definition.readTtlMs === undefined) return files;
    return `changes ${texts.get(changesKey(definition.server)) ?? '0'}`;
  };
  return {
    invalidate: (server) => {
      const key = changesKey(server);
      texts.put(key, String(Number(texts.get(key) ?? '0') + 1));
    },
    lookUp: async (definition, args, bypass) => {
      const stampNow = await currentStamp(definition, args);
      if (stampNow === null) return nothing;
      const { server, serverVersion, tool, description, inputSchema, readTtlMs = Infinity } = definition;
      const key = canonicalHash({
        project,
        server,
        serverVersion,
        tool,
        arguments: args,
        description,
        inputSchema,
      });
      return {
        hit: bypass ? null : storedValue(texts.get(key), stampNow, now(), readTtlMs),
        store: (value) => texts.put(key, JSON.stringify({ stamp: stampNow, at: now(), value })),
      };
    },
  };
}
