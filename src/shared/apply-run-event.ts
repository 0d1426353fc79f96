import { assertNever } from './result';
import type { SessionEvent, SessionFact } from './session-event';
import type { NodeState, RunState } from './session-state';

type RunFactType =
  | 'plan-made'
  | 'node-started'
  | 'write-intended'
  | 'tool-called'
  | 'approval-requested'
  | 'approval-answered'
  | 'node-ended'
  | 'run-ended'
  | 'run-interrupted';
export type RunFact = Extract<SessionFact, { type: RunFactType }> & Pick<SessionEvent, 'at'>;

/** The newest calls a node keeps in the state; the full list stays in the events. */
const callsKept = 200;

const pendingNode = (id: string): NodeState => ({
  id,
  status: 'pending',
  summary: '',
  calls: [],
  callCount: 0,
  cached: false,
});

function changeNode(run: RunState, nodeId: string, change: (node: NodeState) => NodeState): RunState {
  return { ...run, nodes: run.nodes.map((node) => (node.id === nodeId ? change(node) : node)) };
}

function settleWrites(run: RunState, outcome: 'unknown'): RunState['writes'] {
  return run.writes.map((write) => (write.outcome === 'intended' ? { ...write, outcome } : write));
}

function toolCalled(run: RunState, fact: Extract<RunFact, { type: 'tool-called' }>): RunState {
  const { call } = fact;
  const next = changeNode(run, fact.nodeId, (node) => ({
    ...node,
    calls: [...node.calls.slice(-(callsKept - 1)), call],
    callCount: node.callCount + 1,
  }));
  if (!run.writes.some((write) => write.callId === call.callId)) return next;
  return {
    ...next,
    writes: run.writes.map((write) =>
      write.callId === call.callId ? { ...write, outcome: call.outcome } : write,
    ),
  };
}

function nodeEnded(run: RunState, fact: Extract<RunFact, { type: 'node-ended' }>): RunState {
  const { type: _type, at, turn: _turn, runId: _runId, nodeId, ...result } = fact;
  const { status, summary, state, artifacts, metrics, log, error, cached } = result;
  return changeNode(run, nodeId, (node) => ({
    ...node,
    status,
    summary,
    cached,
    endedAt: at,
    ...(state && { state }),
    ...(artifacts && { artifacts }),
    ...(metrics && { metrics }),
    ...(log && { log }),
    ...(error && { error }),
  }));
}

function planMade(run: RunState, fact: Extract<RunFact, { type: 'plan-made' }>): RunState {
  const { plan, planHash, source, recipeId, params } = fact;
  return {
    ...run,
    status: 'running',
    plan,
    planHash,
    source,
    nodes: plan.nodes.map((node) => pendingNode(node.id)),
    ...(recipeId && { recipeId }),
    ...(params && { params }),
  };
}

function runEnded(run: RunState, fact: Extract<RunFact, { type: 'run-ended' }>): RunState {
  const { outcome, answer, usage, summaryHash, error, at } = fact;
  return {
    ...run,
    status: outcome,
    answer,
    usage,
    endedAt: at,
    writes: settleWrites(run, 'unknown'),
    approvals: expireApprovals(run),
    ...(summaryHash && { summaryHash }),
    ...(error && { error }),
  };
}

function expireApprovals(run: RunState): RunState['approvals'] {
  return run.approvals.map((approval) =>
    approval.status === 'open' ? { ...approval, status: 'expired' } : approval,
  );
}

function interrupted(run: RunState, at: number): RunState {
  return {
    ...run,
    status: 'interrupted',
    endedAt: at,
    writes: settleWrites(run, 'unknown'),
    approvals: expireApprovals(run),
    nodes: run.nodes.map((node) =>
      node.status === 'running' || node.status === 'waiting'
        ? { ...node, status: 'cancelled', endedAt: at }
        : node,
    ),
  };
}

function approvalRequested(run: RunState, fact: Extract<RunFact, { type: 'approval-requested' }>): RunState {
  const { approvalId, nodeId, tool, hash } = fact;
  const next = changeNode(run, nodeId, (node) => ({ ...node, status: 'waiting' }));
  return {
    ...next,
    approvals: [
      ...run.approvals,
      { approvalId, nodeId, tool, arguments: fact.arguments, hash, status: 'open' },
    ],
  };
}

function approvalAnswered(run: RunState, fact: Extract<RunFact, { type: 'approval-answered' }>): RunState {
  const asked = run.approvals.find((approval) => approval.approvalId === fact.approvalId);
  if (!asked) return run;
  const approvals = run.approvals.map((approval) =>
    approval === asked
      ? { ...approval, status: fact.approved ? ('approved' as const) : ('denied' as const) }
      : approval,
  );
  const waiting = approvals.some(
    (approval) => approval.nodeId === asked.nodeId && approval.status === 'open',
  );
  const next = waiting ? run : changeNode(run, asked.nodeId, (node) => ({ ...node, status: 'running' }));
  return { ...next, approvals };
}

function nodeStarted(run: RunState, fact: Extract<RunFact, { type: 'node-started' }>): RunState {
  const { nodeId, at, snapshot } = fact;
  const started = { status: 'running' as const, startedAt: at, ...(snapshot && { snapshot }) };
  return changeNode(run, nodeId, (node) => ({ ...node, ...started }));
}

/** What one fact makes of a run; pure, and the same in main and in the window. */
export function applyRunEvent(run: RunState, fact: RunFact): RunState {
  switch (fact.type) {
    case 'plan-made':
      return planMade(run, fact);
    case 'node-started':
      return nodeStarted(run, fact);
    case 'write-intended': {
      const { callId, nodeId, tool } = fact;
      return {
        ...run,
        writes: [...run.writes, { callId, nodeId, tool, arguments: fact.arguments, outcome: 'intended' }],
      };
    }
    case 'tool-called':
      return toolCalled(run, fact);
    case 'approval-requested':
      return approvalRequested(run, fact);
    case 'approval-answered':
      return approvalAnswered(run, fact);
    case 'node-ended':
      return nodeEnded(run, fact);
    case 'run-ended':
      return runEnded(run, fact);
    case 'run-interrupted':
      return interrupted(run, fact.at);
    default:
      return assertNever(fact);
  }
}
