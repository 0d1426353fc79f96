import type { AppError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import type { PlanNode } from '#shared/plan';
import { assertNever } from '#shared/result';
import type { CheckedPlan } from './check-plan';
import { nextStepOnFailure } from './next-step';
import { cancelledNode, failed, type NodeEnd, type NodeTask, type RunContext } from './node-run';
import { runApprovalNode } from './run-approval-node';
import { unlessAborted } from './run-life';
import { runLlmNode } from './run-llm-node';
import { runScriptNode } from './run-script-node';

/** Independent nodes that may run at the same time. */
const nodesAtOnce = 4;

function runKind(run: RunContext, task: NodeTask): Promise<NodeEnd> {
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

/** The end of a node whose run is being stopped: the user's stop cancels it, a broken limit fails it. */
function stopped(id: string, reason: AppError | null): NodeEnd {
  return reason === null || reason.code === 'CANCELLED' ? cancelledNode(id) : failed(id, reason);
}

/** Records that a node begins, with the workspace snapshot it is bound by; what keeps it from beginning ends it. */
function start(run: RunContext, nodeId: string): NodeEnd | null {
  const snapshot = run.request.beginNode();
  const bound = snapshot.ok && snapshot.value !== null ? { snapshot: snapshot.value } : {};
  run.facts.record([{ type: 'node-started', turn: run.request.turn, runId: run.runId, nodeId, ...bound }]);
  return snapshot.ok ? null : failed(nodeId, snapshot.error);
}

async function runNode(run: RunContext, task: NodeTask): Promise<NodeEnd> {
  const { id } = task.node;
  for (let attempt = 1; ; attempt++) {
    const refused = start(run, id);
    if (refused) return refused;
    const end = await unlessAborted(runKind(run, task), run.life.signal);
    if (end === null || run.life.signal.aborted)
      return end?.status === 'done' ? end : stopped(id, run.life.reason());
    if (end.error === undefined || nextStepOnFailure(task.node, end.error, attempt).type === 'give-up')
      return end;
  }
}

function endFact(run: RunContext, end: NodeEnd) {
  const { id, log, artifacts, ...rest } = end;
  const fact = { type: 'node-ended' as const, turn: run.request.turn, runId: run.runId, nodeId: id };
  return { ...fact, ...rest, ...(artifacts && { artifacts: [...artifacts] }), ...(log && { log: [...log] }) };
}

/** A step that cannot run because one before it did not end well. */
function skipped(node: PlanNode, ends: ReadonlyMap<string, NodeEnd>): NodeEnd | null {
  const broken = node.deps.find((dep) => ends.has(dep) && ends.get(dep)?.status !== 'done');
  if (broken === undefined) return null;
  return { id: node.id, status: 'skipped', summary: `"${broken}" did not finish.`, cached: false };
}

const inputsOf = (node: PlanNode, ends: ReadonlyMap<string, NodeEnd>): JsonObject =>
  Object.fromEntries(node.deps.map((dep) => [dep, ends.get(dep)?.state ?? {}]));

/**
 * Walks the plan in dependency order, independent nodes side by side, and records each node's start and end.
 * Returns the ends in plan order whatever the order of completion; every node has one. Never throws.
 */
export async function executePlan(run: RunContext, checked: CheckedPlan): Promise<readonly NodeEnd[]> {
  const ends = new Map<string, NodeEnd>();
  const running = new Map<string, Promise<void>>();
  const waiting = [...checked.order];
  const finish = (end: NodeEnd): void => {
    ends.set(end.id, end);
    running.delete(end.id);
    run.facts.record([endFact(run, end)]);
  };
  const launch = (node: PlanNode): void => {
    const task = { node, inputs: inputsOf(node, ends), tools: checked.toolsOf.get(node.id) ?? [] };
    running.set(node.id, runNode(run, task).then(finish));
  };
  const startReady = (): void => {
    for (const node of [...waiting]) {
      const skip = run.life.signal.aborted ? null : skipped(node, ends);
      const ready = node.deps.every((dep) => ends.has(dep));
      if (!run.life.signal.aborted && !skip && (!ready || running.size >= nodesAtOnce)) continue;
      waiting.splice(waiting.indexOf(node), 1);
      if (run.life.signal.aborted) finish(cancelledNode(node.id));
      else if (skip) finish(skip);
      else launch(node);
    }
  };
  startReady();
  while (running.size > 0) {
    await Promise.race(running.values());
    startReady();
  }
  return checked.plan.nodes.flatMap((node) => ends.get(node.id) ?? []);
}
