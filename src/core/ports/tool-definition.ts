import type { JsonObject } from '#shared/json';

/**
 * A tool as its server declares it. `readOnly` is the final classification: only a trusted server's
 * annotation counts.
 */
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
  /** Input schema patterns that only the server can check: they use lookaround or backreferences. */
  readonly uncheckedPatterns?: readonly string[];
  /** Whether the user trusts its server; text from an untrusted server is tainted throughout the run. */
  readonly trusted?: boolean;
  /** How long a result may be reused, in milliseconds; absent: results are not cached. */
  readonly readTtlMs?: number;
  /** The server's annotations (read-only, destructive, …). Only a trusted server's annotations count. */
  readonly annotations?: JsonObject;
  /** SHA-256 of everything the server declares about the tool. */
  readonly hash?: string;
  /** The server now declares another definition; this is the pinned one, and calls are refused. */
  readonly changed?: true;
  /** The bundled server's name; tools of bundled servers are not pinned. */
  readonly bundled?: string;
  /** A built-in tool: no manifest lists it, and it asks for approval itself where needed. */
  readonly builtIn?: true;
}
