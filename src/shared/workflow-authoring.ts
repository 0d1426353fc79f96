import { z } from 'zod';
import type { AppError } from './app-error';
import { JsonObject } from './json';
import type { WorkflowStatus } from './workflow';

/** The operations of TUL-006 §10.2. */
export const authoringOperations = [
  'draft_workflow',
  'get_workflow',
  'update_workflow',
  'validate_workflow',
  'publish_workflow',
  'list_authoring_workflows',
] as const;
export type AuthoringOperation = (typeof authoringOperations)[number];

/** A call as the window makes it; what is missing is answered with the field's name. */
export const AuthoringCall = z.strictObject({
  operation: z.string().max(100),
  workflowId: z.string().max(200).optional(),
  title: z.string().max(1_000).optional(),
  description: z.string().max(5_000).optional(),
  fields: JsonObject.optional(),
});
export type AuthoringCall = z.infer<typeof AuthoringCall>;

/** What is wrong with one field, by the name the manifest (or the call) has for it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A row of `list_authoring_workflows` (TUL-006 §10.2). A published version and a draft of it are two rows. */
export interface AuthoringRow {
  readonly workflowId: string;
  readonly title: string;
  readonly status: 'draft' | 'published' | Exclude<WorkflowStatus, 'active'>;
  readonly version: string;
  readonly visibility: string;
}

/** Every answer of the authoring tool is one of these two (TUL-006 §10.3). `error`: why the world refused. */
export type AuthoringAnswer =
  | {
      readonly ok: true;
      readonly workflow?: JsonObject;
      readonly workflows?: readonly AuthoringRow[];
      readonly messages?: readonly string[];
    }
  | { readonly ok: false; readonly errors: readonly FieldError[]; readonly error?: AppError };

export const VersionStep = z.enum(['none', 'patch', 'minor', 'major']);
export type VersionStep = z.infer<typeof VersionStep>;

/** What a change of one field demands of the version (TUL-006 §8.4). */
export interface DemandedStep {
  readonly field: string;
  readonly step: Exclude<VersionStep, 'none'>;
  readonly because: string;
}

/** Neighbouring lines of a difference between two definitions, as people read them. */
export interface TextHunk {
  readonly lines: readonly { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }[];
}

/** One publication or removal, as the panel shows it. */
export interface AuthoringHistoryRow {
  readonly what: 'published' | 'removed';
  readonly version: string;
  readonly by: string;
  readonly at: string;
  readonly ddr: string;
}

/** Everything the panel shows of one workflow. */
export interface AuthoringView {
  readonly workflowId: string;
  readonly draft: JsonObject | null;
  readonly published: JsonObject | null;
  /** `seed`, `home`, or the name of a pack; null while it was never published. */
  readonly origin: string | null;
  readonly errors: readonly FieldError[];
  readonly step: VersionStep;
  readonly demands: readonly DemandedStep[];
  /** The smallest version the draft can be published with; null when nothing differs. */
  readonly leastVersion: string | null;
  readonly hunks: readonly TextHunk[];
  readonly history: readonly AuthoringHistoryRow[];
}

/** What a sentence would start, were the draft published. */
export interface TriedSentence {
  readonly sentence: string;
  readonly matches: readonly {
    readonly workflowId: string;
    readonly score: number;
    readonly explanation: string;
  }[];
}
