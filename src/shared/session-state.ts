import type { FileChange, Undo } from './file-change';
import type { AppError } from './app-error';
import type { ArgumentSources, KnownName, TaintSource } from './approval';
import type { Budgets } from './budgets';
import type { ContextItem } from './context-item';
import type { Compaction } from './compaction';
import type { DataFlow } from './data-flow';
import type { Artifact } from './execution';
import type { Grant } from './grant';
import type { NodeMetrics } from './node-metrics';
import type { Json, JsonObject } from './json';
import type { LineQueue, SteeredLine } from './line-queue';
import type { ModelRef, Usage } from './model';
import type { ModelParameters } from './model-parameters';
import type { Plan, PlanSource } from './plan';
import type { ModelCost, PlanChange, Review } from './plan-review';
import type { Receipt } from './receipt';
import type { CommandCall } from './resolver';
import type { CardOutcome, Question, ReasonCode, ReplyPlace, Routing } from './route';
import type { RunMode } from './run-mode';
import type { MessagePart } from './run-fact';
import type { RunSpent } from './run-spent';
import type { ModelSpent } from './spent';
import type { CallRecord, ItemCount, NodeEndStatus, RanOut, ReplyOutcome, RunOutcome } from './session-event';
import type { PathState, UndoState, WriteBefore } from './undo';
import type { ActiveWorkContext, EntityHeader, SentIn } from './work-context';
import { noWorkflows, type WorkflowTimelineEntry, type WorkflowSessionState } from './workflow-state';
import { noMarks, type SessionMarks } from './session-marks';
import { initialWorkspace, type WorkspaceOverride, type WorkspaceState } from './workspace';
import type { SentBlock, StepContent } from './workspace-event';

export interface ReplyState {
  readonly status: 'streaming' | ReplyOutcome;
  readonly model: ModelRef;
  readonly providerName: string;
  readonly text: string;
  /** What the model thought before and between its words, and for how long. */
  readonly thinking?: { readonly text: string; readonly ms: number };
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly usage?: Usage;
  readonly error?: AppError;
  /** Why the provider was not ready, and when it is asked again; absent once it answers. */
  readonly delayed?: { readonly error: AppError; readonly retryAt: number };
  /** Built-in tools that the model called during its reply. */
  readonly calls?: readonly ReplyCall[];
}

/** A tool call of a reply; `textAt` characters of the reply had been written when it ended. */
export interface ReplyCall extends CallRecord {
  readonly textAt: number;
}

export interface QuestionState extends Question {
  /** Absent in a turn without a reply. */
  readonly place?: ReplyPlace;
  readonly status: 'open' | 'answered' | 'withdrawn';
  /** The chosen option. */
  readonly answer?: string;
  readonly withdrawn?: ReasonCode | CardOutcome;
}

/** A command started by a line, a choice or a confirmation. */
export interface CommandState {
  readonly commandId: string;
  readonly displayName: string;
  readonly item: EntityHeader;
  readonly status: 'running' | 'done' | 'failed';
  readonly summary: string;
  readonly error?: AppError;
  /** The command that takes back what this one changed. */
  readonly undo?: CommandCall;
}

/** How a line was routed, and the outcome of the router's action. */
export interface RouteState extends Routing {
  /** Present with an `open-picker` action. */
  readonly picker?: { readonly status: 'open' | 'chosen' | 'closed'; readonly item?: EntityHeader };
}

/** A tool call in a run's state. */
export interface NodeCall extends CallRecord {
  /** Milliseconds since the epoch; the call began `ms` earlier. */
  readonly endedAt?: number;
}

/** A failed attempt of a step that is retried. */
export interface FailedAttempt {
  readonly error: AppError;
  /** Time of the failure, and when the next attempt is due; milliseconds since the epoch. */
  readonly at: number;
  readonly retryAt: number;
  /** Whether the next attempt has begun. */
  readonly retried: boolean;
}

export interface NodeState {
  readonly id: string;
  readonly status: 'pending' | 'running' | 'waiting' | NodeEndStatus;
  readonly summary: string;
  /** The workspace snapshot the step used when it last started. */
  readonly snapshot?: string;
  /** The newest calls; `callCount` counts them all. */
  readonly calls: readonly NodeCall[];
  readonly callCount: number;
  /** Start of the first attempt. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly failedAttempts?: readonly FailedAttempt[];
  /** How many items a step that runs once for each item has behind it. */
  readonly progress?: { readonly done: number; readonly of: number };
  readonly state?: JsonObject;
  readonly artifacts?: readonly Artifact[];
  readonly metrics?: NodeMetrics;
  /** Model turns and tokens of this step alone. */
  readonly usage?: Usage;
  readonly items?: ItemCount;
  readonly log?: readonly string[];
  readonly error?: AppError;
  readonly cached: boolean;
  readonly origins?: readonly TaintSource[];
}

