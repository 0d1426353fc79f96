import { appError } from '#shared/app-error';
import type { TaintSource } from '#shared/approval';
import type { Json } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import type { ApprovalState, NodeState, RunState } from '#shared/session-state';
import { canonicalHash } from '../tools/canonical-hash';
import { nodesBefore, type InheritedWrites, type MadeWrite, type PriorWrites } from '../tools/node-writes';
import { effectOf, targetsOf } from '../tools/write-targets';
import type { EarlierNodes } from './check-plan';
import { statesOf } from './each';
import type { NodeOutcome } from './node-run';

/** The state that a resumed run takes over from its earlier part. */
export interface PriorRun {
  /** The outcomes of the nodes that are not run again. */
  readonly ends: ReadonlyMap<string, NodeOutcome>;
  readonly writes: ReadonlyMap<string, PriorWrites>;
  /** Writes of steps that are no longer in the plan. */
  readonly inherited: readonly InheritedWrites[];
  /** All writes of the run in order; null: one that changed nothing, or was undone. */
  readonly made: readonly (MadeWrite | null)[];
  /** The taint sources of steps planned by a model that had seen results. */
  readonly originsOf: ReadonlyMap<string, readonly TaintSource[]>;
  /** The nodes that run again from the start because the user asked for it. */
  readonly rerun: readonly string[];
}

/** The nodes that a resumed run leaves as they are: those of stages whose results the model goes on from. */
function endedNodes(run: RunState): readonly NodeState[] {
  if (run.proposal) return run.nodes;
  const last = run.stages?.at(-1);
  const isUnfinished = last?.look === true || run.status === 'interrupted';
  return isUnfinished && last?.summaryHash !== undefined ? run.nodes : earlierNodes(run);
}

/** The nodes of the stages before the last one, which is the proposed one if there is one. */
function earlierNodes(run: RunState): readonly NodeState[] {
  if (run.proposal) return run.nodes;
  const own = new Set(run.stages?.at(-1)?.plan.nodes.map(({ id }) => id));
  return own.size === 0 ? [] : run.nodes.filter(({ id }) => !own.has(id));
}

/** The earlier stages of a run, for the check of its last one. */
export function earlierStages(run: RunState): EarlierNodes {
  const nodes = earlierNodes(run);
  const approvals = new Set(Object.keys(run.announces ?? {}));
  const ids = (wanted: (node: NodeState) => boolean) => new Set(nodes.filter(wanted).map(({ id }) => id));
  return {
    done: ids(({ id, status }) => status === 'done' && !approvals.has(id)),
    approvals: ids(({ id }) => approvals.has(id)),
    states: statesOf(nodes),
  };
}

const laterStage = appError('HOST', 'STATE', 'Later stages of this run were planned from this result.', {
  hint: 'Send the message again, or rerun a node of the last stage.',
});

const unknownWrite = appError(
  'HOST',
  'STATE',
  'A write was running when this run was interrupted, and its outcome is unknown.',
  { hint: 'Check whether the write happened, answer on the card, then resume.' },
);

const undoOpen = appError('HOST', 'STATE', 'An undo of this run was interrupted.', {
  hint: 'Undo the run again to finish it, then resume.',
});

/** The nodes with a write that the user undid: it no longer counts as made. */
const undoneNodes = ({ writes }: RunState): readonly string[] =>
  writes.flatMap(({ nodeId, undone }) => (undone ? [nodeId] : []));

/** The nodes and everything that depends on them. */
function downstream(run: RunState, from: readonly string[]): ReadonlySet<string> {
  const reached = new Set(from);
  for (let grew = true; grew;) {
    const next = run.plan?.nodes.filter(
      ({ id, deps }) => !reached.has(id) && deps.some((d) => reached.has(d)),
    );
    for (const { id } of next ?? []) reached.add(id);
    grew = (next ?? []).length > 0;
  }
  return reached;
}

function endOf(node: NodeState): NodeOutcome {
  const status = endStatus(node.status);
  const { id, summary, state, artifacts, metrics, usage, items, log, cached, origins, error } = node;
  return {
    // An approval node keeps its outcome, even a refusal when its step continued without the write.
    id,
    status,
    summary,
    cached,
    ...(state && { state }),
    ...(artifacts && { artifacts }),
    ...(metrics && { metrics }),
    ...(usage && { usage }),
    ...(items && { items }),
    ...(log && { log }),
    ...(origins && { origins }),
    ...(error && { error }),
  };
}

