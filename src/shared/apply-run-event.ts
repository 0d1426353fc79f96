import { applyReplanEvent, closeRevision } from './apply-replan-event';
import { applyWriteEvent } from './apply-write-event';
import { addUsage, noUsage } from './model';
import { zeroSpent, type RunSpent } from './run-spent';
import type { FactOf, SessionEvent, SessionFact } from './session-event';
import {
  waitingPlan,
  type ApprovalState,
  type NodeState,
  type Rerun,
  type RunState,
  type StageState,
} from './session-state';

type RunFactType =
  | 'plan-proposed'
  | 'plan-reviewed'
  | 'plan-made'
  | 'replan-started'
  | 'plan-revised'
  | 'replan-failed'
  | 'node-started'
  | 'attempt-failed'
  | 'node-progressed'
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
  | 'write-undo-intended'
  | 'write-undone'
  | 'stage-ended'
  | 'planning-started'
  | 'model-step-ended'
  | 'planning-answered'
  | 'node-ended'
  | 'run-ended'
  | 'run-interrupted';
export type RunFact = Extract<SessionFact, { type: RunFactType }> & Pick<SessionEvent, 'at'>;

/** Maximum calls per node in the state; the events contain all of them. */
const maxCalls = 200;

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
    calls: [...node.calls.slice(-(maxCalls - 1)), { ...call, endedAt: at }],
    callCount: node.callCount + 1,
  }));
}

function nodeEnded(run: RunState, fact: Extract<RunFact, { type: 'node-ended' }>): RunState {
  const { type: _type, at, turn: _turn, runId: _runId, nodeId, ...result } = fact;
  const { status, summary, state, artifacts, metrics, usage, items, log, error, cached, origins } = result;
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
    ...(items && { items }),
    ...(log && { log }),
    ...(error && { error }),
    ...(origins && { origins }),
  }));
}

function planProposed(run: RunState, fact: Extract<RunFact, { type: 'plan-proposed' }>): RunState {
  const { stage, plan, planHash, source, recipeId, params, look, suggested, writes, cost, following } = fact;
  const proposal = {
    stage,
    plan,
    planHash,
    source,
    ...(recipeId !== undefined && { recipeId }),
    ...(params && { params }),
    ...(look && { look }),
    ...(suggested && { suggested }),
    ...(writes && { writes }),
    ...(cost !== undefined && { cost }),
    ...(following && { following }),
  };
  return { ...run, proposal };
}

function planReviewed(run: RunState, fact: Extract<RunFact, { type: 'plan-reviewed' }>): RunState {
  const { stage, planHash, changes, plan, params } = fact;
  if (run.proposal?.stage !== stage) return run;
  const reviewed = { planHash, changes, ...(plan && { plan }), ...(params && { params }) };
  return { ...run, proposal: { ...run.proposal, reviewed } };
}

/** What the user changed in a proposed plan. */
function changesOf(proposal: RunState['proposal']): Pick<StageState, 'changes'> {
  const { changes = [] } = proposal?.reviewed ?? {};
  return changes.length > 0 ? { changes } : {};
}

/** The recipe of a plan, and whether a model chose it or the tool in its place. */
const chosenRecipe = (
  { recipeId, params }: Extract<RunFact, { type: 'plan-made' }>,
  proposal: RunState['proposal'],
): Pick<RunState, 'recipeId' | 'params' | 'suggested'> => ({
  ...(recipeId && { recipeId }),
  ...(params && { params }),
  ...(proposal?.suggested && { suggested: true }),
});

function planMade(run: RunState, fact: Extract<RunFact, { type: 'plan-made' }>): RunState {
  const { plan, planHash, source, announces, look, origins = [], following } = fact;
  const { proposal, ...rest } = run;
  const { stages: earlier = [], nodes, writes, approvals } = rest;
  const added = new Set(plan.nodes.map(({ id }) => id));
  const stage = {
    stage: fact.stage ?? 1,
    plan,
    planHash,
    replaced: nodes.filter(({ id }) => added.has(id)),
    writes: writes.length,
    approvals: approvals.length,
    origins,
    ...(look && { look }),
    ...(announces && { announces }),
    ...(following && { following }),
    ...changesOf(proposal),
  };
  const merged = { ...run.announces, ...announces };
  return {
    ...rest,
    status: 'running',
    plan: { ...plan, nodes: [...(run.plan?.nodes ?? []).filter(({ id }) => !added.has(id)), ...plan.nodes] },
    planHash,
    source,
    nodes: [...nodes.filter(({ id }) => !added.has(id)), ...plan.nodes.map(({ id }) => pendingNode(id))],
    stages: [...earlier, stage],
    ...chosenRecipe(fact, proposal),
    ...(Object.keys(merged).length > 0 && { announces: merged }),
  };
}

