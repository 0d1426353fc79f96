import type { JsonObject, Json } from '#shared/json';
import type { Result } from '#shared/result';
import type { ServerStatus } from './server-status';
import type { DiscoveryMode } from './discovery-mode';
import type { ToolDefinition } from './tool-definition';

/** How far a call is, in the server's own units; `message` is its words, bounded and printable. */
export interface ToolProgress {
  readonly uri: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The MCP servers of one project folder. Only `tools/call` is handed this port. */
export interface Tools {
  servers(): readonly ServerStatus[];
  /**
   * The tools of the servers named (all when none is), `needed` unless said otherwise; a server that fails is left out and
   * shows in `servers()`.
   */
  list(servers?: readonly string[], how?: DiscoveryMode): Promise<Result<readonly ToolDefinition[]>>;
  /**
   * One MCP call; a result is an object or a string, never a content array. Never throws. POLICY/TOOL_CHANGED when the tool is
   * not the one of the hash any more that was judged.
   */
  call(uri: string, args: JsonObject, signal: AbortSignal, hash?: string): Promise<Result<Json>>;
  /** Ends every server; the next use starts them again. */
  release(): Promise<void>;
}
