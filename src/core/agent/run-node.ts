import { appError, type AppError } from '#shared/app-error';
import { addUsage } from '#shared/model';
import { addMetrics } from '#shared/node-metrics';
import { assertNever } from '#shared/result';
import type { JsonObject } from '#shared/json';
import { canonicalHash } from '../tools/canonical-hash';
import { nextStepOnFailure } from './next-step';
import { cancelledNode, failed, type NodeOutcome, type NodeTask, type RunContext } from './node-run';
import { delay, raceAbort } from './run-lifecycle';
import { runLlmNode } from './run-llm-node';
import { tokensIn } from './run-meter';
import { runScriptNode } from './run-script-node';
import { createApprovalBatcher } from '../tools/approvals';

function attemptKind(run: RunContext, task: NodeTask): Promise<NodeOutcome> {
  switch (task.node.kind) {
    case 'script':
      return runScriptNode(run, task);
    case 'approval':
      return runApprovalNode(run, task);
    case 'llm':
      return runLlmNode(run, task);
    default:
      return assertNever(task.node.kind);
  }
}

/**
 * The outcome of a node in a run that is being stopped: cancelled when the user stopped it, failed when it
 * exceeded a limit.
 */
function stopped(id: string, reason: AppError | null): NodeOutcome {
  return reason === null || reason.code === 'CANCELLED' ? cancelledNode(id) : failed(id, reason);
}

/** Records a node's start with its workspace snapshot; returns a failed outcome if it cannot start. */
export function recordStart(run: RunContext, nodeId: string): NodeOutcome | null {
  const snapshot = run.request.beginNode();
  const bound = snapshot.ok && snapshot.value !== null ? { snapshot: snapshot.value } : {};
  run.facts.record([{ type: 'node-started', turn: run.request.turn, runId: run.runId, nodeId, ...bound }]);
  return snapshot.ok ? null : failed(nodeId, snapshot.error);
}

/** A node's outcome, including the usage of its earlier attempts. */
function withSpent(end: NodeOutcome, before: NodeOutcome | null): NodeOutcome {
  if (!before) return end;
  const metrics = before.metrics && end.metrics ? addMetrics(before.metrics, end.metrics) : before.metrics;
  const usage = before.usage && end.usage ? addUsage(before.usage, end.usage) : before.usage;
  return { ...end, attempts: 2, ...(metrics && { metrics }), ...(usage && { usage }) };
}

const afterAttempt = (task: NodeTask, before: NodeOutcome | null): NodeTask =>
  before?.usage ? { ...task, usedTokens: tokensIn(before.usage) } : task;

/** Adds the reason why a retry was skipped: the failure needs a longer wait than the run has time left. */
function tooLate(end: NodeOutcome, error: AppError, waitMs: number, msLeft: number): NodeOutcome {
  const seconds = (ms: number): number => Math.ceil(Math.max(0, ms) / 1_000);
  const hint = `A retry could work in ${seconds(waitMs)} s, but the run has only ${seconds(msLeft)} s left (budgets.json: run.wall_ms).`;
  return { ...end, error: { ...error, hint: [error.hint, hint].filter(Boolean).join(' ') } };
}

/** Waits as long as a failure asks for, and while the user pauses the run. */
async function waitToRetry({ clock, life }: RunContext, waitMs: number): Promise<void> {
  await delay(clock, waitMs, life.signal);
  const whenResumed = life.whenResumed();
  if (whenResumed) await raceAbort(whenResumed, life.signal);
}

/** Makes one attempt at a node; stopping the run ends it at once. */
async function attemptNode(run: RunContext, task: NodeTask): Promise<NodeOutcome> {
  const { life } = run;
  const { id } = task.node;
  const refused = recordStart(run, id);
  if (refused) return refused;
  const end = await raceAbort(attemptKind(run, task), life.signal);
  return life.signal.aborted && end?.status !== 'done'
    ? stopped(id, life.reason())
    : (end ?? cancelledNode(id));
}

/** Runs a node; retries once if the failure may be temporary and nothing can happen twice. Never throws. */
export async function runNode(run: RunContext, task: NodeTask): Promise<NodeOutcome> {
  const { life, writes, facts, request, runId } = run;
  const { id } = task.node;
  let before: NodeOutcome | null = null;
  for (let attempt = 1; ; attempt++) {
    const end = withSpent(await attemptNode(run, afterAttempt(task, before)), before);
    const { error, metrics, usage } = end;
    if (life.signal.aborted) return end;
    // A write that was taken as made is not in place: this attempt makes it.
    if (!error && writes.discardOutdated(id)) {
      before = end;
      continue;
    }
    if (!error) return end;
    const msLeft = life.wallLeft();
    const attempted = {
      attempt,
      onlyRead: writes.requested(id).all === 0,
      hasUnknownOutcome: writes.hasUnknownOutcome(id),
      msLeft,
    };
    const next = nextStepOnFailure(task.node, error, attempted);
    if (next.type !== 'retry')
      return next.tooLongMs === undefined ? end : tooLate(end, error, next.tooLongMs, msLeft);
    const spent = { ...(metrics && { metrics }), ...(usage && { usage }) };
    const about = { turn: request.turn, runId, nodeId: id, error, waitMs: next.waitMs };
    facts.record([{ type: 'attempt-failed', ...about, ...spent }]);
    before = end;
    await waitToRetry(run, next.waitMs);
    if (life.signal.aborted) return withSpent(stopped(id, life.reason()), before);
  }
}
const tool = 'request_user_approval';

/** Asks the node's question; a refusal fails the node (POLICY/APPROVAL_DENIED) and skips its dependents. */
async function runApprovalNode(run: RunContext, { node, inputs, origins }: NodeTask): Promise<NodeOutcome> {
  const args: JsonObject = {
    action: node.prompt ?? node.title,
    ...(node.params && { arguments: node.params }),
    inputs,
  };
  const question = {
    turn: run.request.turn,
    runId: run.runId,
    nodeId: node.id,
    tool,
    arguments: args,
    ...(origins.length > 0 && { origins }),
  };
  const hash = canonicalHash({ tool, arguments: args });
  const { ids, clock, approvals, facts } = run;
  const { approve } = run.request;
  const approvalBatcher = createApprovalBatcher({
    ids,
    clock,
    approvals,
    approve,
    facts,
    onWaiting: run.life.wait,
  });
  const { answer } = await approvalBatcher.ask({ ...question, hash }, run.life.signal);
  if (answer.type === 'withdrawn') return cancelledNode(node.id);
  if (answer.type === 'approved') {
    return { id: node.id, status: 'done', summary: 'Approved.', state: { approved: true }, cached: false };
  }
  const message = `“${node.title}” was not approved.`;
  return failed(node.id, appError('POLICY', 'APPROVAL_DENIED', message, { layer: 'approval' }));
}
