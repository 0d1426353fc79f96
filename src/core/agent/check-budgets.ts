import { appError, type AppError } from '#shared/app-error';
import { howToRaise, type Budgets } from '#shared/budgets';
import type { Plan, PlanNode } from '#shared/plan';

/** The number of tool calls in a node's code; each runs at least once unless the script branches. */
export type CallSites = ReadonlyMap<string, number>;

function nodeBudgetProblem(node: PlanNode, sites: number, budgets: Budgets): readonly AppError[] {
  const calls = Math.min(node.budgets?.tool_calls ?? Infinity, budgets.node.tool_calls);
  if (sites <= calls) return [];
  const message = `its code has ${sites} tool calls; the limit for the step is ${calls}.`;
  const hint = howToRaise('node', 'tool_calls', calls);
  return [appError('BUDGET', 'TOOL_CALLS', message, { node: node.id, hint })];
}

/** BUDGET/NODE_LIMIT for a plan with too many steps, whichever limit it exceeds. */
export function tooManyNodes(count: number, budgets: Budgets): AppError {
  const maxNodeCount = budgets.run.nodes;
  const message = `The plan has ${count} steps; the limit for a run is ${maxNodeCount}.`;
  return appError('BUDGET', 'NODE_LIMIT', message, { hint: howToRaise('run', 'nodes', maxNodeCount) });
}

/** Whether a plan can stay within its budgets at all: its steps, and the tool calls in its code. Pure. */
export function checkBudgets(plan: Plan, sites: CallSites, budgets: Budgets): readonly AppError[] {
  const { nodes, tool_calls: callsOfRun } = budgets.run;
  const steps = plan.nodes.length > nodes ? [tooManyNodes(plan.nodes.length, budgets)] : [];
  const perNode = plan.nodes.flatMap((node) => nodeBudgetProblem(node, sites.get(node.id) ?? 0, budgets));
  const all = [...sites.values()].reduce((sum, count) => sum + count, 0);
  if (all <= callsOfRun) return [...steps, ...perNode];
  const message = `The plan's code has ${all} tool calls; the limit for a run is ${callsOfRun}.`;
  const hint = howToRaise('run', 'tool_calls', callsOfRun);
  return [...steps, ...perNode, appError('BUDGET', 'TOOL_CALLS', message, { hint })];
}
