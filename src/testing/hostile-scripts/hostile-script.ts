import type { NodeBudgets } from '#shared/budgets';

/**
 * One hostile script and every allowed outcome: `KIND/CODE` of the typed error, or the summary of a clean
 * result. There is more than one where the two builds of the engine, or a fast and a slow machine, rightly
 * differ.
 */
export interface HostileScript {
  /** The id of its row in the hostile inputs. */
  readonly id: string;
  readonly code: string;
  readonly ends: readonly string[];
  readonly budgets?: Partial<NodeBudgets>;
}

export const CPU = 'BUDGET/CPU_LIMIT';
export const MEMORY = 'BUDGET/MEMORY_LIMIT';
export const STACK = 'BUDGET/STACK_LIMIT';
export const OUTPUT = 'BUDGET/OUTPUT_LIMIT';
export const THROWN = 'CODE/RUNTIME_ERROR';
export const SYNTAX = 'CODE/SYNTAX_ERROR';
export const RESULT = 'CODE/INVALID_RESULT';
export const CRASH = 'SANDBOX/PROC_CRASH';

/** Rows of one kind: each script with its allowed outcomes. */
export function rows(
  id: string,
  ends: readonly string[],
  codes: readonly string[],
  budgets: Partial<NodeBudgets> = {},
): readonly HostileScript[] {
  return codes.map((code) => ({ id, code, ends, budgets }));
}
