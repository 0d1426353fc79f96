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
  /** Whether the user trusts its server; text of another is marked through the run. */
  readonly trusted?: boolean;
  /** Its server comes with the app, under this name there. */
  readonly bundled?: string;
  /** A tool of the host: no manifest names it, and it asks by itself where a person has to say yes. */
  readonly host?: true;
}
