import type { JsonObject, Json } from '#shared/json';
import type { Result } from '#shared/result';
import type { ServerStatus } from './server-status';
import type { DiscoveryMode } from './discovery-mode';
import type { ToolDefinition } from './tool-definition';

/** Progress of a call in the server's own units; `message` is the server's text, bounded and printable. */
export interface ToolProgress {
  readonly uri: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The MCP servers of one project folder. Only `tools/call` receives this port. */
export interface Tools {
  servers(): readonly ServerStatus[];
  /**
   * Tools of the named servers (default: all); discovery mode defaults to `needed`. A failed server is
   * omitted and reported by `servers()`.
   */
  list(servers?: readonly string[], how?: DiscoveryMode): Promise<Result<readonly ToolDefinition[]>>;
  /**
   * Makes one MCP call; a result is an object or a string, never a content array. Never throws.
   * POLICY/TOOL_CHANGED when the tool's definition no longer has the hash that was checked.
   */
  call(uri: string, args: JsonObject, signal: AbortSignal, hash?: string): Promise<Result<Json>>;
  /** Stops every server; the next use starts them again. */
  release(): Promise<void>;
}
