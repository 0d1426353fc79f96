import type { Result } from '#shared/result';
import type { ServerStatus } from './server-status';

/** A resource as its server describes it; all texts come from the server and are bounded. */
export interface ResourceRow {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

/** Resources that the MCP servers of one project folder offer. */
export interface McpResources {
  servers(): readonly ServerStatus[];
  /**
   * Resources of running servers; with `connect`, every server is started first. A failed server is omitted;
   * when all fail, returns their error.
   */
  resources(
    options: { readonly connect: boolean },
    signal: AbortSignal,
  ): Promise<Result<readonly ResourceRow[]>>;
  /** The text of a server's resource; starts the server. TOOL/… when it fails or is not text. */
  read(server: string, uri: string, signal: AbortSignal): Promise<Result<string>>;
  /** Notifies the listener when a server reports changed resources. Returns an unsubscribe function. */
  onResourcesChanged(listener: () => void): () => void;
}
