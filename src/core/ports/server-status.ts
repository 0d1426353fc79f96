/** One MCP server as people are told of it; `detail` says why when it is not ready. */
export interface ServerStatus {
  readonly server: string;
  readonly state: 'idle' | 'starting' | 'ready' | 'failed';
  readonly detail: string;
  readonly tools: number;
  /** Milliseconds its start and lists, a silent call, and a call that reports progress may take. */
  readonly limits?: { readonly startMs: number; readonly callMs: number; readonly totalMs: number };
  /** The last of what it wrote to standard error, if anything. */
  readonly stderr?: string;
}
