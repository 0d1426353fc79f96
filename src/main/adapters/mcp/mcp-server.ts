import { appError, type AppError } from '#shared/app-error';
import type { Json, JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ToolDefinition } from '../../../core/ports/tool-definition';
import type { ServerStatus } from '../../../core/ports/server-status';
import type { Elicit } from '../../../core/ports/elicit';
import type { DiscoveryMode } from '../../../core/ports/discovery-mode';
import type { ToolProgress } from '../../../core/ports/tools';
import type { ResourceRow } from '../../../core/ports/mcp-resources';
import { createElicitationScope, type ElicitationScope } from './elicitation-scope';
import { callTool } from './call-tool';
import { listResources, listTools, readResource, type Lists, type ListDeps } from './list-features';
import type { OutputCheck } from './output-check';
import type { ServerLaunch } from './server-launch';
import {
  addWarning,
  detailOf,
  backoffError,
  markExited,
  showReady,
  statusOf,
  type State,
} from './server-state';
import { openSession, type ServerSession, type Timeouts } from './server-session';
import { defineTools, type DefinedTools } from './tool-definition';
import type { ToolMemory } from './tool-memory';
import type { StoreContent } from './tool-result';

interface McpServerDeps extends Pick<ListDeps, 'readTtlMs'> {
  readonly name: string;
  /** Patina believes only a trusted server that a tool reads and does not write. */
  readonly trusted: boolean;
  /** The name of a bundled server. */
  readonly bundled?: string | undefined;
  readonly launch: () => Result<ServerLaunch>;
  readonly timeouts: Timeouts;
  readonly checkOutput: OutputCheck;
  readonly storeContent: StoreContent;
  /** The tools it listed in earlier starts. */
  readonly memory?: ToolMemory | undefined;
  readonly elicit?: Elicit | undefined;
  readonly onProgress: (progress: ToolProgress) => void;
  /** Called when the server reports that its resources changed. */
  readonly onResourcesChanged?: () => void;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
  /** Called when the server has started, failed to start, or stopped. */
  readonly onLife: (event: ServerLife, detail: string) => void;
}

export type ServerLife = 'started' | 'refused' | 'stopped';

/**
 * One server: starts at first use and restarts at the next use after it ended; a server that fails to start
 * is retried with growing delays. Nothing here throws.
 */
export interface McpServer {
  status(): ServerStatus;
  tools(how: DiscoveryMode): Promise<Result<ReadonlyMap<string, ToolDefinition>>>;
  /** With the `hash` of a judged definition, refuses to call a tool whose definition differs. */
  call(tool: string, args: JsonObject, signal: AbortSignal, hash?: string): Promise<Result<Json>>;
  /** Lists the resources of a running server; with `connect`, starts it first. */
  resources(connect: boolean, signal: AbortSignal): Promise<Result<readonly ResourceRow[]>>;
  /** The text of a resource; starts the server if necessary. */
  read(uri: string, signal: AbortSignal): Promise<Result<string>>;
  release(): Promise<void>;
}

interface Live {
  readonly session: ServerSession;
  defined: DefinedTools;
  readonly lists: Lists;
}

/** Returns the running server, starting it when necessary unless its backoff delay is pending. */
function createStarter(deps: McpServerDeps, surroundings: Start) {
  const backOff = createBackOff(deps.now);
  let starting: Promise<Result<Live>> | null = null;
  let lastFailure: AppError | null = null;
  const start = async (): Promise<Result<Live>> => {
    const up = await begin(deps, surroundings);
    lastFailure = up.ok ? null : up.error;
    // A server that asks for a sign-in answers at once: waiting would only delay the sign-in.
    if (up.ok || up.error.code === 'SIGN_IN') backOff.worked();
    else backOff.failed(up.error.retryAfterMs);
    return up;
  };
  return {
    live: async (): Promise<Result<Live>> => {
      const before = starting;
      const current = await before;
      if (current?.ok === true && current.value.session.end() === null) return current;
      // Another waiting caller has started it already.
      if (starting !== null && starting !== before) return starting;
      const wait = backOff.waitMs();
      if (wait > 0 && lastFailure) return err(backoffError(lastFailure, wait));
      starting = start();
      return starting;
    },
    /** The running server, if any; starts nothing. */
    running: async (): Promise<Live | null> => {
      const current = await starting;
      return current?.ok === true && current.value.session.end() === null ? current.value : null;
    },
    forget() {
      starting = null;
      backOff.worked();
    },
  };
}

