import type OpenAI from 'openai';
import { proxiedFetch } from '../system/proxied-fetch';
import type { Endpoint } from './failure';
import { ErrorBody } from './reported-error';

export type Fetch = typeof globalThis.fetch;

/** Maximum bytes to read of an error body for its message. */
const maxErrorBytes = 64 * 1024;

/** Headers that the SDK adds about the machine; providers do not need them. */
const unsaid = [
  'Lang',
  'Package-Version',
  'OS',
  'Arch',
  'Runtime',
  'Runtime-Version',
  'Retry-Count',
  'Timeout',
];

/**
 * The SDK's client for one endpoint: it takes nothing from the environment, never retries and never logs. It
 * carries every protocol's requests; `own` are the headers of the protocol. Loaded with the first request, not
 * with the app.
 */
export async function createSdk(
  endpoint: Endpoint,
  own: Readonly<Record<string, string | null>>,
  fetch: Fetch,
): Promise<OpenAI> {
  const sdk = await import('openai');
  const { proxy } = endpoint;
  return new sdk.OpenAI({
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.key ?? 'none',
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // Each attempt has its own deadline, so the SDK's timeout must never fire first.
    timeout: 2_000_000_000,
    logLevel: 'off',
    fetch: boundedFetch(
      proxy === undefined ? fetch : await proxiedFetch({ http: proxy, https: proxy, except: '' }),
    ),
    // A redirect would send the conversation to an address that the user did not choose.
    fetchOptions: { redirect: 'manual' },
    defaultHeaders: {
      ...Object.fromEntries(unsaid.map((name) => [`X-Stainless-${name}`, null])),
      'User-Agent': 'Patina',
      ...(endpoint.key === null ? { Authorization: null } : {}),
      ...own,
      ...endpoint.headers,
    },
  });
}

/** Bounds a failed response, because the SDK reads it to its end before it throws. */
function boundedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    const { bytes } = await readAtMost(response, maxErrorBytes);
    const { status, headers } = response;
    return new Response(withError(bytes) ?? bytes, { status, headers });
  };
}

/** Moves the error message below `error`, the only place where the SDK looks for it. */
function withError(bytes: Uint8Array<ArrayBuffer>): string | null {
  try {
    const parsed = ErrorBody.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return parsed.success ? JSON.stringify({ error: parsed.data }) : null;
  } catch {
    return null;
  }
}

/** The start of a body, and whether it is complete; never reads the rest. */
export async function readAtMost(
  response: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    const left = maxBytes - length;
    chunks.push(chunk.subarray(0, left));
    length += Math.min(chunk.length, left);
    if (chunk.length > left) return { bytes: joined(chunks, length), whole: false };
  }
  return { bytes: joined(chunks, length), whole: true };
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
