/** Status of an MCP server, for display; `detail` explains a server that is not ready. */
export interface ServerStatus {
  readonly server: string;
  readonly state: 'idle' | 'starting' | 'ready' | 'failed';
  readonly detail: string;
  readonly tools: number;
  /**
   * Timeouts in milliseconds: startup with listing, a call without progress, and a
   * call that reports progress.
   */
  readonly limits?: { readonly startMs: number; readonly callMs: number; readonly totalMs: number };
  /** The end of its standard error output, if any. */
  readonly stderr?: string;
}
