import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The parameters that the authorisation server sends back, once their state has matched. */
export interface Callback {
  readonly code: string | null;
  readonly error: string | null;
  readonly iss: string | undefined;
}

export interface LoopbackReceiver {
  readonly redirectUri: string;
  /** The callback of this sign-in; rejects when the signal aborts. */
  readonly callback: (signal: AbortSignal) => Promise<Callback>;
  /** Takes the address that a user pasted; false when it is not the callback of this sign-in. */
  readonly paste: (address: string) => boolean;
  readonly close: () => void;
}

const PATH = '/callback';
const MAX_PARAMETER = 8_192;

const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>` +
  '<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}</style>' +
  `<h1>${title}</h1><p>${text}</p></html>`;

const pages = {
  done: page('Back to Patina', 'Patina continues the sign-in. You can close this page.'),
  refused: page('Not a sign-in of Patina', 'This request does not belong to a sign-in that Patina started.'),
};

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(body);
}

/** Opens a page of its own; a picture, a frame or a script of another page does not. */
function isNavigation({ headers }: IncomingMessage): boolean {
  const mode = headers['sec-fetch-mode'];
  const target = headers['sec-fetch-dest'];
  return (mode === undefined || mode === 'navigate') && (target === undefined || target === 'document');
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The callback in an address, or null when its state is not this sign-in's or a parameter repeats. */
function callbackIn(parameters: URLSearchParams, state: string): Callback | null {
  const values = ['state', 'code', 'error', 'iss'].map((name) => parameters.getAll(name));
  if (values.some((all) => all.length > 1 || (all[0] ?? '').length > MAX_PARAMETER)) return null;
  if (!sameText(parameters.get('state') ?? '', state)) return null;
  const [code, error] = [parameters.get('code'), parameters.get('error')];
  if ((code ?? '') === '' && (error ?? '') === '') return null;
  return { code: code === '' ? null : code, error, iss: parameters.get('iss') ?? undefined };
}

async function listenOn(server: Server, port: number): Promise<boolean> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  }
}

export interface ReceiverNeeds {
  /** The random state of this sign-in. */
  readonly state: string;
  /** Ports to try first: one that is registered already needs no new registration. */
  readonly ports: readonly number[];
  /** Milliseconds after which the browser is assumed not to return. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10 * 60_000;

/**
 * Receives the browser's return on a loopback address (RFC 8252 §7.3). Takes one callback, and only a page
 * view with this sign-in's state: every other request is answered and ignored, so that no other page can end
 * or hijack the sign-in.
 */
export async function openReceiver({
  state,
  ports,
  timeoutMs = TIMEOUT_MS,
}: ReceiverNeeds): Promise<LoopbackReceiver> {
  let take: (callback: Callback) => void = () => undefined;
  const received = new Promise<Callback>((resolve) => (take = resolve));
  let taken = false;
  const accept = (parameters: URLSearchParams): boolean => {
    const callback = taken ? null : callbackIn(parameters, state);
    if (callback === null) return false;
    taken = true;
    take(callback);
    return true;
  };
  const server = createServer((request, response) => {
    const { host } = new URL(redirectUri());
    const url = new URL(request.url ?? '/', redirectUri());
    const ours =
      request.method === 'GET' &&
      request.headers.host === host &&
      url.pathname === PATH &&
      isNavigation(request);
    if (ours && accept(url.searchParams)) answer(response, 200, pages.done);
    else answer(response, 400, pages.refused);
  });
  const redirectUri = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
  server.maxConnections = 20;
  let listening = false;
  for (const port of [...ports, 0]) listening ||= await listenOn(server, port);
  if (!listening) throw new Error('No port of this machine is free for the browser’s return.');
  const address = redirectUri();
  return {
    redirectUri: address,
    callback: async (signal) => {
      const late = sleep(timeoutMs, null, { signal, ref: false }).then(() => {
        throw new Error('late');
      });
      return Promise.race([received, late]);
    },
    paste: (text) =>
      URL.canParse(text) && text.startsWith(`${address}?`) && accept(new URL(text).searchParams),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
