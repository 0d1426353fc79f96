import type { JsonObject } from '#shared/json';
import { ok, type Result } from '#shared/result';
import type { AuthoringAnswer } from '#shared/workflow-authoring';
import type {
  AuthoredWorkflow,
  AuthoringNames,
  AuthoringList,
  DraftSave,
  DryRun,
  ReviewedHashes,
} from '#shared/workflow-panel';
import type { AppError } from '#shared/app-error';
import type { WorkflowStore } from '../../ports/workflow-store';
import { listAuthoring, describeWorkflow } from './authored-view';
import { changedFields } from './definition-fields';
import {
  recordOf,
  failed,
  findRecord,
  refused,
  type AuthoringDeps,
  type AuthoringContext,
} from './authoring-context';
import { dryRun, type DryRunRequest } from './dry-run';
import { publishWorkflow } from './publish-operations';
import { removeWorkflow, type Removal } from './remove-workflow';
import { asShown, changedSince } from './shown';
import { withRequiredVersion } from './version-step';

/**
 * The tool's operations for a person in the window: the window shows every change, and the click approves it.
 */
export interface AuthoringPanel {
  readonly list: () => Result<AuthoringList>;
  readonly view: (workflowId: string) => Result<AuthoredWorkflow>;
  readonly names: () => Promise<Result<AuthoringNames>>;
  /** One of the tool's operations. */
  readonly call: (call: JsonObject) => Promise<AuthoringAnswer>;
  /** Changes a draft, if it is unchanged since it was shown. */
  readonly save: (edit: DraftEdit) => Promise<Result<DraftSave>>;
  readonly publish: (workflowId: string, shown: ReviewedHashes, reason?: string) => Promise<AuthoringAnswer>;
  readonly discard: (request: Discard) => Promise<AuthoringAnswer>;
  readonly remove: (removal: Removal) => Promise<AuthoringAnswer>;
  readonly dryRun: (request: DryRunRequest) => Result<readonly DryRun[]>;
}

async function namesIn({ facts, store }: AuthoringDeps): Promise<Result<AuthoringNames>> {
  const published = store.published();
  if (!published.ok) return published;
  const { tools, modes } = await facts();
  return ok({
    tools: tools.map(({ name }) => name).toSorted(),
    modes: modes.map(({ key }) => key),
    workflows: published.value.rows.map(({ definition }) => definition.WorkflowId),
  });
}

/** `context` must treat every operation as the user's own. */
export function createAuthoringPanel(
  deps: AuthoringDeps,
  context: AuthoringContext,
  call: AuthoringPanel['call'],
): AuthoringPanel {
  return {
    list: () => listAuthoring(deps),
    view: (workflowId) => describeWorkflow(deps, workflowId),
    names: () => namesIn(deps),
    call,
    save: (edit) => saveDraft(deps, edit),
    publish: (workflowId, shown, reason) =>
      publishWorkflow(context, { workflowId, shown, ...(reason !== undefined && { reason }) }),
    discard: (request) => discardDraft(context, request),
    remove: (removal) => removeWorkflow(context, removal),
    dryRun: (request) => dryRun(deps, request),
  };
}
export interface Discard {
  readonly workflowId: string;
  readonly shown: ReviewedHashes;
}

/** Discards a draft, if it is unchanged since it was shown; the published version stays as it is. */
export async function discardDraft(
  context: AuthoringContext,
  { workflowId, shown }: Discard,
): Promise<AuthoringAnswer> {
  const found = recordOf(context, { workflowId });
  if (!found.ok) return found.error;
  const { draft } = found.value;
  if (!draft) return refused({ field: 'workflowId', message: `There is no draft of ‘${workflowId}’.` });
  if (!asShown(found.value, shown)) return changedSince;
  const gone = await context.store.removeDraft(workflowId, draft.hash);
  return gone.ok ? { ok: true, messages: ['The draft was discarded.'] } : failed(gone.error);
}

/** A person's edit of a draft, and the draft it applies to. */
interface DraftEdit {
  readonly workflowId: string;
  /** Hash of the draft on the screen. */
  readonly revision: string;
  /** Null removes an optional field. */
  readonly fields: JsonObject;
}
const changedMeanwhile = ok({ kind: 'changed-meanwhile' as const });
const isConflict = ({ kind, code }: AppError): boolean => kind === 'HOST' && code === 'STATE';

/**
 * Saves an edit, unless the draft was changed, published or discarded after it was shown: then nothing is
 * written, and the editor decides with both texts at hand. Errors: HOST/STORAGE.
 */
export async function saveDraft(
  { store }: { readonly store: WorkflowStore },
  { workflowId, revision, fields }: DraftEdit,
): Promise<Result<DraftSave>> {
  const found = findRecord(store, workflowId);
  if (!found.ok) return found;
  const { draft, row } = found.value;
  if (draft?.hash !== revision) return changedMeanwhile;
  const changed = changedFields(draft.fields, fields);
  if ('errors' in changed) return ok({ kind: 'refused', errors: changed.errors });
  const { basedOn } = draft;
  const next = withRequiredVersion(row?.definition, changed.fields, fields);
  const written = await store.writeDraft({ workflowId, fields: next, basedOn }, revision);
  // Another process may have written between our read and our write.
  if (!written.ok) return isConflict(written.error) ? changedMeanwhile : written;
  const { Version = null } = next;
  const raised = Version === (changed.fields['Version'] ?? null) ? {} : { Version };
  return ok({ kind: 'saved', fields: { ...fields, ...raised } });
}
