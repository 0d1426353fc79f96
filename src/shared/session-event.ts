import { z } from 'zod';
import { AppError } from './app-error';
import { ArgumentSources, KnownName, TaintSource } from './approval';
import { Attachment } from './attachment';
import { Budgets } from './budgets';
import { compactionFacts } from './compaction';
import { DataFlow } from './data-flow';
import { Artifact } from './execution';
import { FileChange, Undo } from './file-change';
import { Grant } from './grant';
import { NodeMetrics } from './node-metrics';
import { Json, JsonObject } from './json';
import { InputLine, TurnPlace } from './input-line';
import { lineQueueFacts } from './line-queue';
import { ModelRef, Usage } from './model';
import { ModelParameters } from './model-parameters';
import { Plan, PlanSource } from './plan';
import { Receipt } from './receipt';
import { replanFacts } from './replan-fact';
import { PathState, WriteBefore } from './undo';
import { routeFacts } from './route-fact';
import { runFacts } from './run-fact';
import { WorkflowVersionLock } from './workflow';
import { workflowFacts } from './workflow-event';
import { SnapshotHash, WorkspaceInheritance } from './workspace';
import { workspaceFacts } from './workspace-event';

/** Position of a line of input in its session, from 0; every event about that line includes it. */
const turn = z.number().int().nonnegative();
const runId = z.string();
const nodeId = z.string();
const callId = z.string();

export const ReplyOutcome = z.enum(['done', 'stopped', 'failed', 'interrupted']);
export type ReplyOutcome = z.infer<typeof ReplyOutcome>;
/** `answered`: the model replied in words, and nothing ran. */
export const RunOutcome = z.enum(['done', 'partial', 'failed', 'cancelled', 'answered']);
export type RunOutcome = z.infer<typeof RunOutcome>;
/** Why a run could not continue; a new line can continue from its results with a new budget. */
export const RanOut = z.enum(['stages', 'tokens', 'time']);
export type RanOut = z.infer<typeof RanOut>;
export const NodeEndStatus = z.enum(['done', 'failed', 'skipped', 'cancelled']);
export type NodeEndStatus = z.infer<typeof NodeEndStatus>;

/** The items of a step that runs once for each item: all of them, and those that failed. */
export const ItemCount = z.object({
  of: z.number().int().nonnegative(),
  failed: z.number().int().nonnegative(),
  /** Of the failed ones, those over the token limit; absent: none. */
  overLimit: z.number().int().positive().optional(),
});
export type ItemCount = z.infer<typeof ItemCount>;

/** The purpose of a model call. */
export const ModelCallPart = z.enum([
  'plan',
  'repair',
  'replan',
  'node',
  'answer',
  'reply',
  'title',
  'recipe',
]);
export type ModelCallPart = z.infer<typeof ModelCallPart>;

/** A request that the provider refused for now, so that it was sent again `waitMs` later. */
export const FailedAttempt = z.object({
  /** From the beginning of the call to the refusal. */
  ms: z.number(),
  /** `KIND/CODE` of the refusal. */
  failure: z.string(),
  waitMs: z.number(),
});
export type FailedAttempt = z.infer<typeof FailedAttempt>;

/** A recorded tool call; long arguments and results are truncated for display only, never for the tool. */
export const CallRecord = z.object({
  callId,
  tool: z.string(),
  argumentsPreview: z.string(),
  /** `unknown`: a write that may have happened; its outcome was not observed. */
  outcome: z.enum(['done', 'failed', 'unknown']),
  ms: z.number(),
  bytes: z.number().int(),
  preview: z.string().optional(),
  error: AppError.optional(),
  /** The saved permission that allowed a write without asking. */
  allowedBy: Grant.optional(),
  /** The result came from the read cache; no call was made. */
  cached: z.boolean().optional(),
  /** Images, sounds, files and links that came with the result. */
  attachments: z.array(Attachment).optional(),
});
export type CallRecord = z.infer<typeof CallRecord>;

