import { approvalAnswered, approvalEdited, approvalRequested } from './apply-approval-event';
import { applyReplanEvent, closeRevision } from './apply-replan-event';
import { changeNode } from './change-node';
import { applyWriteEvent } from './apply-write-event';
import { withSpent } from './count-spent';
import { spentNothing } from './run-spent';
import type { SessionEvent, SessionFact } from './session-event';
import type { NodeState, RunState } from './session-state';

type RunFactType =
  | 'plan-made'
  | 'replan-started'
  | 'plan-revised'
  | 'replan-failed'
  | 'node-started'
  | 'attempt-failed'
  | 'model-called'
  | 'write-intended'
  | 'write-refused'
  | 'tool-called'
  | 'approval-requested'
  | 'approval-answered'
  | 'approval-edited'
  | 'grants-given'
  | 'run-resumed'
  | 'run-paused'
  | 'run-continued'
  | 'write-settled'
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

function toolCalled(run: RunState, fact: Extract<RunFact, { type: 'tool-called' }>): RunState {
  const { call, at } = fact;
  return changeNode(run, fact.nodeId, (node) => ({
    ...node,
    calls: [...node.calls.slice(-(callsKept - 1)), { ...call, endedAt: at }],
    callCount: node.callCount + 1,
  }));
}

function nodeEnded(run: RunState, fact: Extract<RunFact, { type: 'node-ended' }>): RunState {
  const { type: _type, at, turn: _turn, runId: _runId, nodeId, ...result } = fact;
  const { status, summary, state, artifacts, metrics, usage, log, error, cached, origins } = result;
  return changeNode(run, nodeId, (node) => ({
    ...node,
    status,
    summary,
    cached,
    endedAt: at,
    ...(state && { state }),
    ...(artifacts && { artifacts }),
    ...(metrics && { metrics }),
    ...(usage && { usage }),
    ...(log && { log }),
    ...(error && { error }),
    ...(origins && { origins }),
  }));
}

function planMade(run: RunState, fact: Extract<RunFact, { type: 'plan-made' }>): RunState {
  const { plan, planHash, source, recipeId, params, announces } = fact;
  return {
    ...run,
    status: 'running',
    plan,
    planHash,
    source,
    nodes: plan.nodes.map((node) => pendingNode(node.id)),
    ...(recipeId && { recipeId }),
    ...(params && { params }),
    ...(announces && { announces }),
  };
}

/** What a run keeps when it goes on; questions nobody waits behind any more are closed. */
function runResumed(
  run: RunState,
  { kept, budgets, at }: Extract<RunFact, { type: 'run-resumed' }>,
): RunState {
  const {
    endedAt: _at,
    answer: _answer,
    error: _error,
    summaryHash: _hash,
    receipt: _receipt,
    writesFrom: _writesFrom,
    answerCached: _answerCached,
    ...rest
  } = run;
  return {
    ...rest,
    status: 'running',
    ...(budgets && { budgets, spent: spentNothing(at) }),
    approvals: expireApprovals(run),
    nodes: run.nodes.map((node) => (kept.includes(node.id) ? node : pendingNode(node.id))),
  };
}

function runEnded(run: RunState, fact: Extract<RunFact, { type: 'run-ended' }>): RunState {
  const { outcome, answer, writesFrom, answerCached, usage, receipt, summaryHash, error, at } = fact;
  return {
    ...closeRevision(run),
    status: outcome,
    paused: false,
    answer,
    usage,
    endedAt: at,
    approvals: expireApprovals(run),
    ...(writesFrom !== undefined && { writesFrom }),
    ...(answerCached && { answerCached }),
    ...(receipt && { receipt }),
    ...(summaryHash && { summaryHash }),
    ...(error && { error }),
  };
}

function expireApprovals(run: RunState): RunState['approvals'] {
  return run.approvals.map((approval) =>
    approval.status === 'open' ? { ...approval, status: 'expired' } : approval,
  );
}

/** Open approvals stay open: an answer given later makes the run go on with it. */
function interrupted(run: RunState, at: number): RunState {
  return {
    ...closeRevision(run),
    status: 'interrupted',
    endedAt: at,
    paused: false,
    nodes: run.nodes.map((node) =>
      node.status === 'running' || node.status === 'waiting'
        ? { ...node, status: 'cancelled', endedAt: at }
        : node,
    ),
  };
}

function nodeStarted(run: RunState, fact: Extract<RunFact, { type: 'node-started' }>): RunState {
  const { nodeId, at, snapshot } = fact;
  const started = { status: 'running' as const, ...(snapshot && { snapshot }) };
  return changeNode(run, nodeId, (node) => {
    if (!node.failedAttempts) return { ...node, ...started, startedAt: at };
    const failedAttempts = node.failedAttempts.map((attempt) => ({ ...attempt, retried: true }));
    return { ...node, ...started, failedAttempts };
  });
}

function attemptFailed(run: RunState, fact: Extract<RunFact, { type: 'attempt-failed' }>): RunState {
  const { nodeId, error, waitMs, at } = fact;
  const attempt = { error, at, retryAt: at + waitMs, retried: false };
  return changeNode(run, nodeId, (node) => ({
    ...node,
    failedAttempts: [...(node.failedAttempts ?? []), attempt],
  }));
}

/** What a fact means for the writes alone is in `applyWriteEvent`. */
const asItIs = (run: RunState): RunState => run;

/** One row per fact; a fact without a row does not compile. */
const folds: {
  readonly [T in RunFactType]: (run: RunState, fact: Extract<RunFact, { type: T }>) => RunState;
} = {
  'plan-made': planMade,
  'replan-started': applyReplanEvent,
  'plan-revised': applyReplanEvent,
  'replan-failed': applyReplanEvent,
  'node-started': nodeStarted,
  'attempt-failed': attemptFailed,
  'model-called': (run, { model }) => ({ ...run, model }),
  'write-intended': asItIs,
  'write-refused': asItIs,
  'tool-called': toolCalled,
  'approval-requested': approvalRequested,
  'approval-answered': approvalAnswered,
  'approval-edited': approvalEdited,
  'grants-given': (run, { grants }) => ({ ...run, grants: [...(run.grants ?? []), ...grants] }),
  'run-resumed': runResumed,
  'run-paused': (run) => ({ ...run, paused: true }),
  'run-continued': (run) => ({ ...run, paused: false }),
  'write-settled': asItIs,
  'node-ended': nodeEnded,
  'run-ended': runEnded,
  'run-interrupted': (run, { at }) => interrupted(run, at),
};

/** What one fact makes of a run; pure, and the same in main and in the window. */
export function applyRunEvent(run: RunState, fact: RunFact): RunState {
  // The table pairs each type with its own fold, which the compiler cannot follow through the lookup.
  const fold = folds[fact.type] as (run: RunState, fact: RunFact) => RunState;
  return withSpent(applyWriteEvent(fold(run, fact), fact), fact);
}
