import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { parseToolUri } from '#shared/tool-name';
import type { ToolDefinition } from '../../../core/ports/tool-definition';
import type { ServerStatus } from '../../../core/ports/server-status';
import type { McpResources, ResourceRow } from '../../../core/ports/mcp-resources';
import type { Elicit } from '../../../core/ports/elicit';
import type { DiscoveryMode } from '../../../core/ports/discovery-mode';
import type { ToolProgress, Tools } from '../../../core/ports/tools';
import { createMcpServer, type McpServer, type ServerLife } from './mcp-server';
import { createOutputCheck, type OutputCheck } from './output-check';
import { callLimits, type Registry, type ServerEntry } from './registry';
import { serverLaunch, type LaunchContext } from './server-launch';
import type { Timeouts } from './server-session';
import { createToolMemory, type ToolMemoryDeps } from './tool-memory';
import type { StoreContent } from './tool-result';

export interface ToolsDeps extends LaunchContext {
  /** Reads the registry file; called at first use and again after `release`. */
  readonly registry: () => Result<Registry>;
  readonly timeouts?: Partial<Timeouts>;
  /** Stores images and other binary content of results. */
  readonly storeContent?: StoreContent;
  /** Caches tool lists between starts; without it, Patina asks every server again. */
  readonly lists?: ToolMemoryDeps;
  /** Asks a person for an MCP elicitation; without it, servers learn that nobody can be asked. */
  readonly elicit?: Elicit;
  readonly onProgress?: (progress: ToolProgress) => void;
  /** Milliseconds on a monotonic clock; default: the clock of the process. */
  readonly now?: () => number;
  /**
   * Called when a server has started, failed to start, or stopped; `detail` says why or how many tools it
   * has.
   */
  readonly onServerLife?: (server: string, event: ServerLife, detail: string) => void;
}

const PING_MS = 5_000;

/** The MCP servers of one project folder behind their two ports. No server starts before it is used. */
export function createTools(deps: ToolsDeps): Tools & McpResources {
  let known: Result<ReadonlyMap<string, McpServer>> | null = null;
  const listeners = new Set<() => void>();
  const resourcesChanged = (): void => listeners.forEach((listener) => listener());
  const servers = (): Result<ReadonlyMap<string, McpServer>> => {
    if (known?.ok !== true) known = createServers(deps, resourcesChanged);
    return known;
  };
  return {
    servers: () => statuses(servers()),
    list: (names, how = 'needed') => listTools(servers(), names, how),
    call: async (uri, args, signal, hash) => {
      const all = servers();
      if (!all.ok) return all;
      const parts = parseToolUri(uri);
      const server = parts === undefined ? undefined : all.value.get(parts.server);
      if (parts === undefined || server === undefined) {
        return err(
          appError('TOOL', 'NOT_FOUND', `There is no MCP server for ${uri.slice(0, 200)}.`, { tool: uri }),
        );
      }
      return server.call(parts.tool, args, signal, hash);
    },
    resources: ({ connect }, signal) => listAllResources(servers(), connect, signal),
    async read(server, uri, signal) {
      const all = servers();
      if (!all.ok) return all;
      const found = all.value.get(server);
      const missing = appError('TOOL', 'NOT_FOUND', `There is no MCP server ${server}.`);
      return found ? found.read(uri, signal) : err(missing);
    },
    onResourcesChanged(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    release: async () => {
      const all = known;
      known = null;
      if (all?.ok === true) await Promise.all([...all.value.values()].map((server) => server.release()));
    },
  };
}

function createServers(
  deps: ToolsDeps,
  onResourcesChanged: () => void,
): Result<ReadonlyMap<string, McpServer>> {
  const registry = deps.registry();
  if (!registry.ok) return registry;
  const checkOutput = createOutputCheck();
  const server = (name: string, entry: ServerEntry): McpServer =>
    createMcpServer({
      name,
      trusted: entry.trusted,
      readTtlMs: entry.readTtlMs,
      bundled: entry.kind === 'bundled' ? entry.bundled : undefined,
      launch: () => serverLaunch(name, entry, deps),
      timeouts: timeoutsOf(entry, deps.timeouts),
      checkOutput: entry.kind === 'bundled' ? acceptOwn : checkOutput,
      storeContent: deps.storeContent ?? (() => null),
      memory: deps.lists && createToolMemory(deps.lists, name, entry),
      elicit: deps.elicit,
      onProgress: deps.onProgress ?? (() => undefined),
      onResourcesChanged,
      now: deps.now ?? (() => performance.now()),
      onLife: (event, detail) => deps.onServerLife?.(name, event, detail),
    });
  return ok(new Map([...registry.value].map(([name, entry]) => [name, server(name, entry)])));
}

function timeoutsOf(
  entry: ServerEntry,
  { startMs, callMs, pingMs = PING_MS }: Partial<Timeouts> = {},
): Timeouts {
  const { timeoutMs = callMs, startTimeoutMs = startMs, maxTimeoutMs } = entry;
  return { ...callLimits({ timeoutMs, startTimeoutMs, maxTimeoutMs }), pingMs };
}

/** Bundled servers check their own results; a page of 50,000 files needs no second check. */
const acceptOwn: OutputCheck = () => null;

function statuses(servers: Result<ReadonlyMap<string, McpServer>>): readonly ServerStatus[] {
  return servers.ok ? [...servers.value.values()].map((server) => server.status()) : [];
}

async function listTools(
  servers: Result<ReadonlyMap<string, McpServer>>,
  names: readonly string[] | undefined,
  how: DiscoveryMode,
): Promise<Result<readonly ToolDefinition[]>> {
  if (!servers.ok) return servers;
  const wanted = [...servers.value].filter(([name]) => names === undefined || names.includes(name));
  const listed = await Promise.all(wanted.map(([, server]) => server.tools(how)));
  return ok(listed.flatMap((tools) => (tools.ok ? [...tools.value.values()] : [])));
}

async function listAllResources(
  servers: Result<ReadonlyMap<string, McpServer>>,
  connect: boolean,
  signal: AbortSignal,
): Promise<Result<readonly ResourceRow[]>> {
  if (!servers.ok) return servers;
  const listed = await Promise.all(
    [...servers.value.values()].map((server) => server.resources(connect, signal)),
  );
  const rows = listed.flatMap((one) => (one.ok ? one.value : []));
  const failed = listed.find((one) => !one.ok);
  // Partial results are better than none; if there are none, return the failure.
  return rows.length === 0 && failed ? failed : ok(rows);
}
