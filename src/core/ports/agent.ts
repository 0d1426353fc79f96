import type { AppError } from '#shared/app-error';
import type { ApprovalDecision, ApprovalEdit } from '#shared/approval';
import type { ContextItem } from '#shared/context-item';
import type { DataFlow } from '#shared/data-flow';
import type { Artifact } from '#shared/execution';
import type { NodeMetrics } from '#shared/node-metrics';
import type { JsonObject } from '#shared/json';
import type { QueuedLine } from '#shared/line-queue';
import type { ModelRef, Usage } from '#shared/model';
import type { Plan } from '#shared/plan';
import type { ModelCost, PlanDecision, PlanPreview, Review } from '#shared/plan-review';
import type { Receipt } from '#shared/receipt';
import type { Result } from '#shared/result';
import type { ModelStep, RunState } from '#shared/session-state';
import type { PlanSource } from '#shared/plan';
import type {
  FactOf,
  ItemCount,
  NodeEndStatus,
  RanOut,
  RunOutcome,
  SessionFact,
} from '#shared/session-event';
import type { ModelImage, ModelTool, ModelToolCall, ResponseOptions, SystemMessage } from './llm';
import type { PromptText } from './prompt-text';
import type { ToolLists } from './tool-lists';
import type { LedgerEntry } from '#shared/ledger';

/** `all` and `none` answer every write without a card; `ask` waits for the user. */
export type ApprovePolicy = 'all' | 'none' | 'ask';

/** The recorded review of a plan. */
export type RecordedReview = Omit<FactOf<'plan-reviewed'>, 'type' | 'turn' | 'runId' | 'by'>;

/** What a model call of a run adds to the host's system message. */
export interface OwnPart {
  readonly blocks: readonly PromptText[];
  /** How many of the blocks precede the host's own; default: none. */
  readonly leading?: number;
  /** Names of the tools offered to the model. */
  readonly tools?: readonly string[];
  /** The plan's node that makes the call. */
  readonly node?: string;
}

/** An item that the user attached to a line. */
export interface AttachedItem {
  readonly item: ContextItem;
  /** Its text; null for an image, and for a content that is no longer stored. */
  readonly text: string | null;
  readonly image?: ModelImage;
}

/** An earlier turn of the session, as the planning model reads it. */
export interface EarlierTurn {
  readonly line: string;
  /** Empty when nothing was answered. */
  readonly answer: string;
  /** What the user attached to the line. */
  readonly attached?: readonly AttachedItem[];
  /** The tools of servers whose results the model read before it replied, by their URI. */
  readonly called?: readonly string[];
  readonly run?: RunState;
}

export interface AgentRequest {
  /** Session whose saved permissions apply; without a session only saved denials apply. */
  readonly sessionId?: string;
  readonly turn: number;
  readonly goal: string;
  /** What the user attached to the line. */
  readonly attached?: readonly AttachedItem[];
  readonly model: ModelRef;
  /** The project folder; absolute. */
  readonly project: string;
  readonly approve: ApprovePolicy;
  /** When the run waits for the user; default: `writes`. `none` overrides `approve`. */
  readonly review?: Review;
  /** Nobody is here to review a plan: the run ends as `waiting` with its proposal. */
  readonly leaveForReview?: boolean;
  /**
   * Begins a model call (a step) and returns its complete system message, which is recorded as sent. The
   * host's blocks come first (all of them for planning, only the mode's block for other calls), then the
   * call's own blocks. An error fails the work that needed the call.
   */
  readonly prompt: (part: ModelStep['part'], own: OwnPart) => Result<SystemMessage>;
  /** Response options of the most recently begun call, from the prompt pack and the user. */
  readonly response?: (part: ModelStep['part']) => ResponseOptions;
  /** The user's effort, which `response` has where the pack sets none; a reply is cached for the same one. */
  readonly effort?: ResponseOptions['effort'];
  /** The host's current text for a call; does not begin a step. */
  readonly words?: (part: ModelStep['part']) => string;
  /** The current system text of a planning call; does not begin a step. */
  readonly planningText?: () => string;
  /** Flows between servers that the user allowed earlier in the session. */
  readonly allowedFlows?: readonly DataFlow[];
  /** The turns before this one, oldest first; absent without a session. */
  readonly conversation?: readonly EarlierTurn[];
  /** The waiting lines that the next observation takes along; recorded as steered, they no longer wait. */
  readonly steeringLines?: () => readonly Pick<QueuedLine, 'lineId' | 'text'>[];
  /**
   * Shows thinking of a planning call as it arrives, from `offset` of the call; the whole is recorded when the call
   * ends.
   */
  readonly onThought?: (offset: number, text: string) => void;
  /** Runs the commands that wait for the end of a stage, in order. */
  readonly runWaitingCommands?: () => Promise<void>;
  /** Begins a node and returns the workspace snapshot it is bound to; null without one. */
  readonly beginNode: () => Result<string | null>;
  /** The workspace's own description of a tool. */
  readonly describe?: (tool: string) => string | undefined;
  /** The tool lists that limit a step's calls when it starts, wherever the plan came from. */
  readonly lists: () => ToolLists;
  /** The built-in tools, offered to the planning model beside the plan reply. */
  readonly builtInTools?: {
    readonly tools: readonly ModelTool[];
    /** Returns the text that the model receives as the call's result. */
    readonly call: (call: ModelToolCall, signal: AbortSignal) => Promise<string>;
  };
  /** Bypass the read cache. */
  readonly fresh?: boolean;
  /** Ignore the cached plan for this goal and ask the model. */
  readonly planAnew?: boolean;
  /**
   * An unparsed plan from a file, a recipe chosen by name, or a run to resume; when absent, the goal decides.
   */
  readonly provided?:
    /** `writes`: tools whose calls are asked about like writes, whatever their server says of them. */
    /** `file`: the name of the file that the plan comes from. */
    | { readonly plan: unknown; readonly writes?: readonly string[]; readonly file?: string }
    | { readonly recipeId: string; readonly params: JsonObject }
    /** Resumes a run where it stopped, or reruns it from one of its nodes. */
    | { readonly prior: RunState; readonly from?: string };
}