const endStatus = (status: NodeState['status']): NodeOutcome['status'] =>
  status === 'failed' || status === 'skipped' || status === 'cancelled' ? status : 'done';

const hashOf = (call: { readonly tool: string; readonly arguments: Json }): string =>
  canonicalHash({ tool: call.tool, arguments: call.arguments });

type RunPart = Pick<RunState, 'approvals' | 'writes' | 'announces'>;

const originalHash = ({ tool, originalArguments, arguments: args }: ApprovalState): string =>
  hashOf({ tool, arguments: originalArguments ?? args });

/**
 * The approvals of a node by the call that the step made. A card that asks again about an approved call, because its
 * file changed, belongs to the same call; once the user edits that card, the earlier yes no longer counts.
 */
function answersByCall({ approvals, announces }: RunPart, nodeId: string) {
  const byCall = new Map<string, ApprovalState[]>();
  for (const one of approvals) {
    const isAnswered = one.status === 'approved' || one.status === 'denied';
    const counts = isAnswered || (one.again && one.edited);
    if (!counts || (announces?.[one.nodeId] ?? one.nodeId) !== nodeId) continue;
    const hash = originalHash(one);
    const repeats = ([, earlier]: [string, readonly ApprovalState[]]): boolean =>
      one.again === true && earlier.some((before) => before.status === 'approved' && hashOf(before) === hash);
    const [call = hash] = [...byCall].find(repeats) ?? [];
    byCall.set(call, [...(byCall.get(call) ?? []), one]);
  }
  return byCall;
}

/** The answers at the end that say the same about the same; one call can be made, and asked about, several times. */
function newestAnswers(answers: readonly ApprovalState[]): readonly ApprovalState[] {
  const last = answers.at(-1);
  const other = answers.findLastIndex(({ hash, status }) => hash !== last?.hash || status !== last.status);
  return answers.slice(other + 1);
}

/**
 * The approval answers that no call has used: a newer answer to a call takes the place of the earlier ones, also
 * when its card showed another content.
 */
function unusedAnswers(run: RunPart, nodeId: string): PriorWrites['answers'] {
  const used = run.writes.filter((write) => write.nodeId === nodeId).map(hashOf);
  return [...answersByCall(run, nodeId)].flatMap(([call, answers]) => {
    const newest = newestAnswers(answers);
    const [first] = newest;
    if (!first || (first.status !== 'approved' && first.status !== 'denied')) return [];
    const calls = used.filter((one) => one === hashOf(first)).length;
    const unused = first.status === 'approved' ? newest.slice(calls) : newest;
    return unused.map(({ hash, status, said: instead }) => ({
      hash,
      ...(hash !== call && { call }),
      approved: status === 'approved',
      ...(instead !== undefined && { said: instead }),
    }));
  });
}

/** The writes of nodes that count as made, from the `from`-th to before the `to`-th write of the run. */
const doneAmong = (
  { writes }: RunState,
  nodeIds: readonly string[],
  { from = 0, to = writes.length }: { readonly from?: number | undefined; readonly to?: number },
): PriorWrites['done'] =>
  writes.flatMap((write, at) => {
    const { nodeId, outcome, undone, result = null } = write;
    const counts = at >= from && at < to && outcome === 'done' && !undone && nodeIds.includes(nodeId);
    return counts ? [{ hash: hashOf(write), result, at }] : [];
  });

function madeWrites({ writes }: RunState): PriorRun['made'] {
  return writes.map((write) => {
    const { nodeId, tool, outcome, undo, undone } = write;
    if (outcome === 'failed' || undone) return null;
    const project = undo && 'project' in undo ? undo.project : null;
    const { arguments: args } = write;
    const targets = targetsOf(tool, args, project);
    return { nodeId, hash: hashOf(write), targets, effect: effectOf(tool, args) };
  });
}

/** The nodes of the stages before one that had ended without success when it began: it may repeat their writes. */
function unfinishedBefore({ nodes, stages = [] }: RunState, stage: number): readonly string[] {
  const ids = new Set(stages.slice(0, stage).flatMap(({ plan }) => plan.nodes.map(({ id }) => id)));
  // A node whose id is used again has the state in which the stage that did so found it.
  const reused = stages.slice(stage).flatMap(({ replaced }) => replaced.map(({ id }) => id));
  const unfinished = nodes.filter(({ status }) => status !== 'done').map(({ id }) => id);
  return [...new Set([...reused, ...unfinished])].filter((id) => ids.has(id));
}

