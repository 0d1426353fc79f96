import type { FetchLike, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isSecretName, maskSecretShapes } from '#shared/secret-shapes';
import { mapMessages } from './map-messages';
import type { LinePort } from './line-port';

/** Replaces a server's own key in its output. */
const MASK = '[key]';
/** A shorter "key" is a word that any result may contain; redacting it would damage results. */
const SHORTEST = 8;

/** The encodings in which a key may appear: plain, JSON, URL and base64. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    ...[secret, JSON.stringify(secret).slice(1, -1)],
    // Converts by way of bytes: a lone surrogate, which no server receives either, has no URL form.
    encodeURIComponent(bytes.toString('utf8')),
    bytes.toString('base64').replace(/=+$/, ''),
  ];
}

/** Redacts texts in JSON or plain text, in each of their encodings; null when there is nothing to redact. */
function maskOf(secrets: readonly string[]): ((text: string) => string) | null {
  const forms = secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf);
  const distinct = [...new Set(forms)].sort((a, b) => b.length - a.length);
  if (distinct.length === 0) return null;
  return (text) => distinct.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}

/**
 * A server knows its own keys and may repeat them in a result, an error or a log line. Redacts them from its
 * messages and its standard error before any other code sees either.
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

/** Redacts keys that change while they are in use, such as the tokens of a sign-in. */
function maskOfChanging(secrets: () => readonly string[]): () => ((text: string) => string) | null {
  let made = { of: '', mask: maskOf([]) };
  return () => {
    const now = secrets();
    const of = now.join('\n');
    if (of !== made.of) made = { of, mask: maskOf(now) };
    return made.mask;
  };
}

/** Does the same for a server reached by messages. */
export function redactMessages(transport: Transport, secrets: () => readonly string[]): Transport {
  const maskNow = maskOfChanging(secrets);
  const clean = (message: JSONRPCMessage): JSONRPCMessage => {
    const mask = maskNow();
    if (mask === null) return message;
    const text = JSON.stringify(message);
    const masked = mask(text);
    return masked === text ? message : (JSON.parse(masked) as JSONRPCMessage);
  };
  return mapMessages(transport, clean);
}

/** Maximum characters of a refusal to read; no reader needs more. */
const MAX_REFUSAL_CHARACTERS = 64 * 1024;

/** Redacts the text of a refusal; if it is JSON, replaces every value under a secret's name entirely. */
function maskRefusal(text: string, mask: (text: string) => string): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return mask(text);
  }
  return JSON.stringify(parsed, (name, value: unknown) => {
    if (typeof value !== 'string') return value;
    return isSecretName(name) ? MASK : mask(value);
  });
}

/** The beginning of a body, as far as it is readable. */
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
    // The connection broke: use the text received so far.
  }
  return text.slice(0, MAX_REFUSAL_CHARACTERS);
}

/**
 * A server explains a refusal in a body that is not an MCP message, and the client copies it into its error.
 * Before that, this redacts the server's own keys, and any text with the form of a key, from the body and the
 * status line.
 */
export function redactRefusals(fetch: FetchLike, secrets: () => readonly string[]): FetchLike {
  const maskNow = maskOfChanging(secrets);
  const mask = (text: string): string => maskSecretShapes(maskNow()?.(text) ?? text);
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.ok) return response;
    const body = maskRefusal(await beginningOf(response), mask);
    const headers = new Headers(response.headers);
    for (const name of ['content-length', 'content-encoding']) headers.delete(name);
    const { status, statusText } = response;
    // Some statuses allow no body at all, not even an empty one.
    return new Response(body === '' ? null : body, { status, statusText: mask(statusText), headers });
  };
}