const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** Past-tense facts of a session, without their envelope. */
export const SessionFact = z.discriminatedUnion('type', [
  about('session-created', {
    title: z.string(),
    project: z.string().nullable(),
    /** The workflow versions that the session uses, as published when it began. */
    workflows: WorkflowVersionLock.optional(),
    workspace: WorkspaceInheritance.optional(),
  }),
  /** The first fact of a copy: the turn that it was copied up to, and how many turns came with it. */
  about('session-forked', {
    from: z.object({ sessionId: z.string(), turn }),
    turns: z.number().int().positive(),
  }),
  about('session-renamed', { title: z.string().min(1).max(200) }),
  about('session-archived', {}),
  about('session-restored', {}),
  /** The user pinned a session or took the pin off, or work ended unseen, or was seen. */
  about('session-marked', { pinned: z.boolean().optional(), unread: z.boolean().optional() }),
  about('project-chosen', { project: z.string().nullable() }),
  about('message-sent', {
    turn,
    ...InputLine.omit({ planAnew: true, fresh: true }).shape,
    /** The waiting line that became this turn. */
    lineId: z.string().optional(),
    /** Its text was lost in the damaged session that this one was copied from. */
    unreadable: z.literal(true).optional(),
    ...TurnPlace.shape,
  }),
  /** The head moved to this turn: the session continues from it, and later turns of other branches stay. */
  about('branch-chosen', { turn }),
  about('reply-started', { turn, model: ModelRef, providerName: z.string() }),
  /** The provider refused the request for now; it is sent again `waitMs` after this fact. */
  about('reply-delayed', { turn, error: AppError, waitMs: z.number().nonnegative() }),
  /** A piece of what the model thinks during its reply; `ms`: how long it has thought in this reply so far. */
  about('reply-thought', { turn, text: z.string(), ms: z.number().nonnegative() }),
  about('reply-extended', { turn, text: z.string() }),
  about('reply-ended', { turn, outcome: ReplyOutcome, usage: Usage.optional(), error: AppError.optional() }),
  /** `budgets`: the limits of the run when it began; `source`: that its plan was given with it. */
  about('run-started', {
    turn,
    runId,
    goal: z.string(),
    budgets: Budgets.optional(),
    source: PlanSource.extract(['file', 'recipe']).optional(),
  }),
  about('plan-made', {
    turn,
    runId,
    plan: Plan,
    planHash: z.string(),
    source: PlanSource,
    recipeId: z.string().optional(),
    params: JsonObject.optional(),
    /** Approval nodes inserted by the host, mapped to the node whose writes they announce. */
    announces: z.record(z.string(), z.string()).optional(),
    /** Model turns and tokens of the planning. */
    usage: Usage.optional(),
    /** The stage of the run that this plan is, from 1; absent in the first one. */
    stage: z.number().int().positive().optional(),
    /** The model reads the results of this stage before it continues. */
    look: z.literal(true).optional(),
    /** Tools whose results the model had seen when it wrote this plan. */
    origins: z.array(TaintSource).optional(),
    /** The stages of a given plan or a recipe that come after this one. */
    following: z.array(Plan).optional(),
  }),
  /** `snapshot`: the agent content that the step uses. */
  about('node-started', { turn, runId, nodeId, snapshot: SnapshotHash.optional() }),
  /**
   * An attempt of a step failed and is retried `waitMs` after this fact; metrics and usage
   * cover this attempt only.
   */
  about('attempt-failed', {
    turn,
    runId,
    nodeId,
    error: AppError,
    waitMs: z.number().nonnegative(),
    metrics: NodeMetrics.optional(),
    usage: Usage.optional(),
  }),
  /** A step that runs once for each item has `done` of `of` items behind it, failed ones included. */
  about('node-progressed', {
    turn,
    runId,
    nodeId,
    done: z.number().int().nonnegative(),
    of: z.number().int().nonnegative(),
  }),
  /**
   * A model call ended, whatever its outcome; `ms` from request to end. Without `runId` it was
   * made for a reply in Ask.
   */
  about('model-called', {
    turn,
    runId: runId.optional(),
    nodeId: nodeId.optional(),
    part: ModelCallPart,
    model: ModelRef,
    usage: Usage,
    ms: z.number(),
    /** Time from the request to the first part of the reply. */
    firstMs: z.number().optional(),
    /** `KIND/CODE` of its error. */
    failure: z.string().optional(),
    /** The attempts that the provider refused for now, before the last one. */
    failedAttempts: z.array(FailedAttempt).optional(),
  }),
  about('write-intended', {
    turn,
    runId,
    nodeId,
    callId,
    tool: z.string(),
    arguments: Json,
    hash: z.string(),
    /** What the write changes, as it was before; absent in writes recorded before undo existed. */
    undo: WriteBefore.optional(),
  }),
  /**
   * A refused write; `target` says what it would have changed, `layer` which check of the gate refused it.
   */
  about('write-refused', {
    turn,
    runId,
    nodeId,
    callId,
    tool: z.string(),
    target: z.string(),
    layer: z.string(),
    code: z.string().optional(),
    /** Hash of the tool and the arguments, as in `write-intended`; absent in older sessions. */
    hash: z.string().optional(),
    /** The user refused the write and said what to do instead. */
    answered: z.literal(true).optional(),
  }),
  /** `result` is the complete result of a write, so that a resumed run need not repeat it. */
  about('tool-called', {
    turn,
    runId,
    nodeId,
    call: CallRecord,
    result: Json.optional(),
    /** What a write left in the paths that it changed. */
    after: z.array(PathState).optional(),
  }),
  about('approval-requested', {
    turn,
    runId,
    nodeId,
    approvalId: z.string(),
    tool: z.string(),
    arguments: Json,
    hash: z.string(),
    /** Approvals with the same card are shown and answered together. */
    card: z.string().optional(),
    /** Tools whose results may be in the arguments. */
    origins: z.array(TaintSource).optional(),
    /** What the call changes in the project; `hash` then covers what was read to show it. */
    file: FileChange.optional(),
    /** Absent in events recorded before cards said it. */
    undo: Undo.optional(),
    /** The file has changed since the user approved the same call. */
    again: z.literal(true).optional(),
    /** Content of other servers that the call would pass on. */
    flows: z.array(DataFlow).optional(),
    /** Names of ids among the arguments, from reads of this run. */
    names: z.array(KnownName).optional(),
    /** Titles of arguments from the tool's input schema, by name. */
    labels: z.record(z.string(), z.string()).optional(),
    sources: z.array(ArgumentSources).optional(),
  }),
  about('approval-answered', {
    turn,
    runId,
    approvalId: z.string(),
    approved: z.boolean(),
    hash: z.string(),
    /** What the user wants instead of the refused call. */
    said: z.string().optional(),
  }),
  about('node-ended', {
    turn,
    runId,
    nodeId,
    status: NodeEndStatus,
    summary: z.string(),
    state: JsonObject.optional(),
    artifacts: z.array(Artifact).optional(),
    metrics: NodeMetrics.optional(),
    /** Model turns and tokens of this node alone. */
    usage: Usage.optional(),
    items: ItemCount.optional(),
    log: z.array(z.string()).optional(),
    error: AppError.optional(),
    cached: z.boolean(),
    /** Tools whose results may be in the node's output. */
    origins: z.array(TaintSource).optional(),
  }),
  about('run-ended', {
    turn,
    runId,
    outcome: RunOutcome,
    answer: z.string(),
    /** Offset in the answer where the host's list of writes begins; absent when there is no list. */
    writesFrom: z.number().int().nonnegative().optional(),
    /** The answer was reused from an earlier run with the same results. */
    answerCached: z.literal(true).optional(),
    /** The answer is a question; the next line of the session answers it. */
    asks: z.literal(true).optional(),
    ranOut: RanOut.optional(),
    summaryHash: z.string().optional(),
    usage: Usage,
    receipt: Receipt.optional(),
    error: AppError.optional(),
  }),
  about('run-interrupted', { turn, runId }),
  /** A built-in tool that the model called during its reply. */
  about('host-tool-called', { turn, call: CallRecord }),
  ...compactionFacts,
  /** The user's instructions for this session; an empty text removes them. */
  about('instructions-changed', { text: z.string() }),
  /** The user's parameters for this session; they replace all that were set before. */
  about('parameters-changed', { parameters: ModelParameters }),
  ...lineQueueFacts,
  ...runFacts,
  ...replanFacts,
  ...routeFacts,
  ...workflowFacts,
  ...workspaceFacts,
]);
export type SessionFact = z.infer<typeof SessionFact>;
export type FactOf<T extends SessionFact['type']> = Extract<SessionFact, { type: T }>;

/** Version of the event shapes above; older stored events are upgraded to it when read. */
export const eventSchemaVersion = 1;

/** A fact in its session's order: `seq` from 1 without gaps, `at` in milliseconds since the epoch (never used for order). */
export const SessionEvent = z.intersection(
  z.object({ sessionId: z.string(), seq: z.number().int().positive(), at: z.number(), v: z.number().int() }),
  SessionFact,
);
export type SessionEvent = z.infer<typeof SessionEvent>;
