import type { ConfigProblem } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import type { Result } from '#shared/result';
import type { WorkflowDefinition, WorkflowRow } from '#shared/workflow';

/** A workflow being edited: a document, never part of the registry. */
export interface WorkflowDraft {
  readonly workflowId: string;
  /** The manifest so far, by its own field names; may be incomplete or invalid. */
  readonly fields: JsonObject;
  /** Hash of the published definition it is based on; null for a new workflow. */
  readonly basedOn: string | null;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  /** SHA-256 of the canonical `fields`. */
  readonly hash: string;
}

/** Who allowed a change, when (local time with its offset), and why. */
export interface WorkflowDecision {
  readonly by: string;
  readonly at: string;
  readonly reason: string;
  /** The design record that allows it (TUL-006 §8.2). */
  readonly ddr: string;
}

/**
 * One step of a workflow's history, oldest first. `bundled`: shipped with Patina or a pack. `definition` is
 * complete, so an old version can be shown and used.
 */
export interface WorkflowHistoryRow {
  readonly what: 'bundled' | 'published' | 'removed';
  readonly definition: WorkflowDefinition;
  readonly hash: string;
  readonly decision: WorkflowDecision;
}

/**
 * A workflow file that cannot be used. `workflowId`: the workflow it defines; null when the
 * file name is not a valid id.
 */
export interface UnreadableWorkflow extends ConfigProblem {
  readonly workflowId: string | null;
}

/**
 * Workflow metadata from all layers (TUL-006 §8.7): definitions from Patina and packs are read-only, and
 * definitions published here override them. Every definition returned is parsed, frozen and complete.
 * Failures are HOST/STORAGE, and HOST/STATE when another process changed the same workflow in between.
 */
export interface WorkflowStore {
  /**
   * The newest published definition of each workflow, ordered by id. A workflow with an unusable file is a
   * problem and has no row: no earlier or bundled definition replaces it.
   */
  published(): Result<{
    readonly rows: readonly WorkflowRow[];
    readonly problems: readonly UnreadableWorkflow[];
  }>;
  /** Any definition that is or was published here, by its hash; null when it is unknown. */
  definition(hash: string): Result<WorkflowDefinition | null>;
  history(workflowId: string): Result<readonly WorkflowHistoryRow[]>;
  /** The last definition of each removed workflow that was not published again, ordered by id. */
  removed(): Result<readonly WorkflowDefinition[]>;
  /** Valid drafts, ordered by id. */
  drafts(): Result<readonly WorkflowDraft[]>;
  /** Null when there is no draft. HOST/STORAGE with file and reason when the draft is invalid. */
  draft(workflowId: string): Result<WorkflowDraft | null>;
  /** Problems of draft files; each of these files contains somebody's work. */
  draftProblems(): readonly UnreadableWorkflow[];
  /** `expected`: hash of the draft to replace; null when no draft may exist yet. */
  writeDraft(
    draft: Pick<WorkflowDraft, 'workflowId' | 'fields' | 'basedOn'>,
    expected: string | null,
  ): Promise<Result<WorkflowDraft>>;
  removeDraft(workflowId: string, expected: string): Promise<Result<null>>;
  /**
   * Publishes the definition and removes the draft atomically. `replaces`: hash of the currently published
   * definition; null when there is none.
   */
  publish(
    definition: WorkflowDefinition,
    replaces: string | null,
    decision: WorkflowDecision,
  ): Promise<Result<WorkflowRow>>;
  /** Removes a workflow from the registry but keeps its history (TUL-006 §8.9). */
  remove(workflowId: string, expected: string, decision: WorkflowDecision): Promise<Result<null>>;
  /**
   * Notifies the listener when published workflows or drafts change, whichever process changed them. Returns
   * an unsubscribe function.
   */
  onChange(listener: () => void): () => void;
}
