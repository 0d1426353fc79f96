import { isSpecType, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { mapMessages } from './map-messages';
import { stripControls } from './text-tail';

const maxNameLength = 64;

/** What a list's entry calls itself, as far as it does. */
function nameOf(entry: unknown): string {
  const name = (entry as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === 'string' ? stripControls(name).slice(0, maxNameLength) : 'one without a name';
}

/** The tools of an answer to `tools/list`; null when it is none. */
function listedIn(message: JSONRPCMessage): readonly unknown[] | null {
  const { result } = message as { readonly result?: { readonly tools?: unknown } | null };
  return Array.isArray(result?.tools) ? result.tools : null;
}

/**
 * The client refuses a whole list of tools for one entry that is no tool by the protocol. Such entries are taken out
 * before it looks, and `onUnreadable` is told of them in a sentence; the other tools of the server can be used.
 */
export function withReadableTools(transport: Transport, onUnreadable: (what: string) => void): Transport {
  const asked = new Set<string | number>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ('method' in message && 'id' in message && message.method === 'tools/list') asked.add(message.id);
    return send(message, options);
  };
  return mapMessages(transport, (message) => {
    if ('method' in message || !('id' in message) || !asked.delete(message.id ?? '')) return message;
    const listed = listedIn(message);
    const tools = listed?.filter((entry) => isSpecType.Tool(entry));
    if (!listed || !tools || tools.length === listed.length) return message;
    const names = listed.filter((entry) => !isSpecType.Tool(entry)).map(nameOf);
    onUnreadable(
      `Left out of its tools, because they are none by the protocol: ${names.slice(0, 5).join(', ')}.`,
    );
    const { result } = message as { readonly result: object };
    return { ...message, result: { ...result, tools } };
  });
}
