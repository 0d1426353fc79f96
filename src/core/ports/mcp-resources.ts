import type { Result } from '#shared/result';
import type { ServerStatus } from './server-status';

/** A resource as a server names it; every text is the server's and bounded. */
export interface ResourceRow {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

/** What the MCP servers of one project folder offer to be chosen. */
export interface McpResources {
  servers(): readonly ServerStatus[];
  /** Of the servers that run; with `connect` every server is started first. A server that fails is left out; when all do, their error. */
  resources(
    options: { readonly connect: boolean },
    signal: AbortSignal,
  ): Promise<Result<readonly ResourceRow[]>>;
  /** Told when a server says that its resources changed. Returns the way to stop. */
  onResourcesChanged(listener: () => void): () => void;
}
