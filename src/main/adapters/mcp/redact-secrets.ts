import type { FetchLike, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isSecretName, maskSecretShapes } from '#shared/secret-shapes';
import { mapMessages } from './map-messages';
import type { LinePort } from './line-port';

/** What stands where a server said its own key. */
const MASK = '[key]';
/** A shorter "key" is a word that could stand in any result, and is not worth a changed one. */
const SHORTEST = 8;

/** A key as it may be said: as it is, in JSON, in an address, and in base64. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    ...[secret, JSON.stringify(secret).slice(1, -1)],
    // By way of its bytes: half a sign outside the basic plane, which no server is given either, has no form there.
    encodeURIComponent(bytes.toString('utf8')),
    bytes.toString('base64').replace(/=+$/, ''),
  ];
}

/** Takes texts out of JSON or plain text, in the form each has there; null when there is nothing to take out. */
function maskOf(secrets: readonly string[]): ((text: string) => string) | null {
  const forms = secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf);
  const distinct = [...new Set(forms)].sort((a, b) => b.length - a.length);
  if (distinct.length === 0) return null;
  return (text) => distinct.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}

/**
 * A server is told its own keys and may say them: in a result, an error, a log line. What comes in its messages or on its
 * standard error is given to nothing on this side before they are taken out.
 */
export function redactLines(port: LinePort, secrets: readonly string[]): LinePort {
  const mask = maskOf(secrets);
  if (mask === null) return port;
  return {
    get pid() {
      return port.pid;
    },
    send: (line) => port.send(line),
    onLine: (listener) => port.onLine((line) => listener(mask(line))),
    onExit: (listener) => port.onExit(listener),
    stderrTail: () => mask(port.stderrTail()),
    kill: () => port.kill(),
  };
}

/** The same for a server that is reached by messages. */
export function redactMessages(transport: Transport, secrets: readonly string[]): Transport {
  const mask = maskOf(secrets);
  if (mask === null) return transport;
  const clean = (message: JSONRPCMessage): JSONRPCMessage => {
    const text = JSON.stringify(message);
    const masked = mask(text);
    return masked === text ? message : (JSON.parse(masked) as JSONRPCMessage);
  };
  return mapMessages(transport, clean);
}

/** More than this of a refusal is read by nobody. */
const MAX_REFUSAL_CHARACTERS = 64 * 1024;

/** The text of a refusal, as JSON where it is JSON: what stands under the name of a secret goes whole. */
function maskRefusal(text: string, mask: (text: string) => string): string {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return mask(text);
  }
  return JSON.stringify(said, (name, value: unknown) => {
    if (typeof value !== 'string') return value;
    return isSecretName(name) ? MASK : mask(value);
  });
}

/** The beginning of a body; what cannot be read of it is left out. */
async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_REFUSAL_CHARACTERS) break;
    }
  } catch {
    // A connection that broke: what was said until then is what there is.
  }
  return text.slice(0, MAX_REFUSAL_CHARACTERS);
}

/**
 * A server that refuses a request says why in a body that is no message, and the client puts it in its error. The
 * server's own keys, and whatever has the shape of a key, are taken out of it and of the status line before that.
 */
export function redactRefusals(fetch: FetchLike, secrets: readonly string[]): FetchLike {
  const own = maskOf(secrets) ?? ((text: string) => text);
  const mask = (text: string): string => maskSecretShapes(own(text));
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.ok) return response;
    const body = maskRefusal(await beginningOf(response), mask);
    const headers = new Headers(response.headers);
    for (const name of ['content-length', 'content-encoding']) headers.delete(name);
    const { status, statusText } = response;
    // Some statuses may have no body at all, not even an empty one.
    return new Response(body === '' ? null : body, { status, statusText: mask(statusText), headers });
  };
}
