import type { ApprovalState, NodeState, RunState } from '#shared/session-state';

/** Numbers and names of a run that several views show. */
export interface RunFacts {
  readonly active: boolean;
  readonly ended: number;
  readonly total: number;
  readonly calls: number;
  readonly current: NodeState | undefined;
  readonly open: readonly ApprovalState[];
}

export function isActive(run: RunState): boolean {
  return run.status === 'planning' || run.status === 'running';
}

export function hasEnded(node: NodeState): boolean {
  return node.endedAt !== undefined || ['done', 'failed', 'skipped', 'cancelled'].includes(node.status);
}

export function factsOf(run: RunState): RunFacts {
  const active = isActive(run);
  return {
    active,
    ended: run.nodes.filter(hasEnded).length,
    total: run.nodes.length,
    calls: run.nodes.reduce((sum, node) => sum + node.callCount, 0),
    current:
      run.nodes.find((node) => node.status === 'waiting') ??
      run.nodes.find((node) => node.status === 'running'),
    // A question of an interrupted run can still be answered; then the run resumes.
    open:
      active || run.status === 'interrupted'
        ? run.approvals.filter((approval) => approval.status === 'open')
        : [],
  };
}

/**
 * Whether the outcome of a write is unknown: until the user confirms it, no action is offered that could
 * repeat the write.
 */
export function hasUnknownOutcome({ writes }: RunState): boolean {
  return writes.some(({ outcome }) => outcome === 'unknown');
}

/** The title that a plan gives a node, or its id without one. */
export function titleOf(run: RunState, nodeId: string): string {
  return run.plan?.nodes.find((node) => node.id === nodeId)?.title ?? nodeId;
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