/** Creates the server without starting it. */
export function createMcpServer(deps: McpServerDeps): McpServer {
  const shown: State = { state: 'idle', detail: '', tools: 0, warnings: [] };
  const sessions = new Set<ServerSession>();
  const warn = (text: string): void => addWarning(shown, text);
  const elicitations = createElicitationScope(deps.elicit);
  const callDeps = { ...deps, server: deps.name, onWarning: warn, elicitations };
  const { live, running, forget } = createStarter(deps, { shown, sessions, warn, elicitations });

  const listed = async (): Promise<Result<ReadonlyMap<string, ToolDefinition>>> => {
    const up = await live();
    if (!up.ok) return up;
    const { lists } = up.value;
    if (lists.stale || deps.now() >= lists.freshUntil) {
      lists.stale = false;
      const retried = await listTools(deps, up.value.session, lists);
      lists.stale ||= !retried.ok;
      if (!retried.ok) return retried;
      up.value.defined = retried.value;
      showReady(shown, retried.value);
    }
    return ok(up.value.defined.tools);
  };

  return {
    status: () => {
      const { startMs, callMs, totalMs } = deps.timeouts;
      const status = statusOf(deps.name, withMemory(deps, markExited(shown, sessions)), [...sessions].at(-1));
      return { ...status, limits: { startMs, callMs, totalMs } };
    },
    tools: async (how) => {
      if (how === 'live') return listed();
      const now = await running();
      if (how === 'known') return ok((now?.defined ?? remembered(deps))?.tools ?? new Map());
      // Do not present remembered tools for a server that failed its last start.
      const known = now || markExited(shown, sessions).state === 'failed' ? null : remembered(deps);
      return known ? ok(known.tools) : listed();
    },
    call: async (tool, args, signal, hash) => {
      const known = await listed();
      if (!known.ok) return err(ofCall(deps.name, tool, known.error));
      const definition = known.value.get(tool);
      const up = await live();
      if (!up.ok) return err(ofCall(deps.name, tool, up.error));
      if (hash !== undefined && definition !== undefined && definition.hash !== hash)
        return err(toolChanged(definition.uri));
      return definition === undefined
        ? err(unknownTool(deps.name, tool))
        : callTool(callDeps, up.value.session, { definition, args, signal });
    },
    resources: async (connect, signal) => {
      markExited(shown, sessions);
      if (!connect && shown.state !== 'ready') return ok([]);
      const up = await live();
      if (!up.ok) return up;
      return listResources(deps.name, up.value.session, deps.timeouts.startMs, signal);
    },
    read: async (uri, signal) => {
      const up = await live();
      if (!up.ok) return up;
      return readResource(deps.name, up.value.session, uri, { timeout: deps.timeouts.callMs, signal });
    },
    release: async () => {
      forget();
      if (sessions.size > 0) deps.onLife('stopped', '');
      await Promise.all([...sessions].map((session) => session.close()));
      sessions.clear();
      Object.assign(shown, { state: 'idle', detail: '', tools: 0, warnings: [] });
    },
  };
}

/** A sign-in that the start of a server needs is needed by the call, which names the server to whoever shows it. */
const ofCall = (server: string, tool: string, error: AppError): AppError =>
  error.code === 'SIGN_IN' ? { ...error, tool: `mcp://${server}.${tool}` } : error;

