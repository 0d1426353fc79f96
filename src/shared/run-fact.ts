import { z } from 'zod';
import { Budgets } from './budgets';
import { Grant } from './grant';
import { FileChange, Undo } from './file-change';
import { Json, JsonObject } from './json';
import { Plan, PlanSource } from './plan';
import { ModelCost, PlanChange } from './plan-review';
import { UndoResult } from './undo';

const turn = z.number().int().nonnegative();
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), turn, runId: z.string(), ...shape });

const stage = z.number().int().positive();

/** A part of a model's message. `provider` is opaque and returns to the same provider unchanged. */
export const MessagePart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), provider: Json.optional() }),
  z.object({
    type: z.literal('thinking'),
    text: z.string(),
    /** How long the model thought. */
    ms: z.number().nonnegative().optional(),
    provider: Json.optional(),
  }),
  z.object({
    type: z.literal('call'),
    id: z.string(),
    name: z.string(),
    arguments: z.string(),
    provider: Json.optional(),
  }),
]);
export type MessagePart = z.infer<typeof MessagePart>;

/** Facts of a run from the user's actions, and of its stages. */
export const runFacts = [
  /** The user edited a call before approving it; `hash` covers the edited call. */
  about('approval-edited', {
    approvalId: z.string(),
    arguments: Json,
    hash: z.string(),
    file: FileChange.optional(),
    undo: Undo.optional(),
  }),
  /** An ended or interrupted run was resumed; the `kept` nodes do not run again. */
  about('run-resumed', {
    kept: z.array(z.string()),
    budgets: Budgets.optional(),
    /** Nodes that run again from the start on the user's wish: what they wrote before counts no longer. */
    rerun: z.array(z.string()).optional(),
  }),
  /** No new step begins until the run continues; steps in progress may end. */
  about('run-paused', {}),
  about('run-continued', {}),
  /** Permissions that the user saved from a card of this run. */
  about('grants-given', { grants: z.array(Grant) }),
  /**
   * A stage waits for the user before any of its nodes starts. `plan` has no approval nodes; `planHash` is that
   * of the plan as it will run, with them.
   */
  about('plan-proposed', {
    stage,
    plan: Plan,
    planHash: z.string(),
    source: PlanSource,
    recipeId: z.string().optional(),
    params: JsonObject.optional(),
    look: z.literal(true).optional(),
    suggested: z.literal(true).optional(),
    /** The tools with which a step may write, by its id. */
    writes: z.record(z.string(), z.array(z.string())).optional(),
    /** About what its model steps will cost; null while a list is not known, absent without such a step. */
    cost: ModelCost.nullable().optional(),
    /** The stages of a given plan or a recipe that come after this one. */
    following: z.array(Plan).optional(),
  }),
  /** The user ran a proposed plan. `plan` is the whole plan if the user changed it; `planHash` that of what runs. */
  about('plan-reviewed', {
    stage,
    planHash: z.string(),
    by: z.literal('user'),
    changes: z.array(PlanChange),
    plan: Plan.optional(),
    params: JsonObject.optional(),
  }),
  /** All nodes of a stage have ended. */
  about('stage-ended', { stage, summaryHash: z.string() }),
  /** The tools as declared to the planning model; a resumed run sends the same text again. */
  about('planning-started', { declared: z.string() }),
  /** What a planning model replied in a stage, in parts. */
  about('model-step-ended', { stage, parts: z.array(MessagePart) }),
  /** What the planning model received for its plan or for a call of a function; without `callId`, for text. */
  about('planning-answered', { stage, callId: z.string().optional(), content: z.string() }),
  /** The user reported the outcome of a write that was not observed. */
  about('write-settled', { callId: z.string(), outcome: z.enum(['done', 'failed']) }),
  /** The user undoes a write; recorded before anything changes. */
  about('write-undo-intended', { callId: z.string() }),
  about('write-undone', { callId: z.string(), result: UndoResult, reason: z.string().optional() }),
] as const;
