import { changeNode } from './change-node';
import type { FactOf } from './session-event';
import type { ApprovalState, RunState } from './session-state';

const changeApproval = (
  run: RunState,
  approvalId: string,
  change: (approval: ApprovalState) => ApprovalState,
): RunState['approvals'] =>
  run.approvals.map((approval) => (approval.approvalId === approvalId ? change(approval) : approval));

export function approvalRequested(run: RunState, fact: FactOf<'approval-requested'>): RunState {
  const { approvalId, nodeId, tool, hash, card, origins } = fact;
  const next = changeNode(run, nodeId, (node) => ({ ...node, status: 'waiting' }));
  const asked: ApprovalState = {
    approvalId,
    nodeId,
    tool,
    arguments: fact.arguments,
    hash,
    status: 'open',
    ...(card !== undefined && { card }),
    ...(origins && { origins }),
  };
  return { ...next, approvals: [...run.approvals, asked] };
}

/** An edit voids what was shown: from now on the new hash is what a yes must name. */
export function approvalEdited(run: RunState, fact: FactOf<'approval-edited'>): RunState {
  const { approvalId, hash } = fact;
  const edit = (approval: ApprovalState): ApprovalState =>
    approval.status === 'open' ? { ...approval, arguments: fact.arguments, hash, edited: true } : approval;
  return { ...run, approvals: changeApproval(run, approvalId, edit) };
}

export function approvalAnswered(run: RunState, fact: FactOf<'approval-answered'>): RunState {
  const asked = run.approvals.find((approval) => approval.approvalId === fact.approvalId);
  if (!asked) return run;
  const status = fact.approved ? ('approved' as const) : ('denied' as const);
  const approvals = changeApproval(run, fact.approvalId, (approval) => ({ ...approval, status }));
  const waiting = approvals.some(
    (approval) => approval.nodeId === asked.nodeId && approval.status === 'open',
  );
  const next = waiting ? run : changeNode(run, asked.nodeId, (node) => ({ ...node, status: 'running' }));
  return { ...next, approvals };
}