/** The tools from an earlier start, judged by the current rules. */
function remembered({ memory, ...deps }: McpServerDeps): DefinedTools | null {
  const stored = memory?.recall();
  return stored ? defineTools({ ...deps, version: stored.version }, stored.declared) : null;
}

const FROM_EARLIER = 'Its tool list is from an earlier start. The server starts when it is used.';

function withMemory(deps: McpServerDeps, shown: State): State {
  const known = shown.state === 'idle' ? remembered(deps) : null;
  return known ? { ...shown, tools: known.tools.size, detail: FROM_EARLIER } : shown;
}

interface Start {
  readonly shown: State;
  readonly sessions: Set<ServerSession>;
  readonly warn: (text: string) => void;
  readonly elicitations: ElicitationScope;
}

async function begin(deps: McpServerDeps, start: Start): Promise<Result<Live>> {
  const { shown, sessions } = start;
  Object.assign(shown, { state: 'starting', detail: '', tools: 0, warnings: [] });
  sessions.clear();
  const up = await bringUp(deps, start);
  deps.onLife(
    up.ok ? 'started' : 'refused',
    up.ok ? `${up.value.defined.tools.size} tools` : up.error.message,
  );
  if (up.ok) showReady(shown, up.value.defined);
  else Object.assign(shown, { state: 'failed', detail: detailOf(up.error, [...sessions].at(-1)), tools: 0 });
  return up;
}

async function bringUp(deps: McpServerDeps, { sessions, warn, elicitations }: Start): Promise<Result<Live>> {
  const launch = deps.launch();
  if (!launch.ok) return launch;
  // Some servers add tools once they know the client's capabilities, and report the change while they are
  // being listed.
  const lists: Lists = { stale: false, freshUntil: Infinity };
  const settings = {
    server: deps.name,
    timeouts: deps.timeouts,
    elicit: elicitations.elicit,
    onWarning: warn,
    // Sets only a flag: however often a server reports changes, Patina lists its tools once, at the next use.
    onListChanged: (list: 'tools' | 'resources') => {
      if (list === 'resources') deps.onResourcesChanged?.();
      else lists.stale = true;
    },
    opened: (session: ServerSession) => {
      sessions.clear();
      sessions.add(session);
    },
  };
  const opened = await openSession(settings, launch.value);
  if (!opened.ok) return opened;
  const session = opened.value;
  const listed = await listTools(deps, session, lists);
  if (!listed.ok) {
    await session.close();
    return listed;
  }
  return ok({ session, defined: listed.value, lists });
}

/** The first failed start is retried at the next use; each further failure doubles the wait. */
const firstMs = 1000;
const maxBackOffMs = 60000;

/** When to retry a server that fails to start, in milliseconds on a monotonic clock. */
export function createBackOff(now: () => number) {
  let failures = 0;
  let until = 0;
  return {
    /** Remaining delay before the next start; 0 allows it now. */
    waitMs: (): number => Math.max(0, until - now()),
    /** Records a failure; `requestedMs` is the delay that the server itself requested. */
    failed(requestedMs: number = 0): void {
      failures += 1;
      const own = failures > 1 ? Math.min(maxBackOffMs, firstMs * 2 ** (failures - 2)) : 0;
      until = now() + Math.max(own, requestedMs);
    },
    worked(): void {
      failures = 0;
      until = 0;
    },
  };
}

/** The server's current definition differs from the judged one. */
function toolChanged(tool: string): AppError {
  const hint = 'Review the change and accept it, then run it again.';
  return appError('POLICY', 'TOOL_CHANGED', `${tool} changed while it was in use.`, { tool, hint });
}

/** A tool name that the server does not list. */
export function unknownTool(server: string, tool: string): AppError {
  return appError('TOOL', 'NOT_FOUND', `Server "${server}" has no tool "${tool}".`, {
    tool: `mcp://${server}.${tool}`,
  });
}
