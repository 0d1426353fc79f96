import type { AppError } from '#shared/app-error';
import type { ApprovalDecision, ApprovalEdit } from '#shared/approval';
import type { Artifact } from '#shared/execution';
import type { NodeMetrics } from '#shared/node-metrics';
import type { JsonObject } from '#shared/json';
import type { ModelRef, Usage } from '#shared/model';
import type { Receipt } from '#shared/receipt';
import type { Result } from '#shared/result';
import type { ModelStep, RunState } from '#shared/session-state';
import type { NodeEndStatus, RunOutcome, SessionFact } from '#shared/session-event';
import type { ModelTool, ModelToolCall, ResponseOptions, SystemMessage } from './llm';
import type { PromptText } from './prompt-text';
import type { ToolLists } from './tool-lists';
import type { LedgerEntry } from '#shared/ledger';

/** `all` and `none` answer every write without a card; `ask` waits for a person. */
export type ApprovePolicy = 'all' | 'none' | 'ask';

/** What a model call of a run adds to the host's words. */
export interface OwnPart {
  readonly blocks: readonly PromptText[];
  /** The tools it is offered, by name. */
  readonly tools?: readonly string[];
  /** The plan's node that makes the call. */
  readonly node?: string;
}

export interface AgentRequest {
  /** Whose standing answers hold; without a session only a no does. */
  readonly sessionId?: string;
  readonly turn: number;
  readonly goal: string;
  readonly model: ModelRef;
  /** The project folder; absolute. */
  readonly project: string;
  readonly approve: ApprovePolicy;
  /**
   * A model call begins: its whole system message, which is recorded as it is sent. The host's words come first, all blocks
   * for planning, the mode's block for every other call; then the call's own. Each call of this is a step; an error ends
   * what needed it.
   */
  readonly prompt: (part: ModelStep['part'], own: OwnPart) => Result<SystemMessage>;
  /** How the call that was last begun is to be answered, as the prompt pack says. */
  readonly response?: (part: ModelStep['part']) => ResponseOptions;
  /** The host's words for a call as they are now; asking begins no step. */
  readonly words?: (part: ModelStep['part']) => string;
  /** What a planning call would be told now; asking begins no step. */
  readonly planningText?: () => string;
  /** A node begins: the workspace snapshot it is bound by; null without one. */
  readonly beginNode: () => Result<string | null>;
  /** A workspace's own words for a tool. */
  readonly describe?: (tool: string) => string | undefined;
  /** What bounds a step's calls when it starts, wherever the plan came from. */
  readonly lists: () => ToolLists;
  /** The host's tools, offered to the planning model beside the plan reply. */
  readonly hostTools?: {
    readonly tools: readonly ModelTool[];
    /** What the model reads of a call. */
    readonly call: (call: ModelToolCall, signal: AbortSignal) => Promise<string>;
  };
  /** Make every read anew, whatever is known of it. */
  readonly fresh?: boolean;
  /** Ask the model although an earlier plan of the same goal is known. */
  readonly planAnew?: boolean;
  /** A plan from a file, as it was written, or a recipe asked for by name; without either the goal decides. */
  readonly given?:
    | { readonly plan: unknown }
    | { readonly recipeId: string; readonly params: JsonObject }
    /** A run that goes on: where it stopped, or anew from one of its nodes. */
    | { readonly prior: RunState; readonly from?: string };
}

export interface NodeReport {
  readonly id: string;
  readonly status: NodeEndStatus;
  readonly summary: string;
  readonly error?: AppError;
  readonly metrics?: NodeMetrics;
  /** How often the node was tried, where that is more than once. */
  readonly attempts?: number;
  readonly cached: boolean;
}

/** What `patina agent` and `patina recipe run` print. */
export interface RunReport {
  readonly runId: string;
  readonly outcome: RunOutcome;
  readonly answer: string;
  /** Where in the answer the host's list of writes begins; absent: it has none. */
  readonly writesFrom?: number;
  /** A model worded the answer in an earlier run of the same results; none was asked now. */
  readonly answerCached?: true;
  readonly nodes: readonly NodeReport[];
  /** Every write of the run, in order, as the host recorded it. */
  readonly writes: readonly WriteReport[];
  readonly artifacts: readonly Artifact[];
  readonly usage: Usage;
  readonly receipt?: Receipt;
  readonly planHash?: string;
  readonly summaryHash?: string;
  readonly error?: AppError;
}

/** Commits facts to the session before it returns; false means the session can no longer be written and the run must end. */
export type RecordFacts = (facts: readonly SessionFact[]) => boolean;

export interface Agent {
  /** Never throws; the report's `outcome` tells, and `run-ended` is the last fact recorded. */
  run(request: AgentRequest, record: RecordFacts, signal: AbortSignal): Promise<RunReport>;
  /** Answers open approvals in one commit; false when one is not open under its hash: then nothing is answered. */
  answer(decisions: readonly ApprovalDecision[]): boolean;
  /** Changes the arguments of an open approval; what was shown is void. */
  edit(edit: ApprovalEdit): Result<null>;
  /** Holds a run under way, or lets it go on; false when there is none with that id. */
  pause(runId: string, paused: boolean): boolean;
}

/** A write as a run's report has it. */
export interface WriteReport extends Omit<LedgerEntry, 'nodeId'> {
  readonly node: string;
  /** Whether the user can take it back. */
  readonly undo: 'impossible';
}
