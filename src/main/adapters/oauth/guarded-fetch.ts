import type { FetchLike } from '@modelcontextprotocol/client';
import { resolveHost, type ResolveHost } from '../system/host-scope';
import { endpointProblem } from './endpoint';
import { refusal } from './refusal';

export interface GuardDeps {
  /** The MCP server that the sign-in is for. */
  readonly server: URL;
  readonly fetch?: FetchLike;
  readonly resolve?: ResolveHost;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
/** Metadata and tokens are a few kilobytes. */
const MAX_BYTES = 256 * 1024;

/**
 * The only way in which a sign-in reaches the network: judges each address before it is asked, follows no
 * redirect to another origin, and bounds the time and size of each answer. Rejects with a refusal.
 */
export function createGuardedFetch({
  server,
  fetch = globalThis.fetch,
  resolve = resolveHost,
  timeoutMs = TIMEOUT_MS,
}: GuardDeps): FetchLike {
  return async (url, init) => {
    const address = new URL(url);
    const problem = await endpointProblem(address.href, server, resolve);
    if (problem !== null) throw refusal(problem);
    const limits = [AbortSignal.timeout(timeoutMs), ...(init?.signal ? [init.signal] : [])];
    const response = await fetch(address, { ...init, redirect: 'manual', signal: AbortSignal.any(limits) });
    const target = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (target !== null && URL.canParse(target, address.href)) {
      const to = new URL(target, address.href);
      if (to.origin !== address.origin) throw refusal(`${address.host} redirects to ${to.origin}`);
    }
    const body = await boundedText(response, address.host);
    const { status, statusText, headers } = response;
    return new Response(body === '' ? null : body, { status, statusText, headers: decoded(headers) });
  };
}

async function boundedText({ body }: Response, host: string): Promise<string> {
  if (body === null) return '';
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw refusal(`${host} answered with more than ${MAX_BYTES / 1024} kB`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The body is already decoded and whole. */
function decoded(headers: Headers): Headers {
  const safeHeaders = new Headers(headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) safeHeaders.delete(name);
  return safeHeaders;
}