/**
 * A write announced before it was made. `unknown`: its outcome was not observed, because Patina or the server
 * stopped, or the call timed out.
 */
export interface WriteState {
  readonly callId: string;
  readonly nodeId: string;
  readonly tool: string;
  readonly arguments: Json;
  /** Hash of the tool and the arguments. */
  readonly hash: string;
  readonly outcome: 'intended' | 'done' | 'failed' | 'unknown';
  readonly result?: Json;
  /** Error of a failed write: `KIND/CODE`. */
  readonly code?: string;
  /** Its step was run again afterwards. */
  readonly superseded?: true;
  /** What it changed, as it was before and after; absent in writes recorded before undo existed. */
  readonly undo?: WriteBefore;
  readonly after?: readonly PathState[];
  readonly undone?: UndoState;
}

/** A write that the gate or the user refused; it was never made. */
export interface RefusedWrite {
  readonly callId: string;
  readonly nodeId: string;
  readonly tool: string;
  readonly target: string;
  readonly layer: string;
  readonly code?: string;
  /** Hash of the tool and the arguments; absent in older sessions. */
  readonly hash?: string;
  /** Number of writes the run had announced before this one. */
  readonly after: number;
  /** Its step was run again afterwards. */
  readonly superseded?: true;
  /** The user said what to do instead. */
  readonly answered?: true;
}

export interface ApprovalState {
  readonly approvalId: string;
  readonly nodeId: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly hash: string;
  readonly status: 'open' | 'approved' | 'denied' | 'expired';
  /** Approvals with the same card are shown and answered together. */
  readonly card?: string;
  readonly origins?: readonly TaintSource[];
  /** What the call changes in the project. */
  readonly file?: FileChange;
  readonly undo?: Undo;
  /** The file has changed since the user approved the same call. */
  readonly again?: true;
  /** Names of ids among the arguments, from reads of this run. */
  readonly names?: readonly KnownName[];
  /** Titles of arguments from the tool's input schema, by name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Absent once the user edited the arguments. */
  readonly sources?: readonly ArgumentSources[];
  /** What the user wants instead of the refused call. */
  readonly said?: string;
  readonly flows?: readonly DataFlow[];
  /** The user changed the arguments. */
  readonly edited?: boolean;
  /** The arguments before the user changed them. */
  readonly originalArguments?: Json;
}

/** One replan of a run. */
export interface Revision {
  /** `asked`: the model has not answered yet. `refused`: the model returned no plan that can run. */
  readonly status: 'asked' | 'made' | 'refused';
  readonly at: number;
  /** The failed nodes that the replan was requested for. */
  readonly failed: readonly string[];
  /**
   * The nodes that replace the failed ones, and the dependent nodes that are pending again;
   * ids in the current plan.
   */
  readonly added: readonly string[];
  /** Final states of nodes that the current plan removed or replaced. */
  readonly replaced: readonly NodeState[];
  /** Number of writes the run had announced by then, and of the approvals it had requested. */
  readonly writes: number;
  readonly approvals: number;
  /** Tools whose results the model had seen when it wrote the new steps. */
  readonly origins: readonly TaintSource[];
  readonly error?: AppError;
}

/** Nodes that ran again from the start, and how many writes and approvals the run had by then. */
export interface Rerun {
  readonly nodes: readonly string[];
  readonly writes: number;
  readonly approvals: number;
}

/** A stage of a run: a plan that was made with the results of the stages before it in view. */
export interface StageState {
  readonly stage: number;
  readonly plan: Plan;
  readonly planHash: string;
  /** The model reads its results before it continues. */
  readonly look?: true;
  readonly announces?: Readonly<Record<string, string>>;
  /** Final states of earlier failed nodes whose ids this stage uses again. */
  readonly replaced: readonly NodeState[];
  /** Number of writes the run had announced when this stage began, and of the approvals it had requested. */
  readonly writes: number;
  readonly approvals: number;
  readonly origins: readonly TaintSource[];
  /** What the user changed in its plan before it ran; absent: nothing. */
  readonly changes?: readonly PlanChange[];
  /** The stages of a given plan or a recipe that come after it. */
  readonly following?: readonly Plan[];
  /** Present once all its nodes have ended. */
  readonly summaryHash?: string;
}

