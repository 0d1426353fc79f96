import type { AppError } from './app-error';
import type { TaintSource } from './approval';
import type { Budgets } from './budgets';
import type { Artifact } from './execution';
import type { Grant } from './grant';
import type { NodeMetrics } from './node-metrics';
import type { Json, JsonObject } from './json';
import type { ModelRef, Usage } from './model';
import type { Plan } from './plan';
import type { Receipt } from './receipt';
import type { CardOutcome, Question, ReasonCode, Routing } from './route';
import type { RunMode } from './run-mode';
import type { RunSpent } from './run-spent';
import type { CallRecord, NodeEndStatus, PlanSource, ReplyOutcome, RunOutcome } from './session-event';
import type { ActiveWorkContext, EntityHeader } from './work-context';
import { noWorkflows, type WorkflowTimelineEntry, type WorkflowSessionState } from './workflow-state';
import { initialWorkspace, type WorkspaceOverride, type WorkspaceState } from './workspace';
import type { SentBlock, StepContent } from './workspace-event';

export interface ReplyState {
  readonly status: 'streaming' | ReplyOutcome;
  readonly model: ModelRef;
  readonly providerName: string;
  readonly text: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly usage?: Usage;
  readonly error?: AppError;
  /** Host tools the model called while it wrote. */
  readonly calls?: readonly CallRecord[];
}

export interface QuestionState extends Question {
  readonly status: 'open' | 'answered' | 'withdrawn';
  /** The option that was chosen. */
  readonly answer?: string;
  readonly withdrawn?: ReasonCode | CardOutcome;
}

/** A command that a line, a choice or a yes led to. */
export interface CommandState {
  readonly commandId: string;
  readonly displayName: string;
  readonly item: EntityHeader;
  readonly status: 'running' | 'done' | 'failed';
  readonly summary: string;
  readonly error?: AppError;
}

/** How a line was routed, and what came of the router's action. */
export interface RouteState extends Routing {
  /** With an `open-picker` action. */
  readonly picker?: { readonly status: 'open' | 'chosen' | 'closed'; readonly item?: EntityHeader };
}

/** A call as a run's state has it. */
export interface NodeCall extends CallRecord {
  /** Milliseconds since the epoch; `ms` before that it began. */
  readonly endedAt?: number;
}

/** An attempt of a step that failed before the step was tried once more. */
export interface FailedAttempt {
  readonly error: AppError;
  /** When it failed, and when the next attempt is due; milliseconds since the epoch. */
  readonly at: number;
  readonly retryAt: number;
  /** The next attempt has begun. */
  readonly retried: boolean;
}

export interface NodeState {
  readonly id: string;
  readonly status: 'pending' | 'running' | 'waiting' | NodeEndStatus;
  readonly summary: string;
  /** The workspace snapshot the step was bound by when it last started. */
  readonly snapshot?: string;
  /** The newest calls; `callCount` counts them all. */
  readonly calls: readonly NodeCall[];
  readonly callCount: number;
  /** Of the first attempt. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly failedAttempts?: readonly FailedAttempt[];
  readonly state?: JsonObject;
  readonly artifacts?: readonly Artifact[];
  readonly metrics?: NodeMetrics;
  /** Model turns and tokens of this step alone. */
  readonly usage?: Usage;
  readonly log?: readonly string[];
  readonly error?: AppError;
  readonly cached: boolean;
  readonly origins?: readonly TaintSource[];
}

/** A write announced before it was made; `unknown` when nobody saw how it ended: Patina died, or its server did, or was too slow. */
export interface WriteState {
  readonly callId: string;
  readonly nodeId: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly outcome: 'intended' | 'done' | 'failed' | 'unknown';
  readonly result?: Json;
  /** How it failed: `KIND/CODE`. */
  readonly code?: string;
  /** Its step was run again afterwards. */
  readonly superseded?: true;
}

/** A write that the gate or the user refused: it was never made. */
export interface RefusedWrite {
  readonly callId: string;
  readonly nodeId: string;
  readonly tool: string;
  readonly target: string;
  readonly layer: string;
  readonly code?: string;
  /** How many writes the run had announced before it. */
  readonly after: number;
  /** Its step was run again afterwards. */
  readonly superseded?: true;
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
  /** The user changed the arguments. */
  readonly edited?: boolean;
}

/** One time a run was planned again. */
export interface Revision {
  /** `asked`: the model has not answered yet. `refused`: it gave no plan that can run. */
  readonly status: 'asked' | 'made' | 'refused';
  readonly at: number;
  /** The nodes whose failure it was asked about. */
  readonly failed: readonly string[];
  /** The nodes that took the failed ones' place, and those that wait again behind them; ids of the plan as it is now. */
  readonly added: readonly string[];
  /** Nodes as they had ended, which the plan has no more or has anew. */
  readonly replaced: readonly NodeState[];
  /** How many writes the run had announced until then. */
  readonly writes: number;
  /** The tools whose results the model knew of when it wrote the new steps. */
  readonly origins: readonly TaintSource[];
  readonly error?: AppError;
}

