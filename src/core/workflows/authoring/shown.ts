import type { ReviewedHashes } from '#shared/workflow-panel';
import { refused, type WorkflowRecord } from './authoring-context';

/** Whether a workflow is unchanged since the user reviewed it. */
export const asShown = ({ row, draft }: WorkflowRecord, shown: ReviewedHashes): boolean =>
  (draft?.hash ?? null) === shown.draft && (row?.hash ?? null) === shown.published;

export const changedSince = refused({
  field: 'workflowId',
  message: 'It has changed since it was shown. Review it again, then decide.',
});
