import type { JsonObject } from './json';
import type { FollowUpOption, WorkflowDefinition, WorkflowVersionLock } from './workflow';
import type { ReplyPlace } from './route';
import type { WorkflowApproval, WorkflowChoice, WorkflowOutcome, WorkflowErrorKind } from './workflow-event';

/** A tool call made in a workflow. */
export interface WorkflowStep {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly outcome: 'done' | 'failed';
}

export interface WorkflowProblem {
  readonly kind: WorkflowErrorKind;
  readonly message: string;
  readonly tool?: string;
}

/** The active workflow of a session. Its definition is copied when it starts and never changes. */
export interface WorkflowRun {
  readonly workflowRunId: string;
  readonly definition: WorkflowDefinition;
  readonly hash: string;
  readonly startedAt: number;
  readonly startedBy: 'user' | 'model';
  /** The line that started it; null when the command line did. */
  readonly turn: number | null;
  /** Input values proposed by a model; shown in the form, never used without the user. */
  readonly proposed: JsonObject;
  /** Null until the user has entered all inputs; nothing runs before. */
  readonly inputs: JsonObject | null;
  /** The newest steps; `stepCount` counts them all. */
  readonly steps: readonly WorkflowStep[];
  readonly stepCount: number;
  readonly approvals: readonly (WorkflowApproval & { readonly used: boolean })[];
  /** An error that blocks the workflow until the user chooses how to continue. */
  readonly halted: WorkflowProblem | null;
}

/** A workflow event that is shown on the line where it happened. */
export type WorkflowTimelineEvent =
  | { readonly kind: 'started'; readonly title: string; readonly by: 'user' | 'model' }
  | { readonly kind: 'inputs-given'; readonly title: string; readonly inputs: JsonObject }
  | { readonly kind: 'approval'; readonly title: string; readonly approval: WorkflowApproval }
  | {
      readonly kind: 'error';
      readonly title: string;
      readonly problem: WorkflowProblem;
      readonly workflowId?: string;
    }
  | { readonly kind: 'choice'; readonly title: string; readonly choice: WorkflowChoice }
  | {
      readonly kind: 'ended';
      readonly title: string;
      readonly outcome: WorkflowOutcome;
      readonly summary: string;
      readonly followUps: readonly FollowUpOption[];
    };

/**
 * A timeline event with the number of questions asked before it and its place in the reply, so that the turn
 * shows all three in order.
 */
export type WorkflowTimelineEntry = WorkflowTimelineEvent & {
  readonly questionsBefore: number;
  readonly place?: ReplyPlace;
};

/** The workflow part of a session's state. */
export interface WorkflowSessionState {
  readonly workflow: WorkflowRun | null;
  /** Null in a session that predates workflows: the published definitions apply. */
  readonly workflowPin: WorkflowVersionLock | null;
  /** Ids of workflows completed in this session. */
  readonly completedWorkflows: readonly string[];
}

export const noWorkflows: WorkflowSessionState = {
  workflow: null,
  workflowPin: null,
  completedWorkflows: [],
};
