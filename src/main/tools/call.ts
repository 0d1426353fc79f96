import { ok, type Result } from '#shared/result';
import type { CallTool } from '../ports/sandbox';
import type { ListHow } from '../ports/list-how';
import type { CallScope, CallToolDeps, ToolListing } from './call-scope';
import { nodeCalls } from './node-calls';

/** The way to tools for everything but the MCP adapter: first the gate, then dispatch. */
export interface ToolCalls {
  /** What the servers named (all when none is) offer; a server that did not start is told by its status. */
  readonly list: (servers?: readonly string[], how?: ListHow) => Promise<Result<ToolListing>>;
  /** `tools/call` for one node; `listing` is what the gate takes for bound. Never throws. */
  readonly forNode: (scope: CallScope, listing: ToolListing) => CallTool;
}

/** The one place that is handed the tools: nothing reaches a server without passing the gate. */
export function createCallTool(deps: CallToolDeps): ToolCalls {
  return {
    list: async (servers, how) => {
      const listed = await deps.tools.list(servers, how);
      const held = listed.ok && deps.pins ? deps.pins.hold(listed.value) : listed;
      return held.ok ? ok({ tools: held.value, servers: deps.tools.servers() }) : held;
    },
    forNode: (scope, listing) => nodeCalls(deps, scope, listing),
  };
}
