import { z } from 'zod';
import type { ConfigProblem } from './app-error';
import type { DdrStatus } from './ddr';
import type { JsonObject } from './json';
import type { WorkflowLayer, WorkflowMatch } from './workflow';
import type { AuthoringRow, RequiredBump, FieldError, TextHunk, VersionStep } from './workflow-authoring';

/** Hashes of what the user reviewed: the draft and the published definition; null when there is none. */
export const ReviewedHashes = z.strictObject({
  draft: z.string().max(128).nullable(),
  published: z.string().max(128).nullable(),
});
export type ReviewedHashes = z.infer<typeof ReviewedHashes>;

/** A row of the authoring list; `halted`: why the published definition cannot run (TUL-006 §8.2, §8.8). */
export interface AuthoringListRow extends AuthoringRow {
  readonly halted?: string;
}

/** Everything an author can open: published workflows, drafts, and removed workflows from the history. */
export interface AuthoringList {
  readonly rows: readonly AuthoringListRow[];
  readonly removed: readonly AuthoringRow[];
  /** Unreadable files; they hide no other. */
  readonly problems: readonly ConfigProblem[];
}

/**
 * One publication or removal, or a bundled definition, with its diff from the previous one (TUL-006 §8.4,
 * §8.9). Times are local, with their offset.
 */
export interface WorkflowHistoryEntry {
  readonly what: 'bundled' | 'published' | 'removed';
  readonly version: string;
  readonly by: string;
  /** Empty for bundled definitions. */
  readonly at: string;
  readonly reason: string;
  readonly ddr: string;
  readonly hunks: readonly TextHunk[];
  /** The definition as it was. */
  readonly fields: JsonObject;
}

/** What publishing would change, and the version bump it requires. */
export interface WorkflowChange {
  readonly hunks: readonly TextHunk[];
  readonly step: VersionStep;
  readonly demands: readonly RequiredBump[];
  /** Null when no bump is required: for a new workflow, or while the draft is incomplete. */
  readonly minVersion: string | null;
}

/** A definition in a file beside the published version of its workflow. */
export interface DefinitionComparison {
  readonly workflowId: string;
  /** The published version; null when none is published. */
  readonly published: string | null;
  /** Null when the two are equal. */
  readonly change: WorkflowChange | null;
}

/** One workflow for its author: the draft, the published definition, and the difference between them. */
export interface AuthoredWorkflow {
  readonly workflowId: string;
  /** The draft's manifest, else the published one, by its own field names; null for a removed workflow. */
  readonly fields: JsonObject | null;
  readonly draft: {
    readonly hash: string;
    /** The published definition changed after the draft was started. */
    readonly outdated: boolean;
  } | null;
  readonly published: {
    readonly hash: string;
    readonly version: string;
    readonly status: AuthoringRow['status'];
    readonly layer: WorkflowLayer['kind'];
    readonly halted: string | null;
  } | null;
  /** Null when there is nothing to publish. */
  readonly change: WorkflowChange | null;
  readonly ddr: { readonly id: string; readonly title: string; readonly status: DdrStatus } | null;
  /** Newest first. */
  readonly history: readonly WorkflowHistoryEntry[];
}

/**
 * Result of saving edits to a draft. `changed-meanwhile`: the draft changed after the edits began, so nothing
 * was saved and the caller must reload it first.
 */
export type DraftSave =
  /** With the saved values, and the version if saving them raised it. */
  | { readonly kind: 'saved'; readonly fields: JsonObject }
  | { readonly kind: 'refused'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'changed-meanwhile' };

/** Names that a definition may refer to. */
export interface AuthoringNames {
  readonly tools: readonly string[];
  readonly workflows: readonly string[];
  readonly modes: readonly string[];
}

/** A candidate for a sentence, best first; `fromDraft`: matched as if the draft were published. */
export interface DryRunMatch extends WorkflowMatch {
  readonly fromDraft: boolean;
}

export interface DryRun {
  readonly sentence: string;
  readonly matches: readonly DryRunMatch[];
}