function stageEnded(run: RunState, fact: Extract<RunFact, { type: 'stage-ended' }>): RunState {
  const { stage, summaryHash } = fact;
  const stages = run.stages?.map((one) => (one.stage === stage ? { ...one, summaryHash } : one));
  return { ...run, ...(stages && { stages }) };
}

const rerunOf = ({ writes, approvals }: RunState, nodes: readonly string[]): Rerun => ({
  nodes,
  writes: writes.length,
  approvals: approvals.length,
});

/**
 * Resets a run for resuming but keeps the results of `kept` nodes; closes approvals that no call waits for.
 */
function runResumed(
  run: RunState,
  { kept: reused, budgets, rerun = [], at }: Extract<RunFact, { type: 'run-resumed' }>,
): RunState {
  const {
    endedAt: _at,
    answer: _answer,
    error: _error,
    summaryHash: _hash,
    receipt: _receipt,
    writesFrom: _writesFrom,
    answerCached: _answerCached,
    asks: _asks,
    ranOut: _ranOut,
    ...rest
  } = run;
  // An interruption gives no tokens back; a run that is resumed after its end begins with new budgets.
  const tokens = run.status === 'interrupted' ? tokensOf({ usage: run.called }) : 0;
  return {
    ...rest,
    status: run.stages ? 'running' : 'planning',
    ...(budgets && { budgets }),
    ...((budgets ?? run.spent) && { spent: { ...zeroSpent(at), tokens } }),
    approvals: expireApprovals(run),
    nodes: run.nodes.map((node) => (reused.includes(node.id) ? node : pendingNode(node.id))),
    ...(rerun.length > 0 && { reruns: [...(run.reruns ?? []), rerunOf(run, rerun)] }),
  };
}

/**
 * The model goes on from the results, so steps that ended without an answer, such as those that a line cancelled,
 * wait for none any more. Until then, a run that is interrupted can still be resumed with the answer.
 */
function planningAnswered(
  run: RunState,
  { stage, callId, content }: Extract<RunFact, { type: 'planning-answered' }>,
): RunState {
  const ended = new Set(run.nodes.flatMap(({ id, endedAt }) => (endedAt === undefined ? [] : [id])));
  return {
    ...run,
    approvals: expireApprovals(run, ({ nodeId }) => ended.has(nodeId)),
    said: [...(run.said ?? []), { role: 'host', stage, content, ...(callId !== undefined && { callId }) }],
  };
}

function runEnded(run: RunState, fact: Extract<RunFact, { type: 'run-ended' }>): RunState {
  const { outcome, answer, writesFrom, answerCached, asks, ranOut, usage, receipt, summaryHash, error, at } =
    fact;
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
    ...(asks && { asks }),
    ...(ranOut && { ranOut }),
    ...(receipt && { receipt }),
    ...(summaryHash && { summaryHash }),
    ...(error && { error }),
  };
}

function expireApprovals(
  run: RunState,
  concerned: (approval: ApprovalState) => boolean = () => true,
): RunState['approvals'] {
  return run.approvals.map((approval) =>
    approval.status === 'open' && concerned(approval) ? { ...approval, status: 'expired' } : approval,
  );
}

/** Open approvals stay open: a later answer resumes the run with it. */
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

/** Used for facts that change only writes, which `applyWriteEvent` handles. */
const asItIs = (run: RunState): RunState => run;

/** One fold per fact; a missing fold does not compile. */
const folds: {
  readonly [T in RunFactType]: (run: RunState, fact: Extract<RunFact, { type: T }>) => RunState;
} = {
  'plan-proposed': planProposed,
  'plan-reviewed': planReviewed,
  'plan-made': planMade,
  'replan-started': applyReplanEvent,
  'plan-revised': applyReplanEvent,
  'replan-failed': applyReplanEvent,
  'node-started': nodeStarted,
  'attempt-failed': attemptFailed,
  'node-progressed': (run, { nodeId, done, of }) =>
    changeNode(run, nodeId, (node) => ({ ...node, progress: { done, of } })),
  'model-called': (run, { model, usage }) => ({
    ...run,
    model,
    called: addUsage(run.called ?? noUsage, usage),
  }),
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
  'write-undo-intended': asItIs,
  'write-undone': asItIs,
  'stage-ended': stageEnded,
  'planning-started': (run, { declared }) => ({ ...run, declared }),
  'model-step-ended': (run, { stage, parts }) => ({
    ...run,
    said: [...(run.said ?? []), { role: 'assistant', stage, parts }],
  }),
  'planning-answered': planningAnswered,
  'node-ended': nodeEnded,
  'run-ended': runEnded,
  'run-interrupted': (run, { at }) => interrupted(run, at),
};

