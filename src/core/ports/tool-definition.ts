import type { JsonObject } from '#shared/json';

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
  /** Patterns of its input schema that only the server can check: they look around or refer back. */
  readonly uncheckedPatterns?: readonly string[];
  /** Whether the user trusts its server; text of another is marked through the run. */
  readonly trusted?: boolean;
  /** Milliseconds for which what it gave may be given again; absent: every call is made. */
  readonly readTtlMs?: number;
  /** What the server says beside: that it reads, destroys, … Only a trusted server's word counts. */
  readonly annotations?: JsonObject;
  /** SHA-256 of all the server declares of it. */
  readonly hash?: string;
  /** Its server gives another definition now: this is the one that was pinned, and no call is made. */
  readonly changed?: true;
  /** Its server comes with the app, under this name there; its tools are not pinned. */
  readonly bundled?: string;
  /** A tool of the host: no manifest names it, and it asks by itself where a person has to say yes. */
  readonly host?: true;
}
