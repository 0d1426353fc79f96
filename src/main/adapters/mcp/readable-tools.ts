import { isSpecType, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { mapMessages } from './map-messages';
import { stripControls } from './text-tail';

const maxNameLength = 64;

/** The name in a list entry, if it has one. */
function nameOf(entry: unknown): string {
  const name = (entry as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? stripControls(name).slice(0, maxNameLength) : 'one without a name';
}

/** The tools in an answer to `tools/list`; null for any other message. */
function listedIn(message: JSONRPCMessage): readonly unknown[] | null {
  const { result } = message as { readonly result?: { readonly tools?: unknown } | null };
  return Array.isArray(result?.tools) ? result.tools : null;
}

/**
 * The client rejects a whole tool list for one invalid entry. This removes invalid entries before the client
 * sees them and reports each to `onUnreadable` as a sentence; the server's other tools stay usable.
 */
export function withReadableTools(transport: Transport, onUnreadable: (what: string) => void): Transport {
  const requestIds = new Set<string | number>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message && message.method === 'tools/list') requestIds.add(message.id);
    return send(message, options);
  };
  return mapMessages(transport, (message) => {
    if ('method' in message || !('id' in message) || !requestIds.delete(message.id ?? '')) return message;
    const listed = listedIn(message);
    const tools = listed?.filter((entry) => isSpecType.Tool(entry));
    if (!listed || !tools || tools.length === listed.length) return message;
    const names = listed.filter((entry) => !isSpecType.Tool(entry)).map(nameOf);
    onUnreadable(`Left out tools that do not follow the protocol: ${names.slice(0, 5).join(', ')}.`);
    const { result } = message as { readonly result: object };
    return { ...message, result: { ...result, tools } };
  });
}
