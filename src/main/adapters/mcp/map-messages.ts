import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * Applies `change` to every message before the client receives it. The client sets its listener when it
 * connects; each call wraps the changes made before.
 */
export function mapMessages(
  transport: Transport,
  change: (message: JSONRPCMessage) => JSONRPCMessage,
): Transport {
  const inner = Object.getOwnPropertyDescriptor(transport, 'onmessage');
  let onMessage = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => (inner?.get ? (inner.get.call(transport) as Transport['onmessage']) : onMessage),
    set(listener: Transport['onmessage']) {
      onMessage = listener && ((message, extra) => listener(change(message) as typeof message, extra));
      inner?.set?.call(transport, onMessage);
    },
  });
  return transport;
}
