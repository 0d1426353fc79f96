import { z } from 'zod';

const count = z.number().int().positive();

/** What one node may spend: CPU milliseconds, megabytes, interrupt ticks, calls, bytes out, tokens. */
export const NodeBudgets = z.strictObject({
  cpu_ms: count.max(600_000),
  mem_mb: count.max(256),
  max_ops: count,
  tool_calls: count,
  output_bytes: count,
  tokens: count,
});
export type NodeBudgets = z.infer<typeof NodeBudgets>;

/** What a whole run may spend; time spent waiting for a person does not count. */
export const RunBudgets = z.strictObject({
  nodes: count,
  wall_ms: count,
  tool_calls: count,
  tokens: count,
  replans: z.number().int().nonnegative(),
});
export type RunBudgets = z.infer<typeof RunBudgets>;

/** `budgets.json`: a missing field means the seed's. */
export const BudgetsFile = z.strictObject({
  node: NodeBudgets.partial().optional(),
  run: RunBudgets.partial().optional(),
});
export type BudgetsFile = z.infer<typeof BudgetsFile>;

export const Budgets = z.strictObject({ node: NodeBudgets, run: RunBudgets });
export type Budgets = z.infer<typeof Budgets>;

type Wanted = { readonly [F in keyof NodeBudgets]?: NodeBudgets[F] | undefined };

/** A plan may ask for less than the project allows, never for more. */
export function nodeBudgets(allowed: NodeBudgets, wanted: Wanted | undefined): NodeBudgets {
  const least = (field: keyof NodeBudgets): number =>
    Math.min(allowed[field], wanted?.[field] ?? allowed[field]);
  return {
    cpu_ms: least('cpu_ms'),
    mem_mb: least('mem_mb'),
    max_ops: least('max_ops'),
    tool_calls: least('tool_calls'),
    output_bytes: least('output_bytes'),
    tokens: least('tokens'),
  };
}
