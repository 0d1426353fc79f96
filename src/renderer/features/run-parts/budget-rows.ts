import type { AppError } from '#shared/app-error';
import { nodeBudgets } from '#shared/budgets';
import type { NodeMetrics } from '#shared/node-metrics';
import type { PlanNode } from '#shared/plan';
import { workedMs } from '#shared/run-spent';
import type { NodeState, RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { formatBytes, formatCount, formatSpan, formatTenths } from '../../ui/format';

/** One resource with a budget. */
export interface BudgetRow {
  readonly name: string;
  /** Undefined if the used amount is unknown. */
  readonly used: number | undefined;
  readonly limit: number | undefined;
  readonly show: (value: number) => string;
  /** This limit ended the node or the run. */
  readonly breached?: boolean;
}

/** Codes that runs and nodes share; the exceeded limit tells whose it was. */
const shared: readonly AppError['code'][] = ['TOOL_CALLS', 'TOKEN_LIMIT'];

const megabytes = (value: number): string =>
  `${value < 10 ? formatTenths(value) : formatCount(Math.round(value))} MB`;

function breachIn(error: AppError | undefined) {
  return (code: AppError['code'], row: BudgetRow): BudgetRow => {
    const { used = Infinity, limit = Infinity } = row;
    const passed = !shared.includes(code) || used >= limit;
    return error?.kind === 'BUDGET' && error.code === code && passed ? { ...row, breached: true } : row;
  };
}

/** The budgets of a run and their use until `now`; empty if its limits were not recorded. Pure. */
export function runRows(run: RunState, now: number): readonly BudgetRow[] {
  const { budgets, spent, plan } = run;
  if (!budgets || !spent) return [];
  const limits = budgets.run;
  // Approval nodes that the host inserted are not part of the plan.
  const planned = plan && run.nodes.filter(({ id }) => run.announces?.[id] === undefined).length;
  const worked = workedMs(spent, run.endedAt ?? now);
  const row = breachIn(run.error);
  return [
    row('NODE_LIMIT', {
      name: text('runParts.budget.steps'),
      used: planned,
      limit: limits.nodes,
      show: formatCount,
    }),
    row('WALL_CLOCK', {
      name: text('runParts.budget.time'),
      used: worked,
      limit: limits.wall_ms,
      show: formatSpan,
    }),
    row('TOOL_CALLS', {
      name: text('runParts.budget.calls'),
      used: spent.calls,
      limit: limits.tool_calls,
      show: formatCount,
    }),
    row('TOKEN_LIMIT', {
      name: text('runParts.budget.tokens'),
      used: spent.tokens,
      limit: limits.tokens,
      show: formatCount,
    }),
  ];
}

/** The size of a script's output in bytes, as the sandbox counts it. */
function outputBytes({ summary, artifacts = [], state = {}, metrics }: NodeState): number | undefined {
  if (!metrics) return undefined;
  return new TextEncoder().encode(JSON.stringify({ summary, artifacts, state_updates: state, metrics }))
    .length;
}

/** The budgets of a node and their use: a script's budgets, or a model step's tokens. Pure. */
export function nodeRows(run: RunState, node: NodeState): readonly BudgetRow[] {
  const plan = run.plan?.nodes.find(({ id }) => id === node.id);
  if (!plan || plan.kind === 'approval') return [];
  const limits = run.budgets ? nodeBudgets(run.budgets.node, plan.budgets) : (plan.budgets ?? {});
  const used = node.usage && node.usage.inputTokens + node.usage.outputTokens;
  const tokens = breachIn(node.error)('TOKEN_LIMIT', {
    name: text('runParts.budget.tokens'),
    used,
    // The limit of a step over many items holds for each of them.
    limit: limits.tokens && limits.tokens * Math.max(1, node.progress?.of ?? 1),
    show: formatCount,
  });
  const rows = plan.kind === 'llm' ? [tokens] : [...scriptRows(node, limits), tokens];
  return rows.filter(({ used, limit }) => used !== undefined || limit !== undefined);
}

type Limits = NonNullable<PlanNode['budgets']>;

function scriptRows(node: NodeState, limits: Limits): readonly BudgetRow[] {
  const row = breachIn(node.error);
  const { cpu_ms, mem_mb, ops, wall_ms }: Partial<NodeMetrics> = node.metrics ?? {};
  const bytes = outputBytes(node);
  return [
    row('CPU_LIMIT', {
      name: text('runParts.budget.cpu'),
      used: cpu_ms,
      limit: limits.cpu_ms,
      show: formatSpan,
    }),
    row('MEMORY_LIMIT', {
      name: text('runParts.budget.memory'),
      used: mem_mb,
      limit: limits.mem_mb,
      show: megabytes,
    }),
    row('TOOL_CALLS', {
      name: text('runParts.budget.calls'),
      used: node.callCount,
      limit: limits.tool_calls,
      show: formatCount,
    }),
    row('OPS_LIMIT', {
      name: text('runParts.budget.ops'),
      used: ops,
      limit: limits.max_ops,
      show: formatCount,
    }),
    row('OUTPUT_LIMIT', {
      name: text('runParts.budget.output'),
      used: bytes,
      limit: limits.output_bytes,
      show: formatBytes,
    }),
    { name: text('runParts.budget.time'), used: wall_ms, limit: undefined, show: formatSpan },
  ];
}
