import { z } from 'zod';
import { AppError } from './app-error';
import { JsonObject } from './json';
import { WorkflowDefinition, WorkflowVersionLock } from './workflow';
import { ChangeCause } from './work-context';

/** The line that a fact belongs to; null when it came from the command line. */
const turn = z.number().int().nonnegative().nullable();
const runKey = { workflowRunId: z.string(), turn };
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** Kinds of workflow errors, a closed list; each is shown to the user (TUL-006 §6.7, §7.2, §7.6). */
export const WorkflowErrorKind = z.enum([
  'tool-not-permitted',
  'tool-failed',
  'inputs-missing',
  'input-invalid',
  'precondition-failed',
  'approval-missing',
  'not-complete',
  'second-workflow',
  'mode-change',
  'unknown-workflow',
  'drift',
]);
export type WorkflowErrorKind = z.infer<typeof WorkflowErrorKind>;

/** The user's choice after an error that stopped a workflow. */
export const WorkflowChoice = z.enum(['retry', 'correct', 'cancel']);
export type WorkflowChoice = z.infer<typeof WorkflowChoice>;

export const WorkflowOutcome = z.enum(['completed', 'cancelled', 'switched']);
export type WorkflowOutcome = z.infer<typeof WorkflowOutcome>;

/** An approval of exactly one call, or of an action without a call. */
export const WorkflowApproval = z.object({
  action: z.string(),
  tool: z.string().optional(),
  /** Hash of the canonical `{arguments, tool}`; absent when there is no call for the gate to check. */
  hash: z.string().optional(),
  approved: z.boolean(),
});
export type WorkflowApproval = z.infer<typeof WorkflowApproval>;

/**
 * Facts of workflows. `workflow-started` contains the whole definition, so an active workflow never
 * changes (TUL-006 §7.10).
 */
export const workflowFacts = [
  about('workflow-started', {
    ...runKey,
    definition: WorkflowDefinition,
    hash: z.string(),
    by: z.enum(['user', 'model']),
    cause: ChangeCause,
    /** Input values proposed by a model; shown in the form. */
    proposed: JsonObject,
  }),
  about('workflow-inputs-given', { ...runKey, inputs: JsonObject }),
  /** A permitted call in the workflow; `arguments` is reduced to its plain values. */
  about('workflow-step-ended', {
    ...runKey,
    tool: z.string(),
    arguments: JsonObject,
    outcome: z.enum(['done', 'failed']),
  }),
  about('workflow-approval-answered', { ...runKey, approval: WorkflowApproval }),
  about('workflow-approval-used', { ...runKey, hash: z.string() }),
  /** `halts`: the workflow stops until the user has chosen. No `workflowRunId`: no workflow was active. */
  about('workflow-error-raised', {
    turn,
    workflowRunId: z.string().optional(),
    workflowId: z.string(),
    kind: WorkflowErrorKind,
    message: z.string(),
    halts: z.boolean(),
    tool: z.string().optional(),
    error: AppError.optional(),
  }),
  about('workflow-error-answered', { ...runKey, choice: WorkflowChoice }),
  about('workflow-ended', {
    ...runKey,
    outcome: WorkflowOutcome,
    summary: z.string(),
    by: z.enum(['user', 'model']),
  }),
  /** The session switches to the published definitions. */
  about('workflows-pinned', { pin: WorkflowVersionLock }),
] as const;