/** A stage that has not begun: its plan waits for the user, or the user ran it and it is about to begin. */
export interface ProposedPlan {
  readonly stage: number;
  /** Without the approval nodes that the host inserts. */
  readonly plan: Plan;
  /** The hash of the plan as it will run, with approval nodes. */
  readonly planHash: string;
  readonly source: PlanSource;
  readonly recipeId?: string;
  readonly params?: JsonObject;
  readonly look?: true;
  /** A model that makes no plans chose the recipe or the tool, so it waits for the user whatever the run's review is. */
  readonly suggested?: true;
  /** The tools with which a step may write, by its id. */
  readonly writes?: Readonly<Record<string, readonly string[]>>;
  /** About what its model steps will cost; null while a list is not known. */
  readonly cost?: ModelCost | null;
  /** The stages of a given plan or a recipe that come after it. */
  readonly following?: readonly Plan[];
  /** What the user ran; absent while the plan waits. */
  readonly reviewed?: {
    readonly planHash: string;
    readonly changes: readonly PlanChange[];
    readonly plan?: Plan;
    readonly params?: JsonObject;
  };
}

/** A message of a run's planning conversation. */
export type PlanningMessage =
  | { readonly role: 'assistant'; readonly stage: number; readonly parts: readonly MessagePart[] }
  | { readonly role: 'host'; readonly stage: number; readonly callId?: string; readonly content: string };

export interface RunState {
  readonly runId: string;
  readonly goal: string;
  /** The last model called; absent before the first call. */
  readonly model?: ModelRef;
  /** A model call waits because the provider refused it for now. */
  readonly delayed?: { readonly error: AppError; readonly retryAt: number };
  readonly status: 'planning' | 'running' | 'interrupted' | RunOutcome;
  /** The user paused the run: no new step begins until the user resumes it. */
  readonly paused?: boolean;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The nodes of all stages, with the constraints and the answer of the last one. */
  readonly plan?: Plan;
  /** The hash of the last stage's plan. */
  readonly planHash?: string;
  /** The stages so far; absent before the first plan. */
  readonly stages?: readonly StageState[];
  /** The next stage while it has not begun. */
  readonly proposal?: ProposedPlan;
  /** The tools as declared to the planning model. */
  readonly declared?: string;
  /** The planning conversation after the line, as far as it is recorded. */
  readonly said?: readonly PlanningMessage[];
  readonly source?: PlanSource;
  readonly recipeId?: string;
  readonly params?: JsonObject;
  /** A model that makes no plans chose the recipe or the tool. */
  readonly suggested?: true;
  /** Approval nodes inserted by the host, mapped to the node whose writes they announce. */
  readonly announces?: Readonly<Record<string, string>>;
  readonly nodes: readonly NodeState[];
  readonly writes: readonly WriteState[];
  /** Absent when none was refused. */
  readonly refusals?: readonly RefusedWrite[];
  readonly approvals: readonly ApprovalState[];
  /** Permissions saved from this run's cards. */
  readonly grants?: readonly Grant[];
  readonly answer?: string;
  /** Offset in the answer where the host's list of writes begins. */
  readonly writesFrom?: number;
  /** The answer was reused from an earlier run with the same results. */
  readonly answerCached?: true;
  /** The answer is a question; the next line of the session answers it. */
  readonly asks?: true;
  readonly ranOut?: RanOut;
  readonly summaryHash?: string;
  readonly usage?: Usage;
  /** Limits of the run; absent in runs recorded before budgets were stored. */
  readonly budgets?: Budgets;
  readonly spent?: RunSpent;
  /** The model calls so far, before and after interruptions. */
  readonly called?: Usage;
  readonly receipt?: Receipt;
  /** Lines of the user that its observations took along, in order. */
  readonly steered?: readonly SteeredLine[];
  /** Replans, in order. */
  readonly revisions?: readonly Revision[];
  /** The nodes that the user ran again, in order. */
  readonly reruns?: readonly Rerun[];
  readonly error?: AppError;
}

/** The line with which a user continues a run that ran out: a new run with a new budget. */
export const continueLine = 'Continue from the results so far.';

/** The plan of a run that waits for the user; also of a run that was interrupted while it waited. */
export function waitingPlan({
  status,
  proposal,
}: Pick<RunState, 'status' | 'proposal'>): ProposedPlan | null {
  const over = status !== 'planning' && status !== 'running' && status !== 'interrupted';
  return !over && proposal && !proposal.reviewed ? proposal : null;
}

/** One model call of a turn: the blocks of its system message. */
export interface ModelStep extends StepContent {
  readonly part: 'reply' | 'plan' | 'repair' | 'replan' | 'recipe' | 'answer' | 'node';
  readonly blocks: readonly SentBlock[];
  readonly tools: readonly string[];
}