/** What replaced earlier nodes, and from which write and approval on: replans, and later stages. */
function madeRevisions(run: RunState) {
  const { revisions = [], stages = [] } = run;
  const replans = revisions
    .filter(({ status }) => status === 'made')
    .map((one) => ({ ...one, replaced: one.replaced.map(({ id }) => id) }));
  const laterStages = stages.slice(1).map(({ plan, writes, approvals, origins }, at) => ({
    added: plan.nodes.map(({ id }) => id),
    replaced: unfinishedBefore(run, at + 1),
    writes,
    approvals,
    origins,
  }));
  return [...replans, ...laterStages];
}

/** Where a node last began from the start: with a later stage, or because the user ran it again. */
function beginningOf(run: RunState, nodeId: string): { readonly writes: number; readonly approvals: number } {
  const planned = madeRevisions(run).findLast(({ added }) => added.includes(nodeId));
  const rerun = run.reruns?.findLast(({ nodes }) => nodes.includes(nodeId));
  return {
    writes: Math.max(planned?.writes ?? 0, rerun?.writes ?? 0),
    approvals: Math.max(planned?.approvals ?? 0, rerun?.approvals ?? 0),
  };
}

/** A node's writes and answers since it last began from the start. */
function writesOf(run: RunState, nodeId: string): PriorWrites {
  const since = beginningOf(run, nodeId);
  const writes = run.writes.slice(since.writes);
  const approvals = run.approvals.slice(since.approvals);
  const answers = unusedAnswers({ ...run, writes, approvals }, nodeId);
  return { done: doneAmong(run, [nodeId], { from: since.writes }), answers };
}

/** Writes of replaced steps, for those of the replacing steps that resume and were not run again since. */
function inheritedWrites(run: RunState, remaining: readonly string[]): readonly InheritedWrites[] {
  const before = nodesBefore(run.plan?.nodes ?? []);
  return madeRevisions(run).map(({ added, replaced, writes }) => ({
    done: doneAmong(run, replaced, { to: writes }),
    to: new Map(
      [...before].filter(
        ([id]) => added.includes(id) && remaining.includes(id) && beginningOf(run, id).writes <= writes,
      ),
    ),
    since: writes,
  }));
}

const originsOf = (run: RunState): PriorRun['originsOf'] =>
  new Map(madeRevisions(run).flatMap(({ added, origins }) => added.map((id) => [id, origins] as const)));

/**
 * The state that a run resumes from. Without `from` the run continues where it stopped: finished nodes stay finished,
 * and no write is repeated; a node whose write the user undid runs again. With `from` that node and all nodes that
 * depend on it run again, and each of their writes needs a new approval. HOST/STATE while the outcome of a write is
 * unknown or an undo is open.
 */
export function readPriorRun(run: RunState, from?: string): Result<PriorRun> {
  const earlier = new Set(endedNodes(run).map(({ id }) => id));
  if (from !== undefined && earlier.has(from)) return err(laterStage);
  if (run.writes.some(({ undone }) => undone?.status === 'intended')) return err(undoOpen);
  const rerun = from === undefined ? new Set<string>() : downstream(run, [from]);
  const undone = downstream(run, undoneNodes(run));
  const stays = ({ id, status }: NodeState): boolean =>
    status === 'done' && !rerun.has(id) && !undone.has(id);
  const stepOf = ({ id }: NodeState): NodeState | undefined =>
    run.nodes.find((step) => step.id === run.announces?.[id]);
  // An inserted approval node stays finished or is reset together with its step.
  const finished = run.nodes.filter((node) => earlier.has(node.id) || stays(stepOf(node) ?? node));
  const finishedIds = new Set(finished.map(({ id }) => id));
  const remaining = run.nodes.filter(({ id }) => !finishedIds.has(id)).map(({ id }) => id);
  const hasUnknownWrite = run.writes.some(
    ({ nodeId, outcome }) => outcome === 'unknown' && remaining.includes(nodeId),
  );
  if (hasUnknownWrite) return err(unknownWrite);
  const resumed = remaining.filter((id) => !rerun.has(id));
  // A later stage may plan these nodes again, and must not repeat what they wrote.
  const unfinished = finished.filter(({ status }) => status !== 'done').map(({ id }) => id);
  return ok({
    ends: new Map(finished.map((node) => [node.id, endOf(node)])),
    writes: new Map([...resumed, ...unfinished].map((id) => [id, writesOf(run, id)])),
    inherited: inheritedWrites(run, resumed),
    made: madeWrites(run),
    originsOf: originsOf(run),
    rerun: [...rerun],
  });
}
