import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import { appError, type AppError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ToolDefinition } from '../../ports/tool-definition';
import type { ServerStatus } from '../../ports/server-status';
import type { ResourceRow } from '../../ports/mcp-resources';
import { callFailure } from './call-failure';
import { listResources } from './list-resources';
import type { OutputCheck } from './output-check';
import type { ServerLaunch } from './server-launch';
import { openSession, type ServerSession, type Timeouts } from './server-session';
import { defineTools, type DefinedTools } from './tool-definition';
import { toolResult } from './tool-result';

export interface McpServerDeps {
  readonly name: string;
  /** Only a trusted server's word that a tool reads and does not write counts. */
  readonly trusted: boolean;
  readonly launch: () => Result<ServerLaunch>;
  readonly timeouts: Timeouts;
  readonly checkOutput: OutputCheck;
  /** The server says that its resources are others now. */
  readonly onResourcesChanged?: () => void;
}

/** One server: started at its first use, started again at the next use after it ended. Nothing here throws. */
export interface McpServer {
  status(): ServerStatus;
  tools(): Promise<Result<ReadonlyMap<string, ToolDefinition>>>;
  call(tool: string, args: JsonObject, signal: AbortSignal): Promise<Result<Json>>;
  /** Of a server that runs; with `connect` it is started first. */
  resources(connect: boolean, signal: AbortSignal): Promise<Result<readonly ResourceRow[]>>;
  release(): Promise<void>;
}

interface Live {
  readonly session: ServerSession;
  defined: DefinedTools;
  stale: boolean;
}

interface State {
  state: ServerStatus['state'];
  detail: string;
  tools: number;
}

/** Builds the server without starting it. */
export function createMcpServer(deps: McpServerDeps): McpServer {
  const shown: State = { state: 'idle', detail: '', tools: 0 };
  const sessions = new Set<ServerSession>();
  let starting: Promise<Result<Live>> | null = null;

  const live = async (): Promise<Result<Live>> => {
    const current = starting === null ? null : await starting;
    if (current?.ok === true && current.value.session.end() === null) return current;
    if (starting === null || current !== null) starting = begin(deps, shown, sessions);
    return starting;
  };

  const tools = async (): Promise<Result<ReadonlyMap<string, ToolDefinition>>> => {
    const up = await live();
    if (!up.ok) return up;
    if (up.value.stale) {
      const listed = await listTools(deps, up.value.session);
      if (!listed.ok) return listed;
      Object.assign(up.value, { defined: listed.value, stale: false });
      show(shown, up.value);
    }
    return ok(up.value.defined.tools);
  };

  return {
    status: () => {
      noteEnd(shown, sessions);
      return { server: deps.name, ...shown };
    },
    tools,
    call: async (tool, args, signal) => {
      const known = await tools();
      if (!known.ok) return known;
      const definition = known.value.get(tool);
      const up = await live();
      if (!up.ok) return up;
      return definition === undefined
        ? err(unknownTool(deps.name, tool))
        : callTool(deps, up.value.session, definition, { args, signal });
    },
    resources: async (connect, signal) => {
      noteEnd(shown, sessions);
      if (!connect && shown.state !== 'ready') return ok([]);
      const up = await live();
      if (!up.ok) return up;
      return listResources(deps.name, up.value.session, deps.timeouts.startMs, signal);
    },
    release: async () => {
      starting = null;
      await Promise.all([...sessions].map((session) => session.close()));
      sessions.clear();
      Object.assign(shown, { state: 'idle', detail: '', tools: 0 });
    },
  };
}

async function begin(deps: McpServerDeps, shown: State, sessions: Set<ServerSession>): Promise<Result<Live>> {
  Object.assign(shown, { state: 'starting', detail: '', tools: 0 });
  sessions.clear();
  const up = await bringUp(deps, sessions);
  if (up.ok) show(shown, up.value);
  else Object.assign(shown, { state: 'failed', detail: detailOf(up.error, [...sessions].at(-1)), tools: 0 });
  return up;
}

