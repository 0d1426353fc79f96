import type { AppError, ErrorCode, ErrorKind } from '#shared/app-error';
import type { PlanNode } from '#shared/plan';

/** What happens after a node failed: it is tried again, the run may be planned again, or it goes on without. */
export type NextStep =
  { readonly type: 'retry' } | { readonly type: 'replan' } | { readonly type: 'give-up' };

const neverRetried = new Set(['NOT_FOUND', 'INVALID_ARGUMENTS']);

/**
 * The failures another way to the goal may avoid. What a person, the host or the machine decided is none of them: a
 * model must not look for a way around a no.
 */
const avoidable: { readonly [K in ErrorKind]: 'all' | readonly ErrorCode<K>[] } = {
  TOOL: 'all',
  CODE: 'all',
  POLICY: ['CAPABILITY_DENIED'],
  BUDGET: [
    ...(['CPU_LIMIT', 'OPS_LIMIT', 'MEMORY_LIMIT', 'STACK_LIMIT'] as const),
    ...(['OUTPUT_LIMIT', 'TOKEN_LIMIT', 'TOOL_CALLS'] as const),
  ],
  SANDBOX: ['PROC_CRASH'],
  LLM: ['INVALID_REPLY', 'CONTEXT_LIMIT'],
  CONFIG: [],
  HOST: [],
};

/** Whether a plan made anew could do without what failed. Pure. */
export function mayBePlannedAround({ kind, code }: Pick<AppError, 'kind' | 'code'>): boolean {
  const codes: 'all' | readonly string[] = avoidable[kind];
  return codes === 'all' || codes.includes(code);
}

/**
 * A step that says it is idempotent is tried once more when the failure may pass; a wrong name or argument never does,
 * and neither does a step after a write whose end nobody saw. Pure.
 */
export function nextStepOnFailure(
  node: PlanNode,
  error: AppError,
  { attempt, unsure = false }: { readonly attempt: number; readonly unsure?: boolean },
): NextStep {
  if (unsure) return { type: 'give-up' };
  const passing = error.retryable || (error.kind === 'SANDBOX' && error.code === 'PROC_CRASH');
  const again = node.idempotent === true && attempt === 1 && passing && !neverRetried.has(error.code);
  if (again) return { type: 'retry' };
  return { type: mayBePlannedAround(error) ? 'replan' : 'give-up' };
}
