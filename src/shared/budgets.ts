import { z } from 'zod';
import type { AppError, ErrorCode } from './app-error';

const count = z.number().int().positive();
const maxCpuMs = 600_000;
const maxMemoryMb = 256;

/** Maximum steps of a plan; users do not review longer plans before they run. */
export const maxNodes = 64;

/** Limits of one node: CPU milliseconds, megabytes, interrupt ticks, calls, bytes out, tokens. */
export const NodeBudgets = z.strictObject({
  cpu_ms: count.max(maxCpuMs),
  mem_mb: count.max(maxMemoryMb),
  max_ops: count,
  tool_calls: count,
  output_bytes: count,
  tokens: count,
});
export type NodeBudgets = z.infer<typeof NodeBudgets>;

/** Limits of a whole run; time spent waiting for the user or a provider does not count. */
export const RunBudgets = z.strictObject({
  nodes: count,
  wall_ms: count,
  tool_calls: count,
  tokens: count,
  replans: z.number().int().nonnegative(),
  /** Absent in runs recorded before stages existed. */
  stages: count.optional(),
});
export type RunBudgets = z.infer<typeof RunBudgets>;

/**
 * `budgets.json`: a missing field takes the seed's value. New maximums belong in this schema only, because
 * stored sessions keep the budgets they ran with.
 */
export const BudgetsFile = z.strictObject({
  node: NodeBudgets.partial().optional(),
  run: RunBudgets.extend({
    nodes: count.max(maxNodes, `a plan has at most ${maxNodes} steps, so a run cannot have more.`),
  })
    .partial()
    .optional(),
});
export type BudgetsFile = z.infer<typeof BudgetsFile>;

export const Budgets = z.strictObject({ node: NodeBudgets, run: RunBudgets });
export type Budgets = z.infer<typeof Budgets>;

/** The limits that a project's file sets, and the values of those that it leaves out. */
export interface BudgetSettings {
  readonly file: string;
  readonly own: BudgetsFile;
  readonly defaults: Budgets;
}

const changed = { value: z.number().nullable() };

/** One limit of a project; null removes it from the project's file. */
export const BudgetChange = z.discriminatedUnion('part', [
  z.strictObject({ part: z.literal('node'), field: NodeBudgets.keyof(), ...changed }),
  z.strictObject({ part: z.literal('run'), field: RunBudgets.keyof(), ...changed }),
]);
export type BudgetChange = z.infer<typeof BudgetChange>;

/** The `budgets.json` field behind each step error. */
const nodeFields: { readonly [C in ErrorCode<'BUDGET'>]?: keyof NodeBudgets } = {
  CPU_LIMIT: 'cpu_ms',
  MEMORY_LIMIT: 'mem_mb',
  OPS_LIMIT: 'max_ops',
  OUTPUT_LIMIT: 'output_bytes',
  TOKEN_LIMIT: 'tokens',
  TOOL_CALLS: 'tool_calls',
};

/** The step budget that an error is about, if it can be raised. */
export const nodeBudgetOf = (error: AppError): keyof NodeBudgets | undefined =>
  error.kind === 'BUDGET' ? nodeFields[error.code] : undefined;

/** The maximum of each field that has one. */
export const fieldMaximums = { cpu_ms: maxCpuMs, mem_mb: maxMemoryMb, nodes: maxNodes } as const;

/** Explains how to raise a budget of a run or a step: its limit, the file and the field. */
export function howToRaise(part: 'run' | 'node', field: string, limit: number): string {
  const maximum =
    field in fieldMaximums ? ` (at most ${fieldMaximums[field as keyof typeof fieldMaximums]})` : '';
  const whose = part === 'run' ? 'The run' : 'The step';
  return `${whose} may use ${field}: ${limit}. To allow more, set "${part}": {"${field}": …} in .patina/budgets.json${maximum}.`;
}

/**
 * Adds which budget was exceeded and how to raise it to a step's budget error; returns
 * any other error unchanged.
 */
export function withNodeBudget(
  error: AppError,
  { allowed, wanted }: { readonly allowed: NodeBudgets; readonly wanted?: Wanted | undefined },
): AppError {
  const field = nodeBudgetOf(error);
  if (field === undefined || error.hint?.includes('budgets.json')) return error;
  const limit = nodeBudgets(allowed, wanted)[field];
  const byPlan = limit < allowed[field] ? ' The plan itself sets this limit.' : '';
  return {
    ...error,
    hint: [error.hint, howToRaise('node', field, limit) + byPlan].filter(Boolean).join(' '),
  };
}

type Wanted = { readonly [F in keyof NodeBudgets]?: NodeBudgets[F] | undefined };

/** A plan may request less than the project allows, never more. */
export function nodeBudgets(allowed: NodeBudgets, wanted: Wanted | undefined): NodeBudgets {
  const smallest = (field: keyof NodeBudgets): number =>
    Math.min(allowed[field], wanted?.[field] ?? allowed[field]);
  return {
    cpu_ms: smallest('cpu_ms'),
    mem_mb: smallest('mem_mb'),
    max_ops: smallest('max_ops'),
    tool_calls: smallest('tool_calls'),
    output_bytes: smallest('output_bytes'),
    tokens: smallest('tokens'),
  };
}
