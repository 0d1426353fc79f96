import type { AppError } from '#shared/app-error';
import type { Ddr } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { WorkflowId, type WorkflowRow } from '#shared/workflow';
import type { AuthoringAnswer, FieldError } from '#shared/workflow-authoring';
import type { ReviewedHashes } from '#shared/workflow-panel';
import type { BuiltInToolContext } from '../../ports/built-in-tool';
import type { WorkflowDraft, WorkflowStore } from '../../ports/workflow-store';
import type { AuthoringFacts } from './authoring-facts';
import { fieldsOf } from '../../control-plane/check-texts';

/** The question to the user before a model's call takes effect; `detail` shows the difference. */
export interface AuthoringQuestion {
  readonly text: string;
  readonly detail: string;
}

export interface AuthoringDeps {
  readonly store: WorkflowStore;
  /** The current facts other than workflows. */
  readonly facts: () => Promise<Omit<AuthoringFacts, 'published' | 'ddr'>>;
  readonly ddr: (id: string) => Ddr | null;
  /** Writes the hash of a definition into its design record. */
  readonly recordHash: (ddr: string, workflowId: string, hash: string | null) => Promise<Result<null>>;
  readonly userName: () => string;
  readonly localTime: () => string;
  /** Asks the user to decide what a model's call may not; false when the user cannot be asked. */
  readonly askUser: (question: AuthoringQuestion, context: BuiltInToolContext) => Promise<boolean>;
}

/** The dependencies of one call, and the functions that ask for consent to its effects. */
export interface AuthoringContext extends AuthoringDeps {
  /** Whether the user consents to starting or changing a draft; for a model's call, asks once per draft. */
  readonly consentsToDraft: (workflowId: string, question: AuthoringQuestion) => Promise<boolean>;
  /** Whether the user consents to publishing; asks every time. */
  readonly consents: (question: AuthoringQuestion) => Promise<boolean>;
}

export interface AuthoringArguments {
  readonly workflowId?: string;
  readonly title?: string;
  readonly description?: string;
  readonly fields?: JsonObject;
  /** Why a version is published, for the history. */
  readonly reason?: string;
  /** Hashes of what the user reviewed; a model's call never sets this. */
  readonly shown?: ReviewedHashes;
}

export const refused = (...errors: readonly FieldError[]): AuthoringAnswer => ({ ok: false, errors });

/** An external failure in the tool's own answer format, with the error inside. */
export const failed = (error: AppError): AuthoringAnswer => ({
  ok: false,
  errors: [{ field: '', message: error.message }],
  error,
});

export const declined = refused({
  field: '',
  message: 'The user did not agree, so nothing was changed. Ask what to do instead.',
});

/** A workflow as authors see it: its published version and its draft. */
export interface WorkflowRecord {
  readonly workflowId: string;
  readonly row: WorkflowRow | null;
  readonly draft: WorkflowDraft | null;
}

/** Looks up the published version and the draft of a workflow id. */
export function findRecord(store: WorkflowStore, workflowId: string): Result<WorkflowRecord> {
  const published = store.published();
  if (!published.ok) return published;
  const draft = store.draft(workflowId);
  if (!draft.ok) return draft;
  const row = published.value.rows.find(({ definition }) => definition.WorkflowId === workflowId) ?? null;
  return ok({ workflowId, row, draft: draft.value });
}

function idOf({ workflowId }: AuthoringArguments): Result<string, AuthoringAnswer> {
  if (workflowId === undefined || workflowId.trim() === '') {
    return err(refused({ field: 'workflowId', message: 'workflowId is missing.' }));
  }
  const parsed = WorkflowId.safeParse(workflowId);
  if (parsed.success) return ok(parsed.data);
  const message = 'workflowId must be 3 to 64 lowercase letters, digits and underscores, like create_ddr.';
  return err(refused({ field: 'workflowId', message }));
}

/** The workflow that a call names, which may not exist; or the refusal for a call without a valid id. */
export function recordOf(
  context: AuthoringContext,
  args: AuthoringArguments,
): Result<WorkflowRecord, AuthoringAnswer> {
  const id = idOf(args);
  if (!id.ok) return id;
  const found = findRecord(context.store, id.value);
  return found.ok ? found : err(failed(found.error));
}

/** An existing workflow and its fields as an author sees them: the draft's, else the published ones. */
export function writtenOf(
  context: AuthoringContext,
  args: AuthoringArguments,
): Result<{ readonly record: WorkflowRecord; readonly fields: JsonObject }, AuthoringAnswer> {
  const found = recordOf(context, args);
  if (!found.ok) return found;
  const { row, draft, workflowId } = found.value;
  const fields = draft?.fields ?? (row ? fieldsOf(row.definition) : null);
  if (fields) return ok({ record: found.value, fields });
  return err(refused({ field: 'workflowId', message: `Unknown workflow ‘${workflowId}’.` }));
}

/** Collects the facts that one call checks a definition against. */
export async function factsOf(context: AuthoringDeps): Promise<Result<AuthoringFacts>> {
  const published = context.store.published();
  if (!published.ok) return published;
  const facts = await context.facts();
  const definitions = published.value.rows.map(({ definition }) => definition);
  return ok({ ...facts, published: definitions, ddr: context.ddr });
}