export interface NodeReport {
  readonly id: string;
  readonly status: NodeEndStatus;
  readonly summary: string;
  readonly error?: AppError;
  readonly metrics?: NodeMetrics;
  /** Model turns and tokens of this node alone; absent when it called no model. */
  readonly usage?: Usage;
  readonly items?: ItemCount;
  /** Number of attempts, when more than one. */
  readonly attempts?: number;
  readonly cached: boolean;
}

/** Output of `patina agent` and `patina recipe run`. */
export interface RunReport {
  /** Absent for a run without a session. */
  readonly sessionId?: string;
  readonly runId: string;
  /** `waiting`: a proposed plan (`plan`, with its `planHash`) waits for the user. */
  readonly outcome: RunOutcome | 'waiting';
  readonly plan?: Plan;
  /** The tools with which a step of that plan may write, by its id. */
  readonly expectedWrites?: Readonly<Record<string, readonly string[]>>;
  /** About what the model steps of that plan will cost; null while a list is not known. */
  readonly expectedCost?: ModelCost | null;
  readonly answer: string;
  /** Where the first plan came from; absent when there was none. */
  readonly source?: PlanSource;
  /** The answer is a question: the next line of the session answers it. */
  readonly asks?: true;
  /** What ran out, so that a new line can continue from the results with a new budget. */
  readonly ranOut?: RanOut;
  /** Offset in the answer where the host's list of writes begins; absent when there is no list. */
  readonly writesFrom?: number;
  /** The answer was reused from an earlier run with the same results; no model was called. */
  readonly answerCached?: true;
  /** The stages in order; empty when nothing was planned. */
  readonly stages: readonly { readonly planHash: string; readonly nodes: readonly NodeReport[] }[];
  /** The nodes of all stages, in order. */
  readonly nodes: readonly NodeReport[];
  /** Every write of the run in order, as the host recorded it. */
  readonly writes: readonly WriteReport[];
  readonly artifacts: readonly Artifact[];
  readonly usage: Usage;
  readonly receipt?: Receipt;
  readonly planHash?: string;
  readonly summaryHash?: string;
  readonly error?: AppError;
}

/**
 * Commits facts to the session before it returns; false means the session is no longer
 * writable and the run must end.
 */
export type RecordFacts = (facts: readonly SessionFact[]) => boolean;

export interface Agent {
  /**
   * Never throws: the report's `outcome` shows success or failure, and `run-ended` is the last fact recorded.
   */
  run(request: AgentRequest, record: RecordFacts, signal: AbortSignal): Promise<RunReport>;
  /**
   * Answers open approvals in one commit. When any is not open under its hash,
   * answers none and returns false.
   */
  answer(decisions: readonly ApprovalDecision[]): boolean;
  /** Changes the arguments of an open approval and invalidates the version shown before. */
  edit(edit: ApprovalEdit): Promise<Result<null>>;
  /** Records the review of the plan that an active run waits for; false when it does not wait. */
  review(runId: string, review: RecordedReview): boolean;
  /** Checks a waiting plan, with the user's changes, and returns the review to record. */
  judgeReview(project: string, run: RunState, decision: PlanDecision): Promise<Result<RecordedReview>>;
  /** Checks a waiting plan as the user edits it. */
  previewPlan(project: string, run: RunState, decision: PlanDecision): Promise<PlanPreview>;
  /**
   * Cancels what an active run does for a message of the user, after the writes in progress. `steers`: a model can
   * read the message in the run, which then continues if a model plans it; otherwise the run ends. An answer that is
   * being written ends, and the run keeps its results. False when there is nothing to cancel.
   */
  cancelStage(runId: string, steers: boolean): boolean;
  /** Pauses or resumes an active run; false when no run has that id. */
  pause(runId: string, paused: boolean): boolean;
}

/** A write in a run's report. */
export interface WriteReport extends Omit<LedgerEntry, 'nodeId'> {
  readonly node: string;
}
