import type { JsonObject, Json } from '#shared/json';
import type { Result } from '#shared/result';

/** A tool as a server declares it. `readOnly` is already the verdict: only a trusted server's annotation counts. */
export interface ToolDefinition {
  /** `mcp://server.tool` */
  readonly uri: string;
  readonly server: string;
  readonly tool: string;
  readonly serverVersion: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly readOnly: boolean;
}

export interface ServerStatus {
  readonly server: string;
  readonly state: 'idle' | 'starting' | 'ready' | 'failed';
  readonly detail: string;
  readonly tools: number;
}

/** The MCP servers of one project folder. Only `tools/call` is handed this port. */
export interface Tools {
  servers(): readonly ServerStatus[];
  /** Starts the servers named (all when none is) and gives their tools; a server that fails is left out and shows in `servers()`. */
  list(servers?: readonly string[]): Promise<Result<readonly ToolDefinition[]>>;
  /** One MCP call; a result is an object or a string, never a content array. Never throws. */
  call(uri: string, args: JsonObject, signal: AbortSignal): Promise<Result<Json>>;
  /** Ends every server; the next use starts them again. */
  release(): Promise<void>;
}