export interface RunState {
  readonly runId: string;
  readonly goal: string;
  /** The model it called last; absent before its first call. */
  readonly model?: ModelRef;
  readonly status: 'planning' | 'running' | 'interrupted' | RunOutcome;
  /** Nothing new begins until the user says so. */
  readonly paused?: boolean;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly plan?: Plan;
  readonly planHash?: string;
  readonly source?: PlanSource;
  readonly recipeId?: string;
  readonly params?: JsonObject;
  /** Approval nodes the host inserted, each with the node whose writes it announces. */
  readonly announces?: Readonly<Record<string, string>>;
  readonly nodes: readonly NodeState[];
  readonly writes: readonly WriteState[];
  /** Absent: none was refused. */
  readonly refusals?: readonly RefusedWrite[];
  readonly approvals: readonly ApprovalState[];
  /** Standing answers given on this run's cards. */
  readonly grants?: readonly Grant[];
  readonly answer?: string;
  /** Where in the answer the host's list of writes begins. */
  readonly writesFrom?: number;
  /** A model worded the answer in an earlier run of the same results. */
  readonly answerCached?: true;
  readonly summaryHash?: string;
  readonly usage?: Usage;
  /** What the run may spend; unknown for one recorded before that was kept. */
  readonly budgets?: Budgets;
  readonly spent?: RunSpent;
  readonly receipt?: Receipt;
  /** The times it was planned again, in order. */
  readonly revisions?: readonly Revision[];
  readonly error?: AppError;
}

/** One model call of a turn: what its system message was made from, block by block. */
export interface ModelStep extends StepContent {
  readonly part: 'reply' | 'plan' | 'repair' | 'replan' | 'answer' | 'node';
  readonly blocks: readonly SentBlock[];
  readonly tools: readonly string[];
}

/** One line of input and what came of it: a reply (Ask), a run (Agent Mode), or what the router decided instead. */
export interface Turn {
  readonly turn: number;
  readonly text: string;
  readonly at: number;
  readonly runMode: RunMode;
  readonly model: ModelRef;
  readonly reply?: ReplyState;
  readonly run?: RunState;
  readonly route?: RouteState;
  readonly questions?: readonly QuestionState[];
  readonly command?: CommandState;
  /** What this line takes instead of the session's own prompt pack, tool catalog or snapshot. */
  readonly workspace?: WorkspaceOverride;
  /** Its model calls, the newest last. */
  readonly steps?: readonly ModelStep[];
  readonly branchedTo?: { readonly sessionId: string; readonly mode: string };
  /** What happened to a workflow on this line. */
  readonly workflow?: readonly WorkflowTimelineEntry[];
  /** The line itself is missing from what is stored; what came of it is not. */
  readonly unreadable?: true;
}

/** Stored events that could not be read, both ends included, and the line they follow (-1: they come before the first). */
export interface EventGap {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly turn: number;
}

/** Turns in blocks of `turnsPerBlock`: changing one copies a block, not a conversation of thousands. */
export type TurnBlocks = readonly (readonly Turn[])[];
export const turnsPerBlock = 64;

/** The model that answered a line; none for a run of scripts alone. Runs of earlier versions do not name theirs. */
function answeringModel({ reply, run, model }: Turn): ModelRef | undefined {
  const answering =
    reply?.model ?? run?.model ?? (run?.usage && run.usage.modelTurns > 0 ? model : undefined);
  // The event that named the model is damaged: nothing can be sent to a provider without a name.
  return answering?.providerId === '' ? undefined : answering;
}

/** The model that answered last in a session; a line that no model answered counts for nothing. */
export function lastModelOf({ blocks }: Pick<SessionState, 'blocks'>): ModelRef | undefined {
  for (const block of blocks.toReversed()) {
    const answered = block.findLast((turn) => answeringModel(turn) !== undefined);
    if (answered) return answeringModel(answered);
  }
  return undefined;
}

export interface SessionState extends WorkflowSessionState {
  readonly id: string;
  readonly seq: number;
  readonly title: string;
  readonly project: string | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly turnCount: number;
  readonly blocks: TurnBlocks;
  /** The Id of the session's mode; null until it is changed: then the default mode holds. */
  readonly modeId: string | null;
  readonly context: ActiveWorkContext | null;
  readonly workspace: WorkspaceState;
  /** Hashes of the system blocks whose text a `model-step-started` of this session holds. */
  readonly sentTexts: readonly string[];
  /** Snapshots whose images a model was sent: they hold the only copy of what was. Absent: none. */
  readonly imageSnapshots?: readonly string[];
  /** The router's question that may own the next line; at most one. */
  readonly openQuestion: { readonly turn: number; readonly questionId: string } | null;
  /** Where stored events could not be read. Absent: nowhere. */
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
    turnCount: 0,
    blocks: [],
    modeId: null,
    context: null,
    workspace: initialWorkspace,
    sentTexts: [],
    openQuestion: null,
    ...noWorkflows,
  };
}

/** The turn at a position, or nothing; constant time. */
export function turnAt(state: SessionState, turn: number): Turn | undefined {
  return state.blocks[Math.floor(turn / turnsPerBlock)]?.[turn % turnsPerBlock];
}

/** What the session list shows of a session. */
export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly project: string | null;
  readonly archived: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly turnCount: number;
  /** Stored events that cannot be read, where the list looked for them. */
  readonly damaged?: number;
}
