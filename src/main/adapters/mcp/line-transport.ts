import {
  isJSONRPCResponse,
  SdkError,
  SdkErrorCode,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { unreadableAnswer } from './call-failure';
import type { LinePort } from './line-port';

/** Maximum lines that are not MCP messages or answer no request before the server is ended. */
const MAX_STRIKES = 100;
const REMEMBERED_REQUESTS = 10_000;

export interface LineTransport extends Transport {
  /** Number of dropped lines. */
  readonly strikes: () => number;
  /** Marks the transport as stdio, so that the client treats a silent probe as an older server. */
  readonly stderr: null;
  readonly pid: number | undefined;
}

/**
 * MCP over a line port. Drops and counts lines that are not JSON-RPC messages or that answer no open request;
 * treats each message of a batch, which an earlier protocol version allowed, as a separate line. At 100
 * dropped lines it ends the server, after calling `onStruckOut`. An answer to an open request always counts
 * as an answer, however malformed: the request then fails at once, as it does when the server has ended.
 */
export function createLineTransport(port: LinePort, onStruckOut: () => void): LineTransport {
  const openRequests = createOpenRequestIds();
  const changes = createChangeFilter();
  const order = createProgressOrder();
  let strikes = 0;
  let over = false;
  const strike = (): void => {
    strikes += 1;
    if (strikes !== MAX_STRIKES) return;
    onStruckOut();
    void port.kill();
  };
  const receive = (received: JSONRPCMessage | null): void => {
    if (strikes >= MAX_STRIKES) return;
    const message = readAnswer(received);
    if (message === null || !openRequests.accepts(message)) strike();
    else if (changes.passes(message)) order.deliver(message, (due) => transport.onmessage?.(due));
  };
  const transport: LineTransport = {
    stderr: null,
    pid: port.pid,
    strikes: () => strikes,
    start: async () => {
      port.onLine((line) => {
        if (strikes >= MAX_STRIKES || line.trim() === '') return;
        parse(line).forEach(receive);
      });
      port.onExit(() => {
        over = true;
        order.after(() => transport.onclose?.());
      });
    },
    send: async (message) => {
      // A server may have ended before the client's first request, which nothing would answer.
      if (over) throw new SdkError(SdkErrorCode.ConnectionClosed, 'The server has ended.');
      openRequests.note(message);
      changes.note(message);
      port.send(JSON.stringify(message));
    },
    close: () => port.kill(),
  };
  return transport;
}

/** The messages of a line: one, or all of a batch. */
function parse(line: string): readonly (JSONRPCMessage | null)[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return [null];
  }
  const batch: readonly unknown[] = Array.isArray(value) && value.length > 0 ? value : [value];
  return batch.map(messageOf);
}

function messageOf(value: unknown): JSONRPCMessage | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const message = value as { jsonrpc?: unknown; method?: unknown };
  if (message.jsonrpc !== '2.0') return null;
  const known = typeof message.method === 'string' || 'id' in message;
  return known ? (value as JSONRPCMessage) : null;
}

/**
 * Converts an answer that is neither a result nor an error of the protocol into an error: the client would
 * drop it.
 */
function readAnswer(message: JSONRPCMessage | null): JSONRPCMessage | null {
  if (message === null || 'method' in message || isJSONRPCResponse(message)) return message;
  const { id } = message as { readonly id?: string | number };
  return id === undefined ? null : { jsonrpc: '2.0', id, error: unreadableAnswer };
}

/** The requests that await an answer. A late answer to a cancelled request is a race, not a fault. */
function createOpenRequestIds() {
  const open = new Set<string | number>();
  return {
    note: (message: JSONRPCMessage): void => {
      if (!('method' in message && 'id' in message)) return;
      open.add(message.id);
      const oldest = open.values().next();
      if (open.size > REMEMBERED_REQUESTS && oldest.done !== true) open.delete(oldest.value);
    },
    accepts: (message: JSONRPCMessage): boolean => {
      if ('method' in message) return true;
      const id = (message as { id?: unknown }).id;
      return (typeof id === 'string' || typeof id === 'number') && open.delete(id);
    },
  };
}

/**
 * The client processes progress with a delay and a result at once, so a result that arrives together with its
 * last progress would overtake it. Therefore every message after progress waits for the next turn of the
 * event loop.
 */
function createProgressOrder(): {
  deliver(message: JSONRPCMessage, to: (message: JSONRPCMessage) => void): void;
  after(act: () => void): void;
} {
  let waiting = 0;
  const after = (act: () => void): void => {
    if (waiting === 0) return act();
    waiting += 1;
    setImmediate(() => {
      waiting -= 1;
      act();
    });
  };
  return {
    after,
    deliver: (message, to) => {
      const progress = 'method' in message && message.method === 'notifications/progress';
      after(() => to(message));
      if (!progress || waiting > 0) return;
      waiting += 1;
      setImmediate(() => (waiting -= 1));
    },
  };
}

/** Drops repeated change notices until the tools are listed again: one says as much as a thousand. */
function createChangeFilter(): {
  note(sent: JSONRPCMessage): void;
  passes(received: JSONRPCMessage): boolean;
} {
  let announced = false;
  return {
    note: (sent) => {
      if ('method' in sent && sent.method === 'tools/list') announced = false;
    },
    passes: (received) => {
      if (!('method' in received) || received.method !== 'notifications/tools/list_changed') return true;
      const first = !announced;
      announced = true;
      return first;
    },
  };
}
