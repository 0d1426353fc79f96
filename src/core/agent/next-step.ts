import type { AppError, ErrorCode, ErrorKind } from '#shared/app-error';
import type { PlanNode } from '#shared/plan';

/** What happens after a node failed: it is tried again after a wait, the run may be planned again, or it goes on without. */
export type NextStep =
  | { readonly type: 'retry'; readonly waitMs: number }
  /** `tooLongMs`: it would be tried again after so long, but the run does not have that. */
  | { readonly type: 'replan' | 'give-up'; readonly tooLongMs?: number };

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
export function isReplannable({ kind, code }: Pick<AppError, 'kind' | 'code'>): boolean {
  const codes: 'all' | readonly string[] = avoidable[kind];
  return codes === 'all' || codes.includes(code);
}

/** How a step stands when an attempt of it failed. */
export interface Attempted {
  readonly attempt: number;
  /** No write of the step was made or answered: until now it has only read. */
  readonly onlyRead: boolean;
  /** It is unknown how a write of the step ended. */
  readonly hasUnknownOutcome: boolean;
  /** Milliseconds the run may still take. */
  readonly msLeft: number;
}

/** Whether the same attempt may end otherwise: a wrong name or argument stays wrong. */
const mayPass = ({ kind, code, retryable }: AppError): boolean =>
  !neverRetried.has(code) && (retryable || (kind === 'SANDBOX' && code === 'PROC_CRASH'));

/**
 * A step that has only read, or says it is idempotent, is tried once more when its failure may pass, after the wait
 * the failure asks for, if the run has that long. A step that may have written and does not say so is not, and neither
 * is one after a write whose end nobody saw (agent-mode specification, Executor Rules). Pure.
 */
export function nextStepOnFailure(node: PlanNode, error: AppError, attempted: Attempted): NextStep {
  const { attempt, onlyRead, hasUnknownOutcome, msLeft } = attempted;
  if (hasUnknownOutcome) return { type: 'give-up' };
  const repeatable = onlyRead || node.idempotent === true;
  const waitMs = error.retryAfterMs ?? 0;
  const retried = attempt === 1 && repeatable && mayPass(error);
  if (retried && waitMs < msLeft) return { type: 'retry', waitMs };
  const type = isReplannable(error) ? 'replan' : 'give-up';
  return retried ? { type, tooLongMs: waitMs } : { type };
}
