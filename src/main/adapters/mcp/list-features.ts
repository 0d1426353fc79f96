import type { Tool } from '@modelcontextprotocol/client';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { callFailure } from './call-failure';
import type { ServerSession, Timeouts } from './server-session';
import { defineTools, type DefinedTools } from './tool-definition';
import type { ToolMemory } from './tool-memory';
import type { ResourceRow } from '../../../core/ports/mcp-resources';

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

const maxResources = 20_000;
/** A resource with a longer address cannot be selected. */
const maxUriLength = 4_096;

/** A single, bounded line of a server's text. */
const oneLine = (text: string | undefined, maxLength: number): string =>
  (text ?? '')
    .slice(0, maxLength * 4)
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, maxLength);

interface Declared {
  readonly uri: string;
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
}

function toRow(server: string, { uri, name, title, description }: Declared): ResourceRow | null {
  if (uri === '' || uri.length > maxUriLength || /\p{Cc}/u.test(uri)) return null;
  const shown = oneLine(title, 200) || oneLine(name, 200) || uri;
  return { server, uri, name: shown, description: oneLine(description, 300) };
}

/**
 * The resources that a running server declares; none if it does not support resources. Failures have the same
 * types as those of a call.
 */
export async function listResources(
  server: string,
  session: ServerSession,
  timeout: number,
  signal: AbortSignal,
): Promise<Result<readonly ResourceRow[]>> {
  if (session.client.getServerCapabilities()?.resources === undefined) return ok([]);
  try {
    const listed = await session.client.listResources(undefined, { timeout, signal, cacheMode: 'refresh' });
    const rows = listed.resources.slice(0, maxResources).map((one) => toRow(server, one));
    return ok(rows.filter((row) => row !== null));
  } catch (error) {
    const how = { server, tool: 'resources/list', end: session.end(), cancelled: signal.aborted };
    return err(callFailure(error, how));
  }
}

/** A resource's content in its parts; a part that is not text is named by its type. */
function textOf(contents: readonly object[]): string | null {
  const texts = contents.flatMap((part) =>
    'text' in part && typeof part.text === 'string' ? [part.text] : [],
  );
  return texts.length === 0 ? null : texts.join('\n\n');
}

/**
 * The text of a running server's resource. TOOL/INVALID_OUTPUT when it has none; other failures have the same
 * types as those of a call.
 */
export async function readResource(
  server: string,
  session: ServerSession,
  uri: string,
  { timeout, signal }: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<Result<string>> {
  try {
    const { contents } = await session.client.readResource({ uri }, { timeout, signal });
    const text = textOf(contents);
    const none = appError('TOOL', 'INVALID_OUTPUT', `${uri} has no text, and a model cannot read it.`);
    return text === null ? err(none) : ok(text);
  } catch (error) {
    const how = { server, tool: 'resources/read', end: session.end(), cancelled: signal.aborted };
    return err(callFailure(error, how));
  }
}
