import type { TaintSource } from '#shared/approval';
import type { ExecutionUnit, ResultEnvelope } from '#shared/execution';
import type { Json } from '#shared/json';
import type { NodeMetrics } from '#shared/node-metrics';
import type { Result } from '#shared/result';

/**
 * Handles a script's `tools.<server>.<tool>(args)`: `tools/call`, bound to one run and node. `tool` is the
 * `mcp://server.tool` name.
 */
export type CallTool = (tool: string, args: Json, signal: AbortSignal) => Promise<Result<Json>>;

/** Backs `artifacts.write` and `artifacts.read` of a script. */
export interface ArtifactStore {
  put(name: string, type: string, content: string): Result<{ handle: string; bytes: number }>;
  get(handle: string): Result<string>;
}

/** An artifact store that also records the origins of each artifact's text. */
export interface LabelledArtifactStore extends ArtifactStore {
  /** Adds origins to an artifact; stored beside it, for every run that reads it. */
  label(handle: string, origins: readonly TaintSource[]): Result<null>;
  /** Null when the artifact is unlabelled. */
  originsOf(handle: string): readonly TaintSource[] | null;
  /** Stored artifacts, newest first; sizes in bytes, times in milliseconds since the epoch. */
  list(): Result<readonly { handle: string; bytes: number; at: number }[]>;
}

export interface SandboxHealth {
  readonly engine: string;
  readonly ready: boolean;
  readonly workers: number;
  readonly detail: string;
}

/** The result of running a unit: its envelope, log and metrics. */
export interface SandboxRun {
  readonly envelope: Result<ResultEnvelope>;
  readonly log: readonly string[];
  /** Resources used, also by a failed unit; absent when nothing ran. */
  readonly metrics?: NodeMetrics;
}

/**
 * Runs one unit in isolation (agent-mode §7.2). Never throws; whatever the worker does, the
 * promise settles within the unit's limits. Waiting inside `callTool` does not count against the CPU budget.
 */
export interface SandboxEngine {
  readonly name: string;
  execute(
    unit: ExecutionUnit,
    callTool: CallTool,
    signal: AbortSignal,
    /** Called before the unit receives an artifact that it did not write itself. */
    onArtifactRead?: (handle: string) => void,
  ): Promise<SandboxRun>;
  health(): Promise<SandboxHealth>;
  capabilities(): readonly string[];
  /** Starts a worker in the background if none is running, so that the next unit need not wait for it. */
  warm(): void;
  /** Stops idle workers; the next `execute` starts one again. */
  release(): void;
  close(): Promise<void>;
}
