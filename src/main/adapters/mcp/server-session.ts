import {
  Client,
  SdkError,
  SdkErrorCode,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import type { AppError } from '#shared/app-error';
import { assertNever, err, ok, type Result } from '#shared/result';
import type { Elicit } from '../../../core/ports/elicit';
import { callFailure } from './call-failure';
import { answerElicitations } from './elicitation';
import { createLineTransport } from './line-transport';
import { withReadableTools } from './readable-tools';
import type { ServerLimits } from './registry';
import type { ServerLaunch } from './server-launch';

export interface Timeouts extends ServerLimits {
  /** How long a server that let a call time out has to show that it still lives. */
  readonly pingMs: number;
}

/** A server that is up: its client, and how it ended once it has. */
export interface ServerSession {
  readonly client: Client;
  /** What happened to the server, as the end of a sentence ("exited with code 1"), or null while it runs. */
  readonly end: () => string | null;
  readonly stderr: () => string;
  readonly strikes: () => number;
  readonly close: () => Promise<void>;
}

/** What a session needs of its surroundings. */
export interface SessionDeps {
  readonly server: string;
  readonly timeouts: Timeouts;
  /** Without a person to ask, servers are told that nobody can be asked. */
  readonly elicit?: Elicit | undefined;
  /** Something a user of this server should know, as a sentence for its status. */
  readonly onWarning: (warn: string) => void;
  /** The server says that its tools or resources are others now, as often as it likes. */
  readonly onListChanged: (list: 'tools' | 'resources') => void;
  /** Hears of every session as soon as it exists, so that it can be ended in the middle of its start. */
  readonly opened: (session: ServerSession) => void;
}

const CLIENT = { name: 'patina', version: '0.1.0' };
const MAX_TOOL_PAGES = 200;
/** An older server may meet the question for the newer protocol with silence; it is not waited for long. */
const PROBE_MS = 5_000;

/** Starts a server and shakes hands. One that ends when asked for the newer protocol is started again and spoken to in the older. */
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
    // Sampling and roots are not declared: a server that asks for them all the same is refused.
    capabilities: elicit ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode, probe: { timeoutMs: PROBE_MS } },
    listMaxPages: MAX_TOOL_PAGES,
    // What a server declares is checked by a counted check of ours, never compiled by the client.
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
  // Heard before the transport hears it, so that every failure that follows can say why.
  port.onExit((exit) => {
    end ??= exit.detail;
  });
  const transport = createLineTransport(port, () => {
    end ??= 'wrote 100 lines that are no MCP messages and was ended';
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

/** In the stateless protocol a server tells of changes only who listens. A stream that ends is no fault: lists have their time to live. */
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
    // Over HTTP the client closes by itself after any failure: only a connection that was lost is told as one.
    const lost = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
    const end = kind === 'lines' || lost ? session.end() : null;
    const failure: AppError = callFailure(error, { server, tool: 'initialize', end, cancelled: false });
    const endedAtProbe =
      error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed && end !== null;
    await session.close();
    return { result: err(failure), endedAtProbe };
  }
}
