import { ok, type Result } from '#shared/result';
import type { CallTool } from '../ports/sandbox';
import type { ToolDefinition } from '../ports/tool-definition';
import type { DiscoveryMode } from '../ports/discovery-mode';
import type { CallScope, CallToolDeps, ToolListing } from './call-scope';
import { createNodeCallTool } from './node-call-tool';

/** Calls tools for all code outside the MCP adapter: first the gate, then dispatch. */
export interface ToolCaller {
  /** Lists the tools of the named servers, or of all; a server's status says if it did not start. */
  readonly list: (servers?: readonly string[], how?: DiscoveryMode) => Promise<Result<ToolListing>>;
  /** `tools/call` for one node. The gate treats the tools of `listing` as bound. Never throws. */
  readonly forNode: (scope: CallScope, listing: ToolListing) => CallTool;
}

type Listed = Result<readonly ToolDefinition[]>;

/** Lists the tools of the named servers, or of all, each with its pinned definition. */
async function listPinned(
  { tools, pins }: CallToolDeps,
  servers?: readonly string[],
  how?: DiscoveryMode,
): Promise<Listed> {
  const listed = await tools.list(servers, how);
  return listed.ok && pins ? pins.enforce(listed.value) : listed;
}

/**
 * Lists servers with changed tools live. A cached listing may still report a change that the server has
 * reverted, and a blocked tool is never called, so nothing else would discover this.
 */
async function refreshChanged(deps: CallToolDeps, known: readonly ToolDefinition[]): Promise<Listed> {
  const servers = [...new Set(known.flatMap(({ changed, server }) => (changed ? [server] : [])))];
  if (servers.length === 0) return ok(known);
  const now = await listPinned(deps, servers, 'live');
  if (!now.ok) return now;
  const answered = new Set(now.value.map(({ server }) => server));
  const inOrder = [...new Set(known.map(({ server }) => server))];
  const newestOf = (name: string) =>
    (answered.has(name) ? now.value : known).filter(({ server }) => server === name);
  return ok(inOrder.flatMap(newestOf));
}

/** The only code that receives the tools, so no call reaches a server without passing the gate. */
export function createToolCaller(deps: CallToolDeps): ToolCaller {
  return {
    list: async (servers, how = 'needed') => {
      const known = await listPinned(deps, servers, how);
      const pinned = known.ok && how === 'needed' ? await refreshChanged(deps, known.value) : known;
      return pinned.ok ? ok({ tools: pinned.value, servers: deps.tools.servers() }) : pinned;
    },
    forNode: (scope, listing) => createNodeCallTool(deps, scope, listing),
  };
}
