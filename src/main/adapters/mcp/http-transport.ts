import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type FetchLike,
  type Transport,
} from '@modelcontextprotocol/client';
import { withRetryAfter } from './retry-later';
import { redactRefusals } from './redact-secrets';
import { MAX_LINE_BYTES } from './line-port';

export interface HttpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The older transport of two endpoints. */
  readonly older: boolean;
  /** The server's own keys: taken out of what it says, refusals included. */
  readonly keys: readonly string[];
}

/** MCP over HTTP. A redirect to another origin is not followed (the headers may hold a key), and a reply is bounded. */
export function createHttpTransport({ url, headers, older, keys }: HttpServer): Transport {
  const address = new URL(url);
  const fetch = withRetryAfter(redactRefusals(boundedFetch, keys), Date.now);
  const options = { requestInit: { headers: { ...headers } }, fetch };
  return older
    ? new SSEClientTransport(address, options)
    : new StreamableHTTPClientTransport(address, { ...options, redirectPolicy: 'same-origin' });
}

/** An event stream stays open for a session and is bounded event by event by its reader; one reply is bounded here. */
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
