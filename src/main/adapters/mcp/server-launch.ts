import path from 'node:path';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import {
  type Transport,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { appError } from '#shared/app-error';
import { assertNever, err, ok, type Result } from '#shared/result';
import { isSecretName } from '#shared/secret-shapes';
import { separateBatches } from './event-batches';
import { redactLines, redactMessages, redactRefusals } from './redact-secrets';
import type { TransportAuth } from '../oauth/token-source';
import { type LinePort, type StartBundledServer, MAX_LINE_BYTES } from './line-port';
import { addressProblem } from './server-address';
import type { HttpEntry, RegistryText, ServerEntry, StdioEntry } from './registry';
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
}

/**
 * MCP over HTTP. Does not follow a redirect to another origin (the headers may contain a key), and bounds
 * each reply.
 */
function createHttpTransport({ url, headers, older, keys, auth }: HttpServer): Transport {
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
  (fetch: FetchLike, see: (response: Response) => Promise<void>): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    await see(response);
    return response;
  };

/** Bounds a single reply; an event stream stays open for the whole session, so each of its events is bounded. */
const boundedFetch: FetchLike = async (url, init) => {
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

export interface LaunchContext {
  /** Absolute project folder: working folder of every server, root of the bundled ones. */
  readonly project: string;
  /** Starts a bundled server on the project folder. */
  readonly startBundledServer: StartBundledServer;
  /** Starts a command that the user configured. */
  readonly startChild: (launch: ChildLaunch) => LinePort;
  /** The environment that `${NAME}` in a registry refers to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The value stored under a `secrets_ref`. */
  readonly secret: (ref: string) => Result<string>;
  /** The tokens of a server that the user can sign in to. */
  readonly authOf?: ((server: string, address: HttpAddress) => TransportAuth | undefined) | undefined;
}

/** Where a server is reached over HTTP, with everything filled in. */
export interface HttpAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it uses the older transport with two endpoints. */
  readonly older: boolean;
  /** What the user set for its sign-in. */
  readonly oauth?: {
    readonly clientId?: string | undefined;
    readonly clientSecret?: string | undefined;
    readonly clientMetadataUrl?: string | undefined;
    readonly scopes?: string | undefined;
    readonly redirectPort?: number | undefined;
  };
}

/** A context that collects the keys of its entry. */
interface Filling extends LaunchContext {
  readonly ownKey: (ref: string) => Result<string>;
  /** Every key of the entry that has been filled in so far. */
  readonly keys: string[];
}

/**
 * Fills in the references of a registry entry. Its keys are redacted from all server output: the values
 * stored under a `secrets_ref`, and the values with a secret's name in its environment, headers and address.
 * A missing variable or secret is CONFIG/MISSING, and the server does not start.
 */
export function serverLaunch(name: string, entry: ServerEntry, context: LaunchContext): Result<ServerLaunch> {
  const filling = fillingOf(context);
  const launch = launchOf(name, entry, filling);
  if (!launch.ok) return launch;
  const { value } = launch;
  return value.kind === 'lines'
    ? ok({ ...value, open: () => redactLines(value.open(), filling.keys) })
    : launch;
}

function fillingOf(context: LaunchContext): Filling {
  const keys: string[] = [];
  const ownKey: Filling['ownKey'] = (ref) => {
    const key = context.secret(ref);
    if (key.ok) keys.push(key.value);
    return key;
  };
  return { ...context, ownKey, keys };
}

/** The address of a server over HTTP. Errors: those of its references, and CONFIG/INVALID for a bad address. */
export const httpAddress = (entry: HttpEntry, context: LaunchContext): Result<HttpAddress> =>
  filledAddress(entry, fillingOf(context));

function filledAddress(entry: HttpEntry, context: Filling): Result<HttpAddress> {
  const headers = fillAll(entry.headers, context);
  const url = fill(entry.url, context);
  if (!headers.ok) return headers;
  if (!url.ok) return url;
  const problem = addressProblem(url.value);
  if (problem !== null) {
    return err(appError('CONFIG', 'INVALID', `The address of the server ${problem}.`));
  }
  noteKeys(Object.fromEntries(new URL(url.value).searchParams), context);
  const { clientSecret, ...oauth } = entry.oauth ?? {};
  const secret = clientSecret === undefined ? ok(undefined) : fill(clientSecret, context);
  if (!secret.ok) return secret;
  const address = { url: url.value, headers: headers.value, older: entry.type === 'sse' };
  return ok(entry.oauth ? { ...address, oauth: { ...oauth, clientSecret: secret.value } } : address);
}

function launchOf(name: string, entry: ServerEntry, context: Filling): Result<ServerLaunch> {
  switch (entry.kind) {
    case 'bundled': {
      const open = (): LinePort => context.startBundledServer(entry.bundled, context.project);
      return ok({ kind: 'lines', open, probe: false });
    }
    case 'stdio':
      return stdioLaunch(entry, context);
    case 'http': {
      const address = filledAddress(entry, context);
      if (!address.ok) return address;
      const auth = context.authOf?.(name, address.value);
      const keys = (): readonly string[] => [...context.keys, ...(auth?.tokens() ?? [])];
      const open = (): Transport =>
        redactMessages(createHttpTransport({ ...address.value, keys, auth }), keys);
      return ok({ kind: 'http', open });
    }
    default:
      return assertNever(entry);
  }
}

function stdioLaunch(entry: StdioEntry, context: Filling): Result<ServerLaunch> {
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

function fillAll(
  texts: Readonly<Record<string, RegistryText>>,
  context: Filling,
): Result<Record<string, string>> {
  const filled: Record<string, string> = {};
  for (const [name, text] of Object.entries(texts)) {
    const value = fill(text, context);
    if (!value.ok) return value;
    filled[name] = value.value;
  }
  noteKeys(filled, context);
  return ok(filled);
}

/** Collects values with a secret's name: whole, and each of their words (`Bearer …`, `name=value; …`). */
function noteKeys(values: Readonly<Record<string, string>>, { keys }: Filling): void {
  for (const [name, value] of Object.entries(values)) {
    if (isSecretName(name)) keys.push(value, ...value.split(/[\s;,=]+/).filter((word) => word !== ''));
  }
}

/**
 * `${NAME}`, `${NAME:-default}`, VS Code's `${env:NAME}` and `${workspaceFolder}`; inserted values are not
 * expanded again.
 */
const REFERENCE = /\$\{([^{}]+)\}/g;

function fill(text: RegistryText, context: Filling): Result<string> {
  if (typeof text !== 'string') return context.ownKey(text.secrets_ref);
  const missing: string[] = [];
  const filled = text.replace(REFERENCE, (_whole, reference: string) => {
    const value = lookUp(reference, context);
    if (value === undefined) missing.push(reference);
    return value ?? '';
  });
  if (missing.length === 0) return ok(filled);
  return err(
    appError('CONFIG', 'MISSING', `The registry refers to \${${missing.join('}, ${')}}, which is not set.`),
  );
}

/** An input value that the user entered when importing the server; stored with the secrets. */
function inputValue(reference: string, context: LaunchContext): string | undefined {
  const storedValue = context.secret(reference.slice('input:'.length));
  return storedValue.ok ? storedValue.value : undefined;
}

function lookUp(reference: string, context: LaunchContext): string | undefined {
  if (reference === 'workspaceFolder') return context.project;
  if (reference.startsWith('input:')) return inputValue(reference, context);
  const [name = '', ...rest] = reference.replace(/^env:/, '').split(':-');
  return context.env[name] ?? (rest.length > 0 ? rest.join(':-') : undefined);
}
