import { z } from 'zod';
import { AppError } from './app-error';
import { JsonObject } from './json';
import { WorkflowDefinition, WorkflowVersionLock } from './workflow';
import { ChangeCause } from './work-context';

/** The line a fact belongs to; null when it came without one (the command line). */
const turn = z.number().int().nonnegative().nullable();
const runKey = { workflowRunId: z.string(), turn };
const about = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...shape });

/** What went against a workflow, closed; each is shown to the user (TUL-006 §6.7, §7.2, §7.6). */
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

/** The user's way on after an error that stopped a workflow. */
export const WorkflowChoice = z.enum(['retry', 'correct', 'cancel']);
export type WorkflowChoice = z.infer<typeof WorkflowChoice>;

export const WorkflowOutcome = z.enum(['completed', 'cancelled', 'switched']);
export type WorkflowOutcome = z.infer<typeof WorkflowOutcome>;

/** One approval of exactly one call, or of an action without one. */
export const WorkflowApproval = z.object({
  action: z.string(),
  tool: z.string().optional(),
  /** Of the canonical `{arguments, tool}`; none: nothing the gate could check. */
  hash: z.string().optional(),
  approved: z.boolean(),
});
export type WorkflowApproval = z.infer<typeof WorkflowApproval>;

/** Facts of workflows. The one that starts a workflow holds its whole definition: what runs no longer changes (TUL-006 §7.10). */
export const workflowFacts = [
  about('workflow-started', {
    ...runKey,
    definition: WorkflowDefinition,
    hash: z.string(),
    by: z.enum(['user', 'model']),
    cause: ChangeCause,
    /** What a model gives for the inputs: a proposal, shown in the form. */
    proposed: JsonObject,
  }),
  about('workflow-inputs-given', { ...runKey, inputs: JsonObject }),
  /** A call made in the workflow that was let through; `arguments` are cut to their plain values. */
  about('workflow-step-ended', {
    ...runKey,
    tool: z.string(),
    arguments: JsonObject,
    outcome: z.enum(['done', 'failed']),
  }),
  about('workflow-approval-answered', { ...runKey, approval: WorkflowApproval }),
  about('workflow-approval-used', { ...runKey, hash: z.string() }),
  /** `halts`: nothing goes on before the user has chosen. No `workflowRunId`: nothing was running. */
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
  /** The session works with what is published now. */
  about('workflows-pinned', { pin: WorkflowVersionLock }),
] as const;
