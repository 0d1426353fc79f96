import type { AuthoringAnswer, FieldError } from '#shared/workflow-authoring';
import type { ReviewedHashes } from '#shared/workflow-panel';
import {
  recordOf,
  declined,
  failed,
  refused,
  type WorkflowRecord,
  type AuthoringContext,
} from './authoring-context';
import { recordErrors } from './publish-operations';
import { asShown, changedSince } from './shown';

/** A workflow to remove from the registry, and the reason, which stays in the workflow's history. */
export interface Removal {
  readonly workflowId: string;
  readonly reason: string;
  /** Hashes of what the user reviewed, if it was shown. */
  readonly shown?: ReviewedHashes;
}

/** The reasons why a workflow cannot be removed now (TUL-006 §8.9); empty when it can. */
function removalBlockers(
  context: AuthoringContext,
  { workflowId: id, row }: WorkflowRecord,
  reason: string,
): readonly FieldError[] {
  if (!row) return [{ field: 'workflowId', message: `Unknown workflow ‘${id}’.` }];
  const { Status, Ddr } = row.definition;
  const disabled = Status === 'disabled';
  return [
    ...(disabled
      ? []
      : [
          {
            field: 'Status',
            message: `‘${id}’ is ${Status}. Publish a version whose Status is disabled first, then remove it.`,
          },
        ]),
    ...(reason === '' ? [{ field: 'reason', message: 'reason is missing: the history records it.' }] : []),
    ...(disabled ? recordErrors(context.ddr(Ddr), Ddr) : []),
  ];
}

/**
 * Removes a workflow from the registry (TUL-006 §8.9): only a disabled one, under its approved design record,
 * with a reason. Its history stays. Not an operation of the authoring tool, so a model cannot request it.
 */
export async function removeWorkflow(
  context: AuthoringContext,
  { workflowId, reason, shown }: Removal,
): Promise<AuthoringAnswer> {
  const found = recordOf(context, { workflowId });
  if (!found.ok) return found.error;
  if (shown && !asShown(found.value, shown)) return changedSince;
  const why = reason.trim();
  const problems = removalBlockers(context, found.value, why);
  const { row } = found.value;
  if (problems.length > 0 || !row) return refused(...problems);
  const { Version, Ddr } = row.definition;
  const question = { text: `Remove ‘${workflowId}’ ${Version}? Its history is kept.`, detail: why };
  if (!(await context.consents(question))) return declined;
  const decision = { by: context.userName(), at: context.localTime(), reason: why, ddr: Ddr };
  const removed = await context.store.remove(workflowId, row.hash, decision);
  if (!removed.ok) return failed(removed.error);
  const message = `‘${workflowId}’ ${Version} was removed. No session can start it; a session that runs it now can finish it.`;
  return { ok: true, messages: [message] };
}
