import type { TaintSource } from '#shared/approval';
import type { ExecutionUnit, ResultEnvelope } from '#shared/execution';
import type { Json } from '#shared/json';
import type { NodeMetrics } from '#shared/node-metrics';
import type { Result } from '#shared/result';

/** What a script's `tools.<server>.<tool>(args)` reaches: `tools/call`, bound to one run and node. `tool` is the `mcp://server.tool` name. */
export type CallTool = (tool: string, args: Json, signal: AbortSignal) => Promise<Result<Json>>;

/** Where `artifacts.write` and `artifacts.read` of a script end up. */
export interface ArtifactStore {
  put(name: string, type: string, content: string): Result<{ handle: string; bytes: number }>;
  get(handle: string): Result<string>;
}

/** A store of artifacts that knows where the text in each may come from. */
export interface ArtifactShelf extends ArtifactStore {
  /** Adds to what is known of where an artifact comes from; kept beside it, for every run that reads it. */
  label(handle: string, origins: readonly TaintSource[]): Result<null>;
  /** Null: nobody said where it comes from. */
  originsOf(handle: string): readonly TaintSource[] | null;
  /** What is stored, the newest first; sizes in bytes, times in milliseconds since the epoch. */
  list(): Result<readonly { handle: string; bytes: number; at: number }[]>;
}

export interface SandboxHealth {
  readonly engine: string;
  readonly ready: boolean;
  readonly workers: number;
  readonly detail: string;
}

/** What a running node reports beside its envelope. */
export interface SandboxRun {
  readonly envelope: Result<ResultEnvelope>;
  readonly log: readonly string[];
  /** What was spent, also by a unit that failed; absent when nothing ran. */
  readonly metrics?: NodeMetrics;
}

/**
 * Runs one unit in isolation (agent-mode spec, SandboxEngine). Never throws; whatever the worker does,
 * the promise settles within the unit's limits. Time the unit spends waiting inside `callTool` costs no CPU budget.
 */
export interface SandboxEngine {
  readonly name: string;
  execute(
    unit: ExecutionUnit,
    callTool: CallTool,
    signal: AbortSignal,
    /** Told before the unit is given an artifact it did not write itself. */
    onArtifactRead?: (handle: string) => void,
  ): Promise<SandboxRun>;
  health(): Promise<SandboxHealth>;
  capabilities(): readonly string[];
  /** Begins to start a worker where there is none, so that a unit that comes in a moment need not wait for it. */
  warm(): void;
  /** Ends idle workers; the next `execute` starts one again. */
  release(): void;
  close(): Promise<void>;
}
