import { z } from 'zod';
import type { AppError } from './app-error';
import type { JsonObject } from './json';
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

/** A problem of one field, by its name in the manifest (or the call). */
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

/**
 * Every answer of the authoring tool has one of these shapes (TUL-006 §10.3). `error`: a
 * failure that no field caused.
 */
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

/** The version bump that a change of one field requires (TUL-006 §8.4). */
export interface RequiredBump {
  readonly field: string;
  readonly step: Exclude<VersionStep, 'none'>;
  readonly because: string;
}

/** Adjacent lines of a diff between two definitions, for display. */
export interface TextHunk {
  readonly lines: readonly { readonly kind: 'same' | 'added' | 'removed'; readonly text: string }[];
}
