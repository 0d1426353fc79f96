import type { ToolAlias } from '#shared/tool-name';
import type { GuestErrors } from './guest-errors';

type Tool = (args?: unknown) => Promise<unknown>;
export type ScriptTools = Readonly<Record<string, Readonly<Record<string, Tool>>>>;
export type NewScriptTools = (
  aliases: readonly ToolAlias[],
  call: (tool: string, args: unknown) => Promise<unknown>,
) => ScriptTools;

/**
 * Runs inside the guest as text, so it must not close over anything. Creates `tools.<server>.<tool>` for the
 * tools of a unit; any other name throws CODE/UNKNOWN_TOOL with the available names.
 */
export function createToolsFactory(errors: GuestErrors): NewScriptTools {
  // Captured now, because scripts have no Proxy.
  const Guard = Proxy;
  const closed = (path: string, entries: Map<string, unknown>): object =>
    new Guard(Object.freeze(Object.fromEntries(entries)), {
      get(_target, key) {
        if (typeof key === 'symbol') return undefined;
        // `await tools` reads `then`, which is not a tool name.
        if (entries.has(key) || key === 'then') return entries.get(key);
        const names = [...entries.keys()].slice(0, 20).join(', ') || 'none';
        throw errors.typedError(
          { kind: 'CODE', code: 'UNKNOWN_TOOL', tool: `${path}.${key}`.slice(0, 200) },
          `${path}.${key.slice(0, 100)} is not among the tools of this step (${names})`,
        );
      },
    });
  return (aliases, call) => {
    const servers = new Map<string, Map<string, Tool>>();
    for (const { uri, server, tool } of aliases) {
      const tools = servers.get(server) ?? new Map<string, Tool>();
      const callTool: Tool = (args) => call(uri, args === undefined ? {} : args);
      tools.set(tool, Object.freeze(callTool));
      servers.set(server, tools);
    }
    const root = new Map<string, unknown>();
    for (const [server, tools] of servers) root.set(server, closed(`tools.${server}`, tools));
    return closed('tools', root) as ScriptTools;
  };
}
