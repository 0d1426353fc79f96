import type { AuthoringAnswer } from '#shared/workflow-authoring';
import type { ShownWorkflow } from '#shared/workflow-panel';
import { authoredOf, failed, refused, type Desk } from './desk';
import { asShown, changedSince } from './shown';

export interface Discard {
  readonly workflowId: string;
  readonly shown: ShownWorkflow;
}

/** Throws a draft away, as it was shown; what is published stays as it is. */
export async function discardDraft(desk: Desk, { workflowId, shown }: Discard): Promise<AuthoringAnswer> {
  const found = authoredOf(desk, { workflowId });
  if (!found.ok) return found.error;
  const { draft } = found.value;
  if (!draft) return refused({ field: 'workflowId', message: `There is no draft of ‘${workflowId}’.` });
  if (!asShown(found.value, shown)) return changedSince;
  const gone = await desk.store.removeDraft(workflowId, draft.hash);
  return gone.ok ? { ok: true, messages: ['The draft was discarded.'] } : failed(gone.error);
}
