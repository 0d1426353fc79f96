import type { PlanNode } from '#shared/plan';
import { enforcedConstraints } from '#shared/plan-constraint';
import type { RequestedWrites } from '../tools/node-writes';
import { mergeTaintSources } from '../tools/taint-tracker';
import type { CheckedPlan } from './check-plan';
import { cancelledNode, type NodeOutcome, type NodeTask, type RunContext } from './node-run';
import { raceAbort } from './run-lifecycle';
import { recordStart, runNode } from './run-node';

/** Maximum number of independent nodes that run at the same time. */
const maxConcurrentNodes = 4;

function endFact(run: RunContext, end: NodeOutcome) {
  const { id, log, artifacts, origins, attempts: _attempts, ...rest } = end;
  const fact = { type: 'node-ended' as const, turn: run.request.turn, runId: run.runId, nodeId: id };
  return {
    ...fact,
    ...rest,
    ...(artifacts && { artifacts: [...artifacts] }),
    ...(log && { log: [...log] }),
    ...(origins && origins.length > 0 && { origins: [...origins] }),
  };
}

/** Summarizes the writes that a step requested; a refused write was not made, whoever refused it. */
function requestedText({ all, refused }: RequestedWrites): string {
  if (all === 0) return 'The step asked for no write.';
  if (refused === 0) return all === 1 ? 'The write was approved.' : `All ${all} writes were approved.`;
  if (refused === all) return all === 1 ? 'Not approved.' : `None of ${all} writes was approved.`;
  return `${refused} of ${all} writes ${refused === 1 ? 'was' : 'were'} refused.`;
}

/**
 * The outcome of a step's approval node; it depends on the requested writes and not on whether the step
 * succeeded afterwards.
 */
function approvalNodeOutcome({ writes }: RunContext, id: string, step: NodeOutcome): NodeOutcome {
  const end = (status: NodeOutcome['status'], summary: string): NodeOutcome => ({
    id,
    status,
    summary,
    cached: false,
  });
  if (step.status === 'cancelled') return cancelledNode(id);
  if (step.status === 'skipped') return end('skipped', step.summary);
  const requested = writes.requested(step.id);
  if (requested.all === 0 && step.status !== 'done')
    return end('skipped', 'The step ended before a write was approved.');
  return end(
    requested.all > 0 && requested.refused === requested.all ? 'failed' : 'done',
    requestedText(requested),
  );
}

/** Skips a step when a step it depends on is not done. */
function skipped(node: PlanNode, ends: ReadonlyMap<string, NodeOutcome>): NodeOutcome | null {
  const broken = node.deps.find((dep) => ends.has(dep) && ends.get(dep)?.status !== 'done');
  if (broken === undefined) return null;
  return { id: node.id, status: 'skipped', summary: `"${broken}" did not finish.`, cached: false };
}

/** The nodes whose results a node reads. */
const readBy = (node: PlanNode, { readsOf }: CheckedPlan): readonly string[] => [
  ...new Set([...node.deps, ...(readsOf?.get(node.id) ?? [])]),
];

/** The inputs of a step from its dependencies; its own approval node provides none. */
function taskOf(node: PlanNode, checked: CheckedPlan, ends: ReadonlyMap<string, NodeOutcome>): NodeTask {
  const asksAt = checked.approvalNodeOf?.get(node.id);
  const read = readBy(node, checked);
  return {
    node,
    place: checked.plan.nodes.findIndex(({ id }) => id === node.id),
    inputs: Object.fromEntries(read.map((id) => [id, ends.get(id)?.state ?? {}])),
    tools: checked.toolsOf.get(node.id) ?? [],
    constraints: enforcedConstraints(checked.plan.constraints),
    origins: mergeTaintSources(
      checked.originsOf?.get(node.id) ?? [],
      ...read.map((id) => ends.get(id)?.origins ?? []),
    ),
    shown: checked.originsOf?.get(node.id) ?? [],
    ...(asksAt !== undefined && { asksAt }),
  };
}

/**
 * Executes the plan in dependency order, independent nodes in parallel, and records each node's start and
 * end. Nodes in `kept` are not run again. Returns one outcome per node in plan order, whatever the order of
 * completion. Never throws.
 */
export async function executePlan(
  run: RunContext,
  checked: CheckedPlan,
  reused: ReadonlyMap<string, NodeOutcome> = new Map(),
): Promise<readonly NodeOutcome[]> {
  const ends = new Map<string, NodeOutcome>(reused);
  const running = new Map<string, Promise<void>>();
  // Inserted approval nodes are not scheduled: each begins and ends with the step it belongs to.
  const waiting = checked.order.filter(({ id }) => !reused.has(id));
  const finish = (end: NodeOutcome): void => {
    const approvalNode = checked.approvalNodeOf?.get(end.id);
    const all = approvalNode === undefined ? [end] : [approvalNodeOutcome(run, approvalNode, end), end];
    for (const one of all) ends.set(one.id, one);
    running.delete(end.id);
    run.facts.record(all.map((one) => endFact(run, one)));
  };
  const launch = (node: PlanNode): void => {
    const task = taskOf(node, checked, ends);
    if (task.asksAt !== undefined) recordStart(run, task.asksAt);
    running.set(node.id, runNode(run, task).then(finish));
  };
  const startReady = (): void => {
    // A cancelled stage has a reason at once; its signal aborts when the writes under way have ended.
    const stopping = run.life.reason() !== null;
    if (run.life.whenResumed() && !stopping) return;
    for (const node of [...waiting]) {
      const end = stopping ? cancelledNode(node.id) : skipped(node, ends);
      const ready = node.deps.every((dep) => ends.has(dep));
      if (end === null && (!ready || running.size >= maxConcurrentNodes)) continue;
      waiting.splice(waiting.indexOf(node), 1);
      if (end) finish(end);
      else launch(node);
    }
  };
  startReady();
  while (running.size > 0 || (waiting.length > 0 && run.life.whenResumed())) {
    const whenResumed = waiting.length > 0 ? run.life.whenResumed() : null;
    const resumption = whenResumed ? [raceAbort(whenResumed, run.life.signal)] : [];
    await Promise.race([...running.values(), ...resumption]);
    startReady();
  }
  return checked.plan.nodes.flatMap((node) => ends.get(node.id) ?? []);
}
