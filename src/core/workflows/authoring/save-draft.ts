import type { AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { ok, type Result } from '#shared/result';
import type { DraftSave } from '#shared/workflow-panel';
import type { WorkflowStore } from '../../ports/workflow-store';
import { changedFields } from './definition-fields';
import { findAuthored } from './desk';

/** What a person typed into a draft, and the draft it was typed into. */
export interface DraftEdit {
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
  const found = findAuthored(store, workflowId);
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
