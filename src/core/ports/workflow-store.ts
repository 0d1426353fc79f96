import type { ConfigProblem } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import type { Result } from '#shared/result';
import type { WorkflowDefinition, WorkflowRow } from '#shared/workflow';

/** A workflow that is being written: a document, never part of the registry. */
export interface WorkflowDraft {
  readonly workflowId: string;
  /** The manifest so far, by its own names; it need not be complete or right. */
  readonly fields: JsonObject;
  /** Hash of the published definition it started from; null for a new workflow. */
  readonly basedOn: string | null;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** SHA-256 of the canonical `fields`. */
  readonly hash: string;
}

/** Who let something happen, when (local time with its offset), and why. */
export interface WorkflowDecision {
  readonly by: string;
  readonly at: string;
  readonly reason: string;
  /** The design record that allows it (TUL-006 §8.2). */
  readonly ddr: string;
}

/** One step of a workflow's history, oldest first; `bundled`: it came with Patina or a pack. `definition` is whole, so that an old version can be shown and used. */
export interface WorkflowHistoryRow {
  readonly what: 'bundled' | 'published' | 'removed';
  readonly definition: WorkflowDefinition;
  readonly hash: string;
  readonly decision: WorkflowDecision;
}

/** A file that should hold a workflow and cannot be used. `workflowId`: the workflow it stands for; null when its name is no id. */
export interface UnreadableWorkflow extends ConfigProblem {
  readonly workflowId: string | null;
}

/**
 * Workflow metadata wherever it is kept (TUL-006 §8.7): what Patina and packs bring is read-only, what was published here
 * stands before it. Every definition given is parsed, frozen and complete. Failures are HOST/STORAGE, and HOST/STATE when
 * another process changed the same workflow in between.
 */
export interface WorkflowStore {
  /**
   * The newest published definition of each workflow, in the order of their ids. A workflow whose file cannot be used is a
   * problem and no row: an earlier or bundled definition never stands in for it.
   */
  published(): Result<{
    readonly rows: readonly WorkflowRow[];
    readonly problems: readonly UnreadableWorkflow[];
  }>;
  /** Any definition that is published now or ever was here, by its hash; null when it is not known. */
  definition(hash: string): Result<WorkflowDefinition | null>;
  history(workflowId: string): Result<readonly WorkflowHistoryRow[]>;
  /** The last definition of each workflow that was removed and not published again, in the order of their ids. */
  removed(): Result<readonly WorkflowDefinition[]>;
  /** Drafts that hold, in the order of their ids. */
  drafts(): Result<readonly WorkflowDraft[]>;
  /** Null: there is none. HOST/STORAGE with file and reason for one that does not hold. */
  draft(workflowId: string): Result<WorkflowDraft | null>;
  /** What is wrong with files of drafts: each was somebody's work. */
  draftProblems(): readonly UnreadableWorkflow[];
  /** `expected`: hash of the draft that is replaced; null: there must be none. */
  writeDraft(
    draft: Pick<WorkflowDraft, 'workflowId' | 'fields' | 'basedOn'>,
    expected: string | null,
  ): Promise<Result<WorkflowDraft>>;
  removeDraft(workflowId: string, expected: string): Promise<Result<null>>;
  /** Publishes and removes the draft, as one. `replaces`: hash of the definition published until now; null: none. */
  publish(
    definition: WorkflowDefinition,
    replaces: string | null,
    decision: WorkflowDecision,
  ): Promise<Result<WorkflowRow>>;
  /** Takes a workflow out of the registry and keeps its history (TUL-006 §8.9). */
  remove(workflowId: string, expected: string, decision: WorkflowDecision): Promise<Result<null>>;
  /** Told when what is published or drafted has changed, whoever changed it. Returns the way to stop. */
  onChange(listener: () => void): () => void;
}
