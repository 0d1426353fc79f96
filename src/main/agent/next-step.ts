import type { AppError } from '#shared/app-error';
import type { PlanNode } from '#shared/plan';

/** What happens after a node failed. */
export type NextStep = { readonly type: 'retry' } | { readonly type: 'give-up' };

const neverRetried = new Set(['NOT_FOUND', 'INVALID_ARGUMENTS']);

/** A step that says it is idempotent is tried once more when the failure may pass; a wrong name or argument never does. Pure. */
export function nextStepOnFailure(node: PlanNode, error: AppError, attempt: number): NextStep {
  const passing = error.retryable || (error.kind === 'SANDBOX' && error.code === 'PROC_CRASH');
  const again = node.idempotent === true && attempt === 1 && passing && !neverRetried.has(error.code);
  return { type: again ? 'retry' : 'give-up' };
}
