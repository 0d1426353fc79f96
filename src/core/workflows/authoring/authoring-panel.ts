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
import { dryRun } from './dry-run';
import { publishWorkflow } from './publish-operations';
import { removeWorkflow, type Removal } from './remove-workflow';
import { asShown, changedSince } from './shown';

/** The same operations as the tool's, as a person does them in the window: what is clicked was shown, and the click is the yes. */
export interface AuthoringPanel {
  readonly list: () => Result<AuthoringList>;
  readonly view: (workflowId: string) => Result<AuthoredWorkflow>;
  readonly names: () => Promise<Result<AuthoringNames>>;
  /** One of the tool's operations. */
  readonly call: (call: JsonObject) => Promise<AuthoringAnswer>;
  /** Changes a draft that is still as it was shown. */
  readonly save: (edit: DraftEdit) => Promise<Result<DraftSave>>;
  readonly publish: (workflowId: string, shown: ReviewedHashes) => Promise<AuthoringAnswer>;
  readonly discard: (request: Discard) => Promise<AuthoringAnswer>;
  readonly remove: (removal: Removal) => Promise<AuthoringAnswer>;
  readonly dryRun: (request: Parameters<typeof dryRun>[1]) => Result<readonly DryRun[]>;
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

/** `desk`: a desk on which everything is the user's own wish. */
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
    publish: (workflowId, shown) => publishWorkflow(context, { workflowId, shown }),
    discard: (request) => discardDraft(context, request),
    remove: (removal) => removeWorkflow(context, removal),
    dryRun: (request) => dryRun(deps, request),
  };
}
export interface Discard {
  readonly workflowId: string;
  readonly shown: ReviewedHashes;
}

/** Throws a draft away, as it was shown; what is published stays as it is. */
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

/** What a person typed into a draft, and the draft it was typed into. */
interface DraftEdit {
  readonly workflowId: string;
  /** Hash of the draft that was on the screen. */
  readonly revision: string;
  /** Null takes an optional field away. */
  readonly fields: JsonObject;
}
const changedMeanwhile = ok({ kind: 'changed-meanwhile' as const });
const isConflict = ({ kind, code }: AppError): boolean => kind === 'HOST' && code === 'STATE';

/**
 * Saves what was typed, unless somebody else changed, published or discarded the draft after it was shown: then nothing
 * is written, and who typed decides with both texts before them. Errors: HOST/STORAGE.
 */
export async function saveDraft(
  { store }: { readonly store: WorkflowStore },
  { workflowId, revision, fields }: DraftEdit,
): Promise<Result<DraftSave>> {
  const found = findRecord(store, workflowId);
  if (!found.ok) return found;
  const { draft } = found.value;
  if (draft?.hash !== revision) return changedMeanwhile;
  const changed = changedFields(draft.fields, fields);
  if ('errors' in changed) return ok({ kind: 'refused', errors: changed.errors });
  const { basedOn } = draft;
  const written = await store.writeDraft({ workflowId, fields: changed.fields, basedOn }, revision);
  // Another process may have been faster than this one, between its reading and its writing.
  if (!written.ok) return isConflict(written.error) ? changedMeanwhile : written;
  return ok({ kind: 'saved' });
}
