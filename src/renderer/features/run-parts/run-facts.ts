import type { ApprovalState, NodeState, RunState } from '#shared/session-state';

/** Numbers and names about a run that more than one view shows. */
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
    // A question of an interrupted run can still be answered: then the run goes on.
    open:
      active || run.status === 'interrupted'
        ? run.approvals.filter((approval) => approval.status === 'open')
        : [],
  };
}

/** Whether the end of a write is unknown: until the user says how it ended, nothing is offered that could make it again. */
export function hasUnknownOutcome({ writes }: RunState): boolean {
  return writes.some(({ outcome }) => outcome === 'unknown');
}

/** The title a plan gives a node; its id when there is none. */
export function titleOf(run: RunState, nodeId: string): string {
  return run.plan?.nodes.find((node) => node.id === nodeId)?.title ?? nodeId;
}

/** What a node says about itself; nothing when that is only what its error says anyway. */
export function summaryOf({ summary, error }: NodeState): string {
  if (!error || summary === '') return summary;
  return summary.includes(error.message) || error.message.includes(summary) ? '' : summary;
}

/** Milliseconds from start to end, or to now. */
export function spanOf(timed: { startedAt?: number; endedAt?: number }, now: number): number | undefined {
  return timed.startedAt === undefined ? undefined : (timed.endedAt ?? now) - timed.startedAt;
}
