import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type FetchLike,
  type Transport,
} from '@modelcontextprotocol/client';
import { withRetryAfter } from './retry-later';
import { redactRefusals } from './redact-secrets';
import type { TransportAuth } from '../oauth/token-source';
import { MAX_LINE_BYTES } from './line-port';

export interface HttpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether to use the older transport with two endpoints. */
  readonly older: boolean;
  /** The server's own keys: redacted from everything it sends, including refusals. */
  readonly keys: () => readonly string[];
  /** The tokens of the user's sign-in. */
  readonly auth?: TransportAuth | undefined;
}

/**
 * MCP over HTTP. Does not follow a redirect to another origin (the headers may contain a key), and bounds
 * each reply.
 */
export function createHttpTransport({ url, headers, older, keys, auth }: HttpServer): Transport {
  const address = new URL(url);
  const answers = auth ? watched(boundedFetch, auth.onResponse) : boundedFetch;
  const fetch = withRetryAfter(redactRefusals(answers, keys), Date.now);
  const options = {
    requestInit: { headers: { ...headers } },
    fetch,
    ...(auth && { authProvider: auth.provider }),
  };
  return older
    ? new SSEClientTransport(address, options)
    : new StreamableHTTPClientTransport(address, { ...options, redirectPolicy: 'same-origin' });
}

const watched =
  (fetch: FetchLike, see: (response: Response) => void): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    see(response);
    return response;
  };

/**
 * An event stream stays open for the whole session, and its reader bounds each event; this bounds a single
 * reply.
 */
const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  const streaming = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (response.body === null || streaming) return response;
  let bytes = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > MAX_LINE_BYTES) controller.error(new Error(`The reply is over ${MAX_LINE_BYTES} bytes.`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
};
