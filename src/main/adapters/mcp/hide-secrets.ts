import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { LinePort } from './line-port';

/** What stands where a server said its own key. */
const MASK = '[key]';
/** A shorter "key" is a word that could stand in any result, and is not worth a changed one. */
const SHORTEST = 8;

/** Takes texts out of JSON or plain text, in the form each has there; null when there is nothing to take out. */
function maskOf(secrets: readonly string[]): ((text: string) => string) | null {
  const forms = secrets
    .filter(({ length }) => length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const distinct = [...new Set(forms)].sort((a, b) => b.length - a.length);
  if (distinct.length === 0) return null;
  return (text) => distinct.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
}

/**
 * A server is told its own keys and may say them: in a result, an error, a log line. What comes in its messages or on its
 * standard error is given to nothing on this side before they are taken out. The body of an HTTP error is no message and
 * is not seen here.
 */
export function hideInLines(port: LinePort, secrets: readonly string[]): LinePort {
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
export function hideInMessages(transport: Transport, secrets: readonly string[]): Transport {
  const mask = maskOf(secrets);
  if (mask === null) return transport;
  const clean = (message: JSONRPCMessage): JSONRPCMessage => {
    const text = JSON.stringify(message);
    const masked = mask(text);
    return masked === text ? message : (JSON.parse(masked) as JSONRPCMessage);
  };
  let hear: Transport['onmessage'];
  // The client sets what hears messages once it connects; what it sets is given clean ones.
  Object.defineProperty(transport, 'onmessage', {
    get: () => hear,
    set(listener: Transport['onmessage']) {
      hear = listener && ((message, extra) => listener(clean(message) as typeof message, extra));
    },
  });
  return transport;
}
