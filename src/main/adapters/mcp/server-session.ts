import {
  Client,
  SdkError,
  SdkErrorCode,
  type Transport,
  type VersionNegotiationMode,
  isSpecType,
  type JSONRPCMessage,
} from '@modelcontextprotocol/client';
import type { AppError } from '#shared/app-error';
import { assertNever, err, ok, type Result } from '#shared/result';
import type { Elicit } from '../../../core/ports/elicit';
import { callFailure } from './call-failure';
import { answerElicitations } from './elicitation';
import { createLineTransport } from './line-transport';
import type { ServerLimits } from './registry';
import type { ServerLaunch } from './server-launch';
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
function withReadableTools(transport: Transport, onUnreadable: (what: string) => void): Transport {
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

export interface Timeouts extends ServerLimits {
  /** How long a server has to answer a ping after a call timed out. */
  readonly pingMs: number;
}

/** A running server: its client, and how it ended once it has. */
export interface ServerSession {
  readonly client: Client;
  /** How the server ended, as the end of a sentence ("exited with code 1"), or null while it runs. */
  readonly end: () => string | null;
  readonly stderr: () => string;
  readonly strikes: () => number;
  readonly close: () => Promise<void>;
}

/** The dependencies of a session. */
export interface SessionDeps {
  readonly server: string;
  readonly timeouts: Timeouts;
  /** Without a person to ask, servers learn that nobody can be asked. */
  readonly elicit?: Elicit | undefined;
  /** Receives a warning for the server's user, as a sentence for its status. */
  readonly onWarning: (warn: string) => void;
  /** Called whenever the server reports that its tools or resources changed, however often. */
  readonly onListChanged: (list: 'tools' | 'resources') => void;
  /** Receives every session as soon as it exists, so that it can be ended during its start. */
  readonly opened: (session: ServerSession) => void;
}

const CLIENT = { name: 'patina', version: '0.1.0' };
const MAX_TOOL_PAGES = 200;
/** An older server may not answer the probe for the newer protocol, so the wait is short. */
const PROBE_MS = 5_000;

/**
 * Starts a server and performs the handshake. If it exits during the probe for the newer protocol, restarts
 * it and uses the older one.
 */
export async function openSession(deps: SessionDeps, launch: ServerLaunch): Promise<Result<ServerSession>> {
  const attempt = (mode: VersionNegotiationMode): Promise<Attempt> => {
    const session = prepare(deps, launch, mode);
    deps.opened(session);
    return handshake(deps, session, launch.kind);
  };
  const older = launch.kind === 'lines' && !launch.probe;
  const first = await attempt(older ? 'legacy' : 'auto');
  const last = !first.result.ok && first.endedAtProbe ? await attempt('legacy') : first;
  return last.result;
}

interface PreparedSession extends ServerSession {
  readonly transport: Transport;
}

interface Attempt {
  readonly result: Result<ServerSession>;
  readonly endedAtProbe: boolean;
}

function createClient(
  { server, elicit, onWarning, onListChanged }: SessionDeps,
  mode: VersionNegotiationMode,
): Client {
  const client = new Client(CLIENT, {
    // Sampling and roots are not declared: a server that requests them anyway is refused.
    capabilities: elicit ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
    listMaxPages: MAX_TOOL_PAGES,
    // Patina checks values against a server's schemas with its own bounded checker; the client compiles none.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
  });
  client.setNotificationHandler('notifications/tools/list_changed', () => onListChanged('tools'));
  client.setNotificationHandler('notifications/resources/list_changed', () => onListChanged('resources'));
  if (elicit) answerElicitations(client, { server, elicit, onRefused: onWarning });
  return client;
}

function prepare(deps: SessionDeps, launch: ServerLaunch, mode: VersionNegotiationMode): PreparedSession {
  const client = createClient(deps, mode);
  switch (launch.kind) {
    case 'lines':
      return overLines(launch, client);
    case 'http': {
      let over = false;
      const closed = (): void => {
        over = true;
      };
      client.onclose = closed;
      const end = (): string | null => (over ? 'closed the connection' : null);
      const close = (): Promise<void> => client.close().catch(() => undefined);
      return { client, transport: launch.open(), end, stderr: () => '', strikes: () => 0, close };
    }
    default:
      return assertNever(launch);
  }
}

function overLines(launch: Extract<ServerLaunch, { kind: 'lines' }>, client: Client): PreparedSession {
  const port = launch.open();
  let end: string | null = null;
  // Registered before the transport's listener, so that every later failure can say why.
  port.onExit((exit) => {
    end ??= exit.detail;
  });
  const transport = createLineTransport(port, () => {
    end ??= 'wrote 100 lines that are not MCP messages and was stopped';
  });
  return {
    client,
    transport,
    end: () => end,
    stderr: () => port.stderrTail(),
    strikes: transport.strikes,
    close: () => port.kill(),
  };
}

/**
 * In the stateless protocol, a server reports changes only to listeners. The end of a stream is not an error:
 * lists expire anyway.
 */
function listen(client: Client): void {
  const { tools, resources } = client.getServerCapabilities() ?? {};
  const wanted = {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  };
  if (client.getProtocolEra() !== 'modern' || Object.keys(wanted).length === 0) return;
  client.listen(wanted).catch(() => undefined);
}

async function handshake(
  { server, timeouts, onWarning }: SessionDeps,
  session: PreparedSession,
  kind: ServerLaunch['kind'],
): Promise<Attempt> {
  const timeout = timeouts.startMs;
  try {
    await session.client.connect(withReadableTools(session.transport, onWarning), { timeout });
    listen(session.client);
    return { result: ok(session), endedAtProbe: false };
  } catch (error) {
    // Over HTTP the client closes itself after any failure: report only a lost connection.
    const lost = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
    const end = kind === 'lines' || lost ? session.end() : null;
    const failure: AppError = callFailure(error, { server, tool: 'initialize', end, cancelled: false });
    const endedAtProbe =
      error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed && end !== null;
    await session.close();
    return { result: err(failure), endedAtProbe };
  }
}
