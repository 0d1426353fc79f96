import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { canonicalJson, parseJson } from '#shared/json';
import type { TextCache } from '../../../core/ports/text-cache';
import type { ServerEntry } from './registry';

/** A server's tools as it listed them, and the identity it reported. */
export interface ListedTools {
  readonly version: string;
  readonly declared: readonly Tool[];
}

/** The last list of one server, cached between starts. */
export type ToolMemory = ReturnType<typeof createToolMemory>;

/** Validates only the fields needed to judge a tool again; preserves the rest of a declaration. */
const StoredTools = z.object({
  /** `server@version`. */
  of: z.string(),
  version: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  declared: z
    .array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({ type: z.literal('object') }) }))
    .max(10_000),
});

/** A server that is never used is asked for its tools once a day. */
const MAX_AGE_MS = 24 * 3_600_000;

export interface ToolMemoryDeps {
  readonly texts: TextCache;
  /** The app's version, which the bundled servers share. */
  readonly app: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const hash = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

/**
 * Remembers the tools of `name@version` under the command or address in its registry entry: another command
 * or address is another server. Only the server knows its version, so this stores the newest version it
 * reported.
 */
export function createToolMemory({ texts, app, now }: ToolMemoryDeps, name: string, entry: ServerEntry) {
  const { trusted: _trusted, disabled: _disabled, readTtlMs: _ttl, ...timed } = entry;
  const { timeoutMs: _call, maxTimeoutMs: _total, startTimeoutMs: _start, ...reached } = timed;
  const key = hash({ toolsOf: name, reached, ...(entry.kind === 'bundled' && { app }) });
  return {
    recall(): ListedTools | null {
      const text = texts.get(key);
      const parsed = text === null ? null : parseJson(text);
      const stored = parsed?.ok === true ? StoredTools.safeParse(parsed.value) : null;
      if (stored?.success !== true) return null;
      const { version, declared, at } = stored.data;
      const age = now() - at;
      if (age < 0 || age >= MAX_AGE_MS) return null;
      return { version, declared: declared };
    },
    store({ version, declared }: ListedTools): void {
      texts.put(key, JSON.stringify({ of: `${name}@${version}`, version, at: now(), declared }));
    },
  };
}
