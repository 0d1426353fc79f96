import path from 'node:path';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import {
  type Transport,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { assertNever, ok, type Result } from '#shared/result';
import { separateBatches } from './event-batches';
import { redactLines, redactMessages, redactRefusals } from './redact-secrets';
import { createTokenSource, type TokenSourceDeps, type TransportAuth } from '../oauth/token-source';
import { type LinePort, type StartBundledServer, MAX_LINE_BYTES } from './line-port';
import type { ServerEntry, StdioEntry } from './registry';
import {
  collectKeys,
  fill,
  fillAll,
  fillAddress,
  type Filling,
  type HttpAddress,
  type References,
} from './registry-references';
import type { ChildLaunch } from './start-command';
import { withRetryAfter } from './retry-later';

interface HttpServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether to use the older transport with two endpoints. */
  readonly older: boolean;
  /** The server's own keys: redacted from everything it sends, including refusals. */
  readonly keys: () => readonly string[];
  /** The tokens of the user's sign-in. */
  readonly auth?: TransportAuth | undefined;
  readonly fetch?: FetchLike | undefined;
}

/**
 * MCP over HTTP. Does not follow a redirect to another origin (the headers may contain a key), and bounds
 * each reply.
 */
function createHttpTransport(server: HttpServer): Transport {
  const { url, headers, older, keys, auth } = server;
  const address = new URL(url);
  const bounded = boundedFetch(server.fetch ?? globalThis.fetch);
  const answers = auth ? watched(bounded, auth.onResponse) : bounded;
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
  (fetch: FetchLike, see: (response: Response) => Promise<void>): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    await see(response);
    return response;
  };

/** Bounds a single reply; an event stream stays open for the whole session, so each of its events is bounded. */
const boundedFetch =
  (fetch: FetchLike): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    const streaming = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const withBody = (body: ReadableStream): Response => new Response(body, { status, statusText, headers });
    if (streaming) return withBody(batchesSeparated(response.body));
    let bytes = 0;
    const bound = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        bytes += chunk.length;
        if (bytes > MAX_LINE_BYTES) controller.error(new Error(`The reply is over ${MAX_LINE_BYTES} bytes.`));
        else controller.enqueue(chunk);
      },
    });
    return withBody(response.body.pipeThrough(bound));
  };

function decodedText(): TransformStream<Uint8Array, string> {
  const decoder = new TextDecoder();
  return new TransformStream({
    transform: (bytes, controller) => {
      controller.enqueue(decoder.decode(bytes, { stream: true }));
    },
    flush: (controller) => {
      controller.enqueue(decoder.decode());
    },
  });
}

const batchesSeparated = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  body.pipeThrough(decodedText()).pipeThrough(separateBatches()).pipeThrough(new TextEncoderStream());

/** How to reach a server, prepared but not started. */
export type ServerLaunch =
  /** `probe`: first ask whether it supports the stateless protocol; the bundled servers do not. */
  | { readonly kind: 'lines'; readonly open: () => LinePort; readonly probe: boolean }
  | { readonly kind: 'http'; readonly open: () => Transport };

export interface LaunchContext extends References {
  /** Starts a bundled server on the project folder. */
  readonly startBundledServer: StartBundledServer;
  /** Starts a command that the user configured. */
  readonly startChild: (launch: ChildLaunch) => LinePort;
  /** What the tokens of a server need that the user can sign in to. */
  readonly authOf?: ((server: string, address: HttpAddress) => TokenSourceDeps | undefined) | undefined;
  /** Makes the requests to remote servers; default: that of the process. */
  readonly fetch?: FetchLike | undefined;
}

/**
 * Fills in the references of a registry entry. Its keys are redacted from all server output: the values
 * stored under a `secrets_ref`, and the values with a secret's name in its environment, headers and address.
 * A missing variable or secret is CONFIG/MISSING, and the server does not start.
 */
export function serverLaunch(name: string, entry: ServerEntry, context: LaunchContext): Result<ServerLaunch> {
  const filling = collectKeys(context);
  const launch = launchOf(name, entry, filling);
  if (!launch.ok) return launch;
  const { value } = launch;
  return value.kind === 'lines'
    ? ok({ ...value, open: () => redactLines(value.open(), filling.keys) })
    : launch;
}

function launchOf(name: string, entry: ServerEntry, context: LaunchContext & Filling): Result<ServerLaunch> {
  switch (entry.kind) {
    case 'bundled': {
      const open = (): LinePort => context.startBundledServer(entry.bundled, context.project);
      return ok({ kind: 'lines', open, probe: false });
    }
    case 'stdio':
      return stdioLaunch(entry, context);
    case 'http': {
      const address = fillAddress(entry, context);
      if (!address.ok) return address;
      const tokens = context.authOf?.(name, address.value);
      const auth = tokens && createTokenSource(tokens);
      const keys = (): readonly string[] => [...context.keys, ...(auth?.tokens() ?? [])];
      const open = (): Transport =>
        redactMessages(createHttpTransport({ ...address.value, keys, auth, fetch: context.fetch }), keys);
      return ok({ kind: 'http', open });
    }
    default:
      return assertNever(entry);
  }
}

function stdioLaunch(entry: StdioEntry, context: LaunchContext & Filling): Result<ServerLaunch> {
  const words = [entry.command, ...entry.args, entry.cwd ?? '.'].map((word) => fill(word, context));
  const missing = words.find((word) => !word.ok);
  if (missing !== undefined && !missing.ok) return missing;
  const [command = '', ...rest] = words.map((word) => (word.ok ? word.value : ''));
  const own = fillAll(entry.env, context);
  if (!own.ok) return own;
  const launch: ChildLaunch = {
    command,
    args: rest.slice(0, -1),
    cwd: path.resolve(context.project, rest.at(-1) ?? '.'),
    env: { ...getDefaultEnvironment(), ...own.value },
  };
  return ok({ kind: 'lines', open: () => context.startChild(launch), probe: true });
}