/** Returns the run after one fact; pure, and the same in main and in the window. */
export function applyRunEvent(run: RunState, fact: RunFact): RunState {
  // The table pairs each type with its fold; the compiler cannot follow the lookup.
  const fold = folds[fact.type] as (run: RunState, fact: RunFact) => RunState;
  return withSpent(applyWriteEvent(fold(run, fact), fact), fact);
}
const changeApproval = (
  run: RunState,
  approvalId: string,
  change: (approval: ApprovalState) => ApprovalState,
): RunState['approvals'] =>
  run.approvals.map((approval) => (approval.approvalId === approvalId ? change(approval) : approval));

function approvalRequested(run: RunState, fact: FactOf<'approval-requested'>): RunState {
  const {
    approvalId,
    nodeId,
    tool,
    hash,
    card,
    origins,
    flows,
    file,
    undo,
    again: fileChanged,
    names,
    labels,
    sources,
  } = fact;
  const next = changeNode(run, nodeId, (node) => ({ ...node, status: 'waiting' }));
  const approval: ApprovalState = {
    approvalId,
    nodeId,
    tool,
    arguments: fact.arguments,
    hash,
    status: 'open',
    ...(card !== undefined && { card }),
    ...(origins && { origins }),
    ...(file && { file }),
    ...(undo && { undo }),
    ...(fileChanged && { again: fileChanged }),
    ...(flows && { flows }),
    ...(names && { names }),
    ...(labels && { labels }),
    ...(sources && { sources }),
  };
  return { ...next, approvals: [...run.approvals, approval] };
}

/** An edit invalidates what was shown: an approval must now name the new hash. */
function approvalEdited(run: RunState, fact: FactOf<'approval-edited'>): RunState {
  const { approvalId, hash, file, undo } = fact;
  const edit = ({
    file: _file,
    undo: _undo,
    sources: _sources,
    ...approval
  }: ApprovalState): ApprovalState => ({
    ...approval,
    arguments: fact.arguments,
    hash,
    edited: true,
    originalArguments: approval.originalArguments ?? approval.arguments,
    ...(file && { file }),
    ...(undo && { undo }),
  });
  const change = (approval: ApprovalState) => (approval.status === 'open' ? edit(approval) : approval);
  return { ...run, approvals: changeApproval(run, approvalId, change) };
}

function approvalAnswered(run: RunState, fact: FactOf<'approval-answered'>): RunState {
  const openApproval = run.approvals.find((approval) => approval.approvalId === fact.approvalId);
  if (!openApproval) return run;
  const status = fact.approved ? ('approved' as const) : ('denied' as const);
  const { said: instead } = fact;
  const answer = { status, ...(instead !== undefined && { said: instead }) };
  const approvals = changeApproval(run, fact.approvalId, (approval) => ({ ...approval, ...answer }));
  const waiting = approvals.some(
    (approval) => approval.nodeId === openApproval.nodeId && approval.status === 'open',
  );
  const next = waiting
    ? run
    : changeNode(run, openApproval.nodeId, (node) => ({ ...node, status: 'running' }));
  return { ...next, approvals };
}

/** Returns the run with one node changed. */
function changeNode(run: RunState, nodeId: string, change: (node: NodeState) => NodeState): RunState {
  return { ...run, nodes: run.nodes.map((node) => (node.id === nodeId ? change(node) : node)) };
}
const tokensOf = ({ usage }: { readonly usage?: RunState['usage'] | undefined }): number =>
  usage ? usage.inputTokens + usage.outputTokens : 0;
function added(spent: RunSpent, fact: SessionFact): RunSpent {
  switch (fact.type) {
    case 'tool-called':
      return { ...spent, calls: spent.calls + 1 };
    case 'plan-made':
    case 'plan-revised':
    case 'replan-failed':
    case 'node-ended':
      return { ...spent, tokens: spent.tokens + tokensOf(fact) };
    // The final usage covers every model turn, including the answer's.
    case 'run-ended':
      return { ...spent, tokens: tokensOf(fact) };
    default:
      return spent;
  }
}
function waits(run: RunState): boolean {
  if (run.status !== 'running' && run.status !== 'planning') return false;
  return (
    run.paused === true ||
    waitingPlan(run) !== null ||
    run.approvals.some((approval) => approval.status === 'open')
  );
}
function clocked({ waitingSince, ...spent }: RunSpent, waiting: boolean, at: number): RunSpent {
  if (waiting) return { ...spent, waitingSince: waitingSince ?? at };
  return waitingSince === undefined ? spent : { ...spent, waitedMs: spent.waitedMs + at - waitingSince };
}

/** Adds what a fact spent to the run; does not count when the run's budgets are unknown. Pure. */
export function withSpent(run: RunState, fact: SessionFact & Pick<SessionEvent, 'at'>): RunState {
  if (!run.spent) return run;
  return { ...run, spent: clocked(added(run.spent, fact), waits(run), fact.at) };
}