async function bringUp(deps: McpServerDeps, sessions: Set<ServerSession>): Promise<Result<Live>> {
  const launch = deps.launch();
  if (!launch.ok) return launch;
  const opened = await openSession(deps.name, launch.value, deps.timeouts, (session) => {
    sessions.clear();
    sessions.add(session);
  });
  if (!opened.ok) return opened;
  const session = opened.value;
  const listed = await listTools(deps, session);
  if (!listed.ok) {
    await session.close();
    return listed;
  }
  const up: Live = { session, defined: listed.value, stale: false };
  // Only a mark: however often a server says its tools changed, they are listed again once, when next asked for.
  session.client.setNotificationHandler('notifications/tools/list_changed', () => {
    up.stale = true;
  });
  session.client.setNotificationHandler('notifications/resources/list_changed', () => {
    deps.onResourcesChanged?.();
  });
  return ok(up);
}

async function listTools(deps: McpServerDeps, session: ServerSession): Promise<Result<DefinedTools>> {
  try {
    const offers = session.client.getServerCapabilities()?.tools !== undefined;
    const options = { timeout: deps.timeouts.startMs, cacheMode: 'refresh' } as const;
    const declared: readonly Tool[] = offers
      ? (await session.client.listTools(undefined, options)).tools
      : [];
    const version = session.client.getServerVersion()?.version ?? '';
    return ok(defineTools({ name: deps.name, version, trusted: deps.trusted }, declared));
  } catch (error) {
    return err(
      callFailure(error, { server: deps.name, tool: 'tools/list', end: session.end(), cancelled: false }),
    );
  }
}

interface Call {
  readonly args: JsonObject;
  readonly signal: AbortSignal;
}

async function callTool(
  deps: McpServerDeps,
  session: ServerSession,
  definition: ToolDefinition,
  { args, signal }: Call,
): Promise<Result<Json>> {
  const { uri, tool } = definition;
  // Given with the call, so that the client compiles no schema of its own; outputs are checked here.
  const toolDefinition = { name: tool, inputSchema: definition.inputSchema } as Tool;
  try {
    const options = { signal, timeout: deps.timeouts.callMs, toolDefinition };
    const result: CallToolResult = await session.client.callTool(
      { name: tool, arguments: { ...args } },
      options,
    );
    const value = toolResult(uri, result);
    return value.ok ? deps.checkOutput(definition, value.value) : value;
  } catch (error) {
    const end = session.end();
    const failure = callFailure(error, { server: deps.name, tool: uri, end, cancelled: signal.aborted });
    if (failure.code === 'TIMEOUT') endIfDead(session, deps.timeouts.pingMs);
    return err(failure);
  }
}

/** A slow tool is its caller's matter; a server that does not even answer a ping is ended, and started again at its next use. */
function endIfDead(session: ServerSession, timeout: number): void {
  session.client.ping({ timeout }).catch(() => session.close());
}

function unknownTool(server: string, tool: string): AppError {
  return appError('TOOL', 'NOT_FOUND', `Server "${server}" has no tool "${tool}".`, {
    tool: `mcp://${server}.${tool}`,
  });
}

function show(shown: State, up: Live): void {
  const { tools, refused } = up.defined;
  const detail =
    refused.length === 0 ? '' : `${refused.length} tools left out: ${refused.slice(0, 5).join('; ')}`;
  Object.assign(shown, { state: 'ready', detail, tools: tools.size });
}

/** A server may end between two uses; its status says so without waiting for the next. */
function noteEnd(shown: State, sessions: ReadonlySet<ServerSession>): void {
  const [session] = sessions;
  const end = session?.end() ?? null;
  if (shown.state === 'ready' && end !== null) {
    Object.assign(shown, { state: 'failed', detail: withStderr(end, session), tools: 0 });
  }
}

function detailOf(error: AppError, session: ServerSession | undefined): string {
  return withStderr(error.message, session);
}

function withStderr(text: string, session: ServerSession | undefined): string {
  const said = session?.stderr().split('\n').at(-1) ?? '';
  return said === '' ? text : `${text} It last said: ${said.slice(0, 300)}`;
}
