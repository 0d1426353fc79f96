import { err, ok, type Result } from '#shared/result';
import type { ResourceRow } from '../../../core/ports/mcp-resources';
import { callFailure } from './call-failure';
import type { ServerSession } from './server-session';

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
