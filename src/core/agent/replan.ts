import { appError, type AppError } from '#shared/app-error';
import { isObject, type Json } from '#shared/json';
import { offlineProviderId, type Usage } from '#shared/model';
import type { Plan, PlanNode } from '#shared/plan';
import { err, type Result } from '#shared/result';
import type { PlanSource } from '#shared/session-event';
import { mergeTaintSources } from '../tools/taint-tracker';
import { checkPlan, joinFindings, type CheckedPlan } from './check-plan';
import { insertApprovals } from './insert-approvals';
import { isReplannable } from './next-step';
import type { NodeOutcome, RunContext } from './node-run';
import { askForPlan, linesOf, plainCall, toolsNamed } from './plan-call';
import type { Planning } from './planning';
import { completePlan, replyOf } from './plan-reply';
import { replanBlocks, replanText } from './replan-prompt';
import { planHash } from './run-hashes';
import { raceAbort } from './run-lifecycle';
import { shownTools } from './shown-tools';
import { createToolSearch } from './tool-search';

/** An executed plan: as written, as executed, and the outcomes of its nodes. */
export interface Execution {
  /** Without the approval nodes that the host inserts. */
  readonly plain: CheckedPlan;
  readonly checked: CheckedPlan;
  readonly ends: readonly NodeOutcome[];
}

/** The revised plan, and the outcomes of its finished nodes. */
export interface Revised extends Pick<Execution, 'plain' | 'checked'> {
  readonly kept: ReadonlyMap<string, NodeOutcome>;
  /** Whether the plan alone covers all work done: no step that it leaves out has written. */
  readonly whole: boolean;
}

/** Maximum number of tools listed in addition to those that the failed steps name. */
const maxOtherTools = 6;

/** The failures that a model may plan around; none if one is a refusal or a write's outcome is unknown. */
function failuresToAvoid(run: RunContext, { plain, ends }: Execution): readonly NodeOutcome[] {
  const planned = new Set(plain.plan.nodes.map(({ id }) => id));
  const failed = ends.filter(({ id, status }) => status === 'failed' && planned.has(id));
  const avoidable = failed.every(
    ({ id, error }) => error && isReplannable(error) && !run.writes.hasUnknownOutcome(id),
  );
  return avoidable && !run.life.signal.aborted ? failed : [];
}

/** Whether a model planned the run and is available for re-planning. */
export function canReplan({ request }: RunContext, source: PlanSource): boolean {
  const planned = source === 'model' || source === 'earlier';
  return planned && request.model.providerId !== offlineProviderId;
}

function nodesIn(plan: Json): readonly Json[] {
  const nodes = isObject(plan) ? plan['nodes'] : [];
  return Array.isArray(nodes) ? (nodes as readonly Json[]) : [];
}

const idOf = (node: Json): string => (isObject(node) && typeof node['id'] === 'string' ? node['id'] : '');

/** Replaces the failed steps with the reply's steps; finished steps stay unchanged. */
function mergedPlan(
  plan: Plan,
  reply: Json,
  failed: readonly NodeOutcome[],
  done: ReadonlySet<string>,
): Json {
  const added = nodesIn(reply).filter((node) => !done.has(idOf(node)));
  const addedIds = new Set(added.map(idOf));
  const failedIds = failed.map(({ id }) => id);
  const nodes = plan.nodes.flatMap((node): readonly unknown[] => {
    if (node.id === failedIds[0]) return added;
    return failedIds.includes(node.id) || addedIds.has(node.id) ? [] : [node];
  });
  const answer = (isObject(reply) && reply['answer']) || plan.answer;
  return { ...plan, nodes, answer } as Json;
}

const takenId = (id: string): AppError =>
  appError('CODE', 'INVALID_PLAN', 'this id belongs to another step of the run.', { node: id });

/** The revised plan, checked like any other, with all findings at once. */
function readRevised(
  planning: Planning,
  run: RunContext,
  { plain, checked, ends }: Execution,
  reply: Json,
): Result<CheckedPlan> {
  const failed = failuresToAvoid(run, { plain, checked, ends });
  const done = new Set(ends.filter(({ status }) => status === 'done').map(({ id }) => id));
  const completed = completePlan(reply, planning.request.goal, failed[0]?.id);
  const approvalNodes = new Set(checked.approvalNodeOf?.values());
  const taken = nodesIn(completed)
    .map(idOf)
    .find((id) => approvalNodes.has(id));
  if (taken !== undefined) return err(takenId(taken));
  const merged = mergedPlan(plain.plan, completed, failed, done);
  const revised = checkPlan(merged, run.listing, run.budgets);
  return revised.ok ? revised : err(joinFindings(revised.error));
}

/** Lines of the tools that the failed steps name, and of a few others that fit the goal. */
function toolLinesFor(planning: Planning, run: RunContext, nodes: readonly PlanNode[]): readonly string[] {
  const { goal, lists, describe } = planning.request;
  const tools = shownTools(run.listing.tools, { lists: lists(), describe });
  const listing = { ...run.listing, tools };
  const named = toolsNamed(nodes.map(({ code }) => code ?? '').join('\n'), listing);
  const search = createToolSearch(tools);
  const queries = [goal, ...nodes.map(({ title }) => title)];
  const found = new Set(
    queries.flatMap((query) => search.find(query, maxOtherTools)).slice(0, maxOtherTools),
  );
  return linesOf(
    tools.filter((tool) => named.includes(tool) || found.has(tool.uri)),
    listing,
    planning,
  );
}