/** One line of input and its outcome: a reply (Ask), a run (Agent Mode) or another decision of the router. */
export interface Turn {
  readonly turn: number;
  readonly text: string;
  readonly at: number;
  readonly runMode: RunMode;
  readonly model: ModelRef;
  /** What the user attached to the line. */
  readonly items?: readonly ContextItem[];
  /** When its run waits for the user; absent in Ask and in lines of earlier versions, where it means `writes`. */
  readonly review?: Review;
  readonly reply?: ReplyState;
  readonly run?: RunState;
  readonly route?: RouteState;
  readonly questions?: readonly QuestionState[];
  readonly command?: CommandState;
  /** Per-line override of the session's prompt pack, tool catalog or snapshot. */
  readonly workspace?: WorkspaceOverride;
  /** The session's mode and focus when the line was sent; absent: the default mode and no focus. */
  readonly sentIn?: SentIn;
  /** Parameters of this line's reply alone. */
  readonly parameters?: ModelParameters;
  /** The turn that it follows (-1: none); absent: the turn before. */
  readonly parent?: number;
  /** The turn whose answer it regenerates. */
  readonly regenerates?: number;
  /** Its model calls, newest last. */
  readonly steps?: readonly ModelStep[];
  /** Its model calls by model, whatever their outcome. */
  readonly spent?: readonly ModelSpent[];
  readonly branchedTo?: { readonly sessionId: string; readonly mode: string };
  /** Workflow events on this line. */
  readonly workflow?: readonly WorkflowTimelineEntry[];
  /** The stored line itself could not be read; its outcome could. */
  readonly unreadable?: true;
}

/** Unreadable stored events, both ends inclusive, and the line they follow (-1: before the first line). */
export interface EventGap {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly turn: number;
}

/** Turns in blocks of `turnsPerBlock`, so that changing one copies a block instead of thousands of turns. */
export type TurnBlocks = readonly (readonly Turn[])[];
export const turnsPerBlock = 64;

export interface SessionState extends WorkflowSessionState {
  readonly id: string;
  readonly seq: number;
  readonly title: string;
  readonly project: string | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly marks: SessionMarks;
  readonly turnCount: number;
  /** Every turn of every branch, in the order of appending. `pathTo` returns those of one branch. */
  readonly blocks: TurnBlocks;
  /** The last turn of the active path; -1 before the first line. */
  readonly head: number;
  /** What a fork was copied from: its first `turns` turns are history, whose runs cannot resume. */
  readonly forked?: {
    readonly from: { readonly sessionId: string; readonly turn: number };
    readonly turns: number;
  };
  /** The Id of the session's mode; null until it is changed, which means the default mode. */
  readonly modeId: string | null;
  readonly context: ActiveWorkContext | null;
  readonly workspace: WorkspaceState;
  /** Hashes of the system blocks whose text is in a `model-step-started` event of this session. */
  readonly sentTexts: readonly string[];
  /**
   * Snapshots whose images were sent to a model: they contain the only copy of those images. Absent: none.
   */
  readonly imageSnapshots?: readonly string[];
  /** The router's open question that the next line may answer; at most one. */
  readonly openQuestion: { readonly turn: number; readonly questionId: string } | null;
  /** The lines that wait for the turn in progress, or for the user. Absent: none. */
  readonly queue?: LineQueue | undefined;
  /** Summaries of earlier turns, oldest first. Absent: none was made. */
  readonly compactions?: readonly Compaction[];
  /** The user's instructions for this session. Absent: never set. */
  readonly instructions?: string;
  /** The user's parameters for this session. Absent: never set. */
  readonly parameters?: ModelParameters;
  /** Gaps of unreadable stored events. Absent: none. */
  readonly gaps?: readonly EventGap[];
}

export function emptySession(id: string): SessionState {
  return {
    id,
    seq: 0,
    title: '',
    project: null,
    archived: false,
    createdAt: 0,
    updatedAt: 0,
    marks: noMarks,
    turnCount: 0,
    blocks: [],
    head: -1,
    modeId: null,
    context: null,
    workspace: initialWorkspace,
    sentTexts: [],
    openQuestion: null,
    ...noWorkflows,
  };
}

/** Whether a line that the model has to answer has no answer. */
export function isUnanswered({ reply, run, route }: Turn): boolean {
  if (reply !== undefined || run !== undefined) return false;
  const action = route?.action;
  if (!action) return true;
  return action.type === 'continue-with-llm' && action.reasonCode !== 'question-declined';
}

/** The turn at a position, or undefined; constant time. */
export function turnAt(state: Pick<SessionState, 'blocks'>, turn: number): Turn | undefined {
  return state.blocks[Math.floor(turn / turnsPerBlock)]?.[turn % turnsPerBlock];
}

/** A session that works, or that works and waits for the user. */
export type Activity = 'working' | 'needs-user';

/** A session as the session list shows it. */
export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly project: string | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly turnCount: number;
  readonly marks: SessionMarks;
  /** Its current activity; absent while it is idle. */
  readonly activity?: Activity;
  /** Number of unreadable stored events, when the list checked for them. */
  readonly damaged?: number;
}

/** The session list entry for a state. */
export function summaryOf(state: SessionState): SessionSummary {
  const { id, title, project, archived, createdAt, updatedAt, turnCount, marks } = state;
  return { id, title, project, archived, createdAt, updatedAt, turnCount, marks };
}
