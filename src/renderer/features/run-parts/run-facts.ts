import type { ModelCost } from '#shared/plan-review';
import { waitingPlan, type ApprovalState, type NodeState, type RunState } from '#shared/session-state';
import { text } from '../../locales/text';
import { formatCost } from '../../ui/cost-text';
import { formatSpan } from '../../ui/format';
import { shownStatus } from '../../ui/status-mark';

/** About what the model steps of a waiting plan will cost, in words. */
export function costText(cost: ModelCost | null): string {
  if (!cost) return text('run.cost.unknown');
  const { items, inputTokens: input, maxTokens: max, maxUsd } = cost;
  const calls =
    input === null
      ? text('run.cost.withoutInput', { items, max })
      : text('run.cost.known', { items, input, max });
  const price =
    maxUsd === undefined ? text('run.cost.noPrice') : text('run.cost.price', { cost: formatCost(maxUsd) });
  return `${calls} ${price}`;
}

/** Numbers and names of a run that several views show. */
export interface RunFacts {
  readonly active: boolean;
  readonly ended: number;
  readonly total: number;
  readonly calls: number;
  readonly current: NodeState | undefined;
  readonly open: readonly ApprovalState[];
  /** An approval or a plan waits for the user. */
  readonly waits: boolean;
  /** All steps so far have ended, and the model decides from their results what comes next. */
  readonly plansNext: boolean;
}

export function isActive(run: RunState): boolean {
  return run.status === 'planning' || run.status === 'running';
}

export function hasEnded(node: NodeState): boolean {
  return node.endedAt !== undefined || ['done', 'failed', 'skipped', 'cancelled'].includes(node.status);
}

export function factsOf(run: RunState): RunFacts {
  const active = isActive(run);
  // A question of an interrupted run can still be answered; then the run resumes.
  const open =
    active || run.status === 'interrupted'
      ? run.approvals.filter((approval) => approval.status === 'open')
      : [];
  const waits = open.length > 0 || waitingPlan(run) !== null;
  const ended = run.nodes.filter(hasEnded).length;
  return {
    active,
    ended,
    total: run.nodes.length,
    calls: run.nodes.reduce((sum, node) => sum + node.callCount, 0),
    current:
      run.nodes.find((node) => node.status === 'waiting') ??
      run.nodes.find((node) => node.status === 'running'),
    open,
    waits,
    plansNext: active && !waits && ended === run.nodes.length && run.stages?.at(-1)?.look === true,
  };
}

/** The status of a step as it is shown; an approval node has the fate of the step that it announces. */
export function statusOf(run: RunState, { id, status, error }: NodeState): NodeState['status'] | 'declined' {
  const announced = run.announces?.[id];
  const cause = announced === undefined ? error : run.nodes.find((node) => node.id === announced)?.error;
  return shownStatus(status, cause);
}

/** The title that a plan gives a node, or its id without one; an approval node is named by the step that it announces. */
export function titleOf({ plan, announces = {} }: RunState, nodeId: string): string {
  const titled = (id: string): string => plan?.nodes.find((node) => node.id === id)?.title ?? id;
  const announced = Object.hasOwn(announces, nodeId) ? announces[nodeId] : undefined;
  return announced === undefined
    ? titled(nodeId)
    : text('runParts.approval.step', { title: titled(announced) });
}

/** The summary of a node; empty if it only repeats the node's error. */
export function summaryOf({ summary, error }: NodeState): string {
  if (!error || summary === '') return summary;
  return summary.includes(error.message) || error.message.includes(summary) ? '' : summary;
}

/** Milliseconds from start to end, or to now. */
export function spanOf(timed: { startedAt?: number; endedAt?: number }, now: number): number | undefined {
  return timed.startedAt === undefined ? undefined : (timed.endedAt ?? now) - timed.startedAt;
}

/** What the plan shows of a step that began, such as `cached · 3 calls · 0.2 s`; empty before. */
export function stepFacts(node: NodeState, revised: boolean): string {
  const span = node.endedAt === undefined ? undefined : spanOf(node, node.endedAt);
  const facts = [
    revised && text('inspector.plan.replanned'),
    node.cached && text('inspector.plan.cached'),
    node.callCount > 0 && text('shared.calls', { count: node.callCount }),
    span !== undefined && formatSpan(span),
  ];
  return facts.filter(Boolean).join(' · ');
}