const noPlan = appError('LLM', 'INVALID_REPLY', 'The model answered in words and gave no steps.');

async function requestReplan(
  planning: Planning,
  run: RunContext,
  execution: Execution,
): Promise<Result<CheckedPlan>> {
  const { plain, ends } = execution;
  const endOf = new Map(ends.map((end) => [end.id, end]));
  const failedIds = new Set(failuresToAvoid(run, execution).map(({ id }) => id));
  const failed = plain.plan.nodes.flatMap((node) => {
    const error = failedIds.has(node.id) ? endOf.get(node.id)?.error : undefined;
    return error ? [{ node, error, writes: run.writes.count([node.id]) }] : [];
  });
  const text = replanText({
    goal: planning.request.goal,
    failed,
    answer: plain.plan.answer,
    constraints: plain.plan.constraints,
    finished: plain.plan.nodes.flatMap(({ id }) => {
      const end = endOf.get(id);
      return end?.status === 'done' ? [end] : [];
    }),
    pendingNodes: plain.plan.nodes.filter(({ id }) => endOf.get(id)?.status === 'skipped'),
  });
  const tools = toolLinesFor(
    planning,
    run,
    failed.map(({ node }) => node),
  );
  const call = plainCall({ part: 'replan', blocks: replanBlocks(tools), text });
  const turn = await askForPlan(planning, call);
  if (!turn.ok) return turn;
  const reply = replyOf(turn.value);
  if (!reply.ok) return reply;
  return reply.value.type === 'plan' ? readRevised(planning, run, execution, reply.value.plan) : err(noPlan);
}

/** The usage between two moments of a run. */
export function spentSince(before: Usage, after: Usage): Usage {
  return {
    modelTurns: after.modelTurns - before.modelTurns,
    inputTokens: after.inputTokens - before.inputTokens,
    outputTokens: after.outputTokens - before.outputTokens,
  };
}

/**
 * Builds the continuation from a revised plan; new writes are announced as usual, and new steps carry the
 * taint sources of their text.
 */
function continuePlan(run: RunContext, { plain, checked, ends }: Execution, revised: CheckedPlan): Revised {
  const before = new Set(plain.plan.nodes.map(({ id }) => id));
  const approvalNodes = [...(checked.approvalNodeOf ?? [])];
  const finished = new Set(ends.filter(({ status }) => status === 'done').map(({ id }) => id));
  // The approval node of a finished step keeps its outcome, even a refusal.
  const answered = new Set(approvalNodes.flatMap(([nodeId, id]) => (finished.has(nodeId) ? [id] : [])));
  const stays = ({ id }: NodeOutcome): boolean => finished.has(id) || answered.has(id);
  const done = new Map(ends.filter(stays).map((end) => [end.id, end]));
  const reopened = new Set(approvalNodes.flatMap(([nodeId, id]) => (done.has(nodeId) ? [] : [id])));
  const doneBefore = new Map([...done].filter(([id]) => !reopened.has(id)));
  const added = revised.plan.nodes.map(({ id }) => id).filter((id) => !doneBefore.has(id));
  const removed = [...before].filter((id) => !doneBefore.has(id));
  const whole = run.writes.count(removed) === 0;
  run.writes.transfer(removed, added);
  const origins = mergeTaintSources(...ends.map((end) => end.origins ?? []));
  const originsOf = new Map([...(checked.originsOf ?? []), ...added.map((id) => [id, origins] as const)]);
  const inserted = insertApprovals(revised, run.listing, run.capabilities);
  const planned = inserted.plan.nodes.map(({ id }) => id);
  const kept = new Map(
    planned.flatMap((id) => {
      const end = doneBefore.get(id);
      return end ? [[id, end] as const] : [];
    }),
  );
  return { plain: revised, checked: { ...inserted, originsOf }, kept, whole };
}

/**
 * Asks the model once for steps that replace the failed ones, and returns the revised plan. Returns null when
 * there is nothing to ask about or no valid plan resulted; the run then ends with the steps that succeeded.
 * Finished steps stay finished, and no write is repeated (agent-mode §14).
 */
export async function replan(
  run: RunContext,
  planning: Planning,
  execution: Execution,
): Promise<Revised | null> {
  const failed = failuresToAvoid(run, execution).map(({ id }) => id);
  if (failed.length === 0) return null;
  const about = { turn: run.request.turn, runId: run.runId };
  run.facts.record([{ type: 'replan-started', ...about, failed }]);
  const before = run.meter.usage();
  const replanned = await raceAbort(requestReplan(planning, run, execution), run.life.signal);
  if (replanned === null || run.life.signal.aborted) return null;
  const usage = spentSince(before, run.meter.usage());
  if (!replanned.ok) {
    run.facts.record([{ type: 'replan-failed', ...about, error: replanned.error, usage }]);
    return null;
  }
  const revised = continuePlan(run, execution, replanned.value);
  const { plan, approvalNodeOf } = revised.checked;
  const origins = mergeTaintSources(...execution.ends.map((end) => end.origins ?? []));
  const announces = Object.fromEntries([...(approvalNodeOf ?? [])].map(([node, id]) => [id, node]));
  run.facts.record([
    {
      type: 'plan-revised',
      ...about,
      plan,
      planHash: planHash(plan, run.request.project),
      usage,
      kept: [...revised.kept.keys()],
      origins: [...origins],
      ...(approvalNodeOf && { announces }),
    },
  ]);
  return revised;
}
