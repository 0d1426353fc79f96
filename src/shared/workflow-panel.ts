import { z } from 'zod';
import type { ConfigProblem } from './app-error';
import type { DdrStatus } from './ddr';
import type { JsonObject } from './json';
import type { WorkflowLayer, WorkflowMatch } from './workflow';
import type { AuthoringRow, RequiredBump, FieldError, TextHunk, VersionStep } from './workflow-authoring';

/** What was on the screen when the user said yes: the hash of the draft and of what is published; null: there is none. */
export const ReviewedHashes = z.strictObject({
  draft: z.string().max(128).nullable(),
  published: z.string().max(128).nullable(),
});
export type ReviewedHashes = z.infer<typeof ReviewedHashes>;

/** A row of the authoring list; `halted`: why what is published cannot run as it stands (TUL-006 §8.2, §8.8). */
export interface AuthoringListRow extends AuthoringRow {
  readonly halted?: string;
}

/** Everything an author can open: published workflows, drafts, and those that were removed and kept in the history. */
export interface AuthoringList {
  readonly rows: readonly AuthoringListRow[];
  readonly removed: readonly AuthoringRow[];
  /** Files that cannot be read; they hide no other. */
  readonly problems: readonly ConfigProblem[];
}

/** One publication or removal, or what came with Patina or a pack, with what it changed against the one before (TUL-006 §8.4, §8.9). Times are local, with their offset. */
export interface WorkflowHistoryEntry {
  readonly what: 'bundled' | 'published' | 'removed';
  readonly version: string;
  readonly by: string;
  /** Empty for what came with Patina or a pack. */
  readonly at: string;
  readonly reason: string;
  readonly ddr: string;
  readonly hunks: readonly TextHunk[];
}

/** What publishing would change, and how far the version has to go for it. */
export interface WorkflowChange {
  readonly hunks: readonly TextHunk[];
  readonly step: VersionStep;
  readonly demands: readonly RequiredBump[];
  /** Null where nothing is demanded: for a new workflow, or before the draft is complete. */
  readonly leastVersion: string | null;
}

/** One workflow as its author sees it: the draft, what is published, and everything between them. */
export interface AuthoredWorkflow {
  readonly workflowId: string;
  /** The draft's, else the published manifest, by its own names; null for a workflow that was removed. */
  readonly fields: JsonObject | null;
  readonly draft: {
    readonly hash: string;
    /** What is published was changed after the draft was begun. */
    readonly outdated: boolean;
  } | null;
  readonly published: {
    readonly hash: string;
    readonly version: string;
    readonly status: AuthoringRow['status'];
    readonly layer: WorkflowLayer['kind'];
    readonly halted: string | null;
  } | null;
  /** Null where there is nothing that could be published. */
  readonly change: WorkflowChange | null;
  readonly ddr: { readonly id: string; readonly title: string; readonly status: DdrStatus } | null;
  /** Newest first. */
  readonly history: readonly WorkflowHistoryEntry[];
}

/**
 * What came of saving what was typed into a draft. `changed-meanwhile`: the draft is not the one it was typed into any
 * more, so nothing was saved; it has to be read again first.
 */
export type DraftSave =
  | { readonly kind: 'saved' }
  | { readonly kind: 'refused'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'changed-meanwhile' };

/** What can be named in a definition. */
export interface AuthoringNames {
  readonly tools: readonly string[];
  readonly workflows: readonly string[];
  readonly modes: readonly string[];
}

/** A candidate for a sentence, best first; `fromDraft`: as the draft would be matched if it were published. */
export interface DryRunMatch extends WorkflowMatch {
  readonly fromDraft: boolean;
}

export interface DryRun {
  readonly sentence: string;
  readonly matches: readonly DryRunMatch[];
}
