import type { Tool } from '@modelcontextprotocol/client';
import { err, ok, type Result } from '#shared/result';
import { callFailure } from './call-failure';
import type { ServerSession, Timeouts } from './server-session';
import { defineTools, type DefinedTools } from './tool-definition';
import type { ToolMemory } from './tool-memory';

/** Whether to list the tools again: the server reported a change, or its list has expired. */
export interface Lists {
  stale: boolean;
  freshUntil: number;
}

export interface ListDeps {
  readonly name: string;
  readonly trusted: boolean;
  readonly readTtlMs?: number | undefined;
  readonly bundled?: string | undefined;
  readonly timeouts: Timeouts;
  readonly now: () => number;
  readonly memory?: ToolMemory | undefined;
}

/** Minimum lifetime of a list, so that a list that expires at once is not requested at every use. */
const shortestListMs = 5_000;

/** Lists a server's tools and records how long the list is valid. */
export async function listTools(
  deps: ListDeps,
  session: ServerSession,
  lists: Lists,
): Promise<Result<DefinedTools>> {
  try {
    const offers = session.client.getServerCapabilities()?.tools !== undefined;
    const options = { timeout: deps.timeouts.startMs, cacheMode: 'refresh' } as const;
    const listed = offers ? await session.client.listTools(undefined, options) : { tools: [] };
    const declared: readonly Tool[] = listed.tools;
    const { ttlMs } = listed as { readonly ttlMs?: unknown };
    lists.freshUntil = typeof ttlMs === 'number' ? deps.now() + Math.max(shortestListMs, ttlMs) : Infinity;
    const version = session.client.getServerVersion()?.version ?? '';
    deps.memory?.store({ version, declared });
    const { name, trusted, bundled, readTtlMs } = deps;
    return ok(defineTools({ name, version, trusted, bundled, readTtlMs }, declared));
  } catch (error) {
    return err(
      callFailure(error, { server: deps.name, tool: 'tools/list', end: session.end(), cancelled: false }),
    );
  }
}
