import type { AppError, ErrorCode, ErrorKind } from '#shared/app-error';
import type { PlanNode } from '#shared/plan';

/** The next step after a failed node: retry it after a wait, re-plan, or continue without the node. */
export type NextStep =
  | { readonly type: 'retry'; readonly waitMs: number }
  /** `tooLongMs`: the wait that a retry needs, when the run has less time left. */
  | { readonly type: 'replan' | 'give-up'; readonly tooLongMs?: number };

const neverRetried = new Set(['NOT_FOUND', 'INVALID_ARGUMENTS']);

/**
 * The failures that another plan may avoid. Decisions of a person, the host or the machine are not among
 * them: a model must not look for a way around a refusal.
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

/** Whether a new plan could avoid this failure. Pure. */
export function isReplannable({ kind, code }: Pick<AppError, 'kind' | 'code'>): boolean {
  const codes: 'all' | readonly string[] = avoidable[kind];
  return codes === 'all' || codes.includes(code);
}

/** The state of a step after a failed attempt. */
export interface Attempted {
  readonly attempt: number;
  /** The step has requested no write so far: it has only read. */
  readonly onlyRead: boolean;
  /** The outcome of a write of the step is unknown. */
  readonly hasUnknownOutcome: boolean;
  /** Milliseconds left for the run. */
  readonly msLeft: number;
}

/** Whether a retry may succeed; a wrong name or argument stays wrong. */
const mayPass = ({ kind, code, retryable }: AppError): boolean =>
  !neverRetried.has(code) && (retryable || (kind === 'SANDBOX' && code === 'PROC_CRASH'));

/**
 * A step that has only read, or that is declared idempotent, is retried once when its failure may be
 * temporary, after the wait that the failure asks for, if the run has that much time left. A step that may
 * have written and is not declared idempotent is not retried, and neither is a step with a write of unknown
 * outcome (agent-mode §14). Pure.
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
