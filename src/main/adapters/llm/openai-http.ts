import type OpenAI from 'openai';
import type { Endpoint } from './failure';
import { ErrorBody } from './reply-chunk';

export type Fetch = typeof globalThis.fetch;

/** An error body is read to quote its message: no more of it than this. */
const maxErrorBytes = 64 * 1024;

/** Headers the SDK adds about the machine it runs on; a provider needs none of them. */
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
 * The SDK's client for one endpoint, with nothing taken from the environment, no retries and no log of its own.
 * It is loaded with the first request, not with the app.
 */
export async function createSdk(endpoint: Endpoint, fetch: Fetch): Promise<OpenAI> {
  const sdk = await import('openai');
  return new sdk.OpenAI({
    baseURL: endpoint.baseUrl,
    apiKey: endpoint.key ?? 'none',
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // Time-outs are ours (the deadline of each attempt); this one must only never come first.
    timeout: 2_000_000_000,
    logLevel: 'off',
    fetch: boundedFetch(fetch),
    // A redirect would carry the conversation to an address nobody chose.
    fetchOptions: { redirect: 'manual' },
    defaultHeaders: {
      ...Object.fromEntries(unsaid.map((name) => [`X-Stainless-${name}`, null])),
      'User-Agent': 'Patina',
      ...(endpoint.key === null ? { Authorization: null } : {}),
    },
  });
}

/** The SDK reads a failed response to its end before it throws: give it one that has an end. */
function boundedFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) return response;
    const { bytes } = await readAtMost(response, maxErrorBytes);
    const { status, headers } = response;
    return new Response(withError(bytes) ?? bytes, { status, headers });
  };
}

/** The SDK looks for what went wrong under `error` alone: what stands elsewhere is put there. */
function withError(bytes: Uint8Array<ArrayBuffer>): string | null {
  try {
    const said = ErrorBody.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
    return said.success ? JSON.stringify({ error: said.data }) : null;
  } catch {
    return null;
  }
}

/** The start of a body, and whether that is all of it; what is left over is never read. */
export async function readAtMost(
  response: Response,
  most: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly whole: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    const left = most - length;
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
