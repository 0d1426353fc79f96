import { appError, type AppError } from '#shared/app-error';
import { noUsage, type Usage } from '#shared/model';
import type { Receipt } from '#shared/receipt';
import type { Plan } from '#shared/plan';
import type { Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { AgentRequest } from '../ports/agent';
import { answerRun, type Ending, type AnsweredRun } from './answer';
import type { CheckedPlan } from './check-plan';
import { executePlan } from './execute-plan';
import { insertApprovals } from './insert-approvals';
import type { NodeOutcome, RunContext } from './node-run';
import type { ObtainedPlan } from './obtain-plan';
import type { Planning } from './planning';
import type { Planner, PlannerMove } from './planner';
import type { PriorRun } from './prior-run';
import { receiptOf } from './receipt-of';
import { canonicalHash } from '../tools/canonical-hash';
import { mergeTaintSources } from '../tools/taint-tracker';
import { observationText } from './observation';
import { canReplan, replan, spentSince, type Execution } from './replan';
import { planHash, summaryHash } from './run-hashes';
import { raceAbort } from './run-lifecycle';

/** The result of an executed run. */
export interface RunResult extends AnsweredRun {
  readonly ends: readonly NodeOutcome[];
  readonly receipt?: Receipt;
  /** The stages with the ids of their nodes. */
  readonly stages: readonly { readonly planHash: string; readonly nodes: readonly string[] }[];
  readonly planHash: string;
  readonly summaryHash: string;
  /** The plan that alone leads to the run's result; null when re-planning dropped steps that had written. */
  readonly plan: Plan | null;
}

/** The earlier run that a request resumes. */
export function priorOf({ given }: Pick<AgentRequest, 'given'>) {
  return given && 'prior' in given ? given : null;
}

/** The reason why a run cannot resume with its plan. */
export const planChanged = appError(
  'HOST',
  'STATE',
  "This plan's tools have changed, so the run cannot resume.",
  { hint: 'Start the run again.' },
);

/** The fact that begins a stage: its plan, or that the run resumes with the plan it had. */
function startFact(
  { request, runId, budgets }: RunContext,
  { checked, source, recipeId, params, look = false }: ObtainedPlan,
  { stage, kept, usage }: { readonly stage: number; readonly kept: readonly string[]; readonly usage: Usage },
): SessionFact {
  const { turn, project } = request;
  if (priorOf(request)?.prior.stages?.length === stage)
    return { type: 'run-resumed', turn, runId, kept: [...kept], budgets };
  const { plan, approvalNodeOf } = checked;
  const announces = Object.fromEntries([...(approvalNodeOf ?? [])].map(([node, id]) => [id, node]));
  return {
    type: 'plan-made',
    turn,
    runId,
    plan,
    planHash: planHash(plan, project),
    source,
    ...(recipeId !== undefined && { recipeId }),
    ...(params && { params }),
    ...(approvalNodeOf && { announces }),
    ...(usage.modelTurns > 0 && { usage }),
    ...stageParts(stage, look, checked),
  };
}

function stageParts(stage: number, look: boolean, { originsOf = new Map() }: CheckedPlan) {
  const origins = [...mergeTaintSources(...originsOf.values())];
  return { ...(stage > 1 && { stage, origins }), ...(look && { look: true as const }) };
}

interface Executed extends Execution {
  readonly whole: boolean;
}

/** Executes the plan; asks the model to re-plan avoidable failures, as often as the run's limit allows. */
async function execute(
  context: RunContext,
  planning: Planning,
  obtained: ObtainedPlan,
  {
    checked,
    kept,
    stage,
  }: { readonly checked: CheckedPlan; readonly kept: PriorRun['ends']; readonly stage: number },
): Promise<Executed> {
  const ends = await executePlan(context, checked, kept);
  let execution: Executed = { plain: obtained.checked, checked, ends, whole: true };
  // A stage that the model looks at, and any later one, goes on in the planning conversation instead.
  const revisable = stage === 1 && obtained.look !== true && canReplan(context, obtained.source);
  const maxReplans = revisable ? context.budgets.run.replans : 0;
  for (let replans = 0; replans < maxReplans; replans += 1) {
    const revised = await replan(context, planning, execution);
    if (!revised) break;
    const newEnds = await executePlan(context, revised.checked, revised.kept);
    execution = { ...revised, ends: newEnds, whole: execution.whole && revised.whole };
  }
  return execution;
}

/** A stage of a run as it was executed. */
interface StageRun {
  readonly obtained: ObtainedPlan;
  readonly execution: Executed;
  readonly hash: string;
}

const approvalIds = ({ checked }: Execution): readonly string[] => [
  ...(checked.approvalNodeOf?.values() ?? []),
];

/** The outcomes of all stages in order; an id that a later stage uses again counts there. */
function allEnds(stages: readonly StageRun[], kept: PriorRun['ends']): readonly NodeOutcome[] {
  const ends = new Map(kept);
  for (const { execution } of stages) {
    for (const end of execution.ends) {
      ends.delete(end.id);
      ends.set(end.id, end);
    }
  }
  return [...ends.values()];
}

/** Whether the user refused a write of a stage; then the model plans no way around it. */
function refusedByUser({ ledger }: RunContext, { ends }: Execution): boolean {
  const ids = new Set(ends.map(({ id }) => id));
  return ledger.entries().some(({ nodeId, outcome, layer, superseded }) => {
    return outcome === 'refused' && layer === 'approval' && !superseded && ids.has(nodeId);
  });
}

const defaultStages = 6;

/** A stage that is about to run, and the outcomes that it takes over. */
interface OpenedStage {
  readonly checked: CheckedPlan;
  readonly kept: PriorRun['ends'];
  /** The stage had begun in the earlier part of the run. */
  readonly resumes: boolean;
}

/**
 * Adds a stage's approval nodes and taint sources; `null` when it is resumed and its plan is no longer the one
 * that began.
 */
function openStage(
  context: RunContext,
  obtained: ObtainedPlan,
  {
    stage,
    ended,
    prior,
  }: { readonly stage: number; readonly ended: readonly NodeOutcome[]; readonly prior: PriorRun },
): OpenedStage | null {
  const { listing, capabilities, request } = context;
  const before = priorOf(request)?.prior;
  const begun = before?.stages?.find((one) => one.stage === stage);
  const own = new Set([...obtained.checked.plan.nodes, ...(begun?.plan.nodes ?? [])].map(({ id }) => id));
  const earlier = ended.filter(({ id }) => !own.has(id));
  const inserted = insertApprovals(
    obtained.checked,
    listing,
    capabilities,
    earlier.map(({ id }) => id),
  );
  const seen = mergeTaintSources(...ended.map(({ origins = [] }) => origins));
  const originsOf = stage === 1 ? prior.originsOf : new Map([...own].map((id) => [id, seen] as const));
  const checked = { ...inserted, originsOf };
  if (begun && begun.planHash !== planHash(checked.plan, request.project)) return null;
  const kept = begun ? ended : earlier;
  return { checked, kept: new Map(kept.map((end) => [end.id, end])), resumes: begun !== undefined };
}

/** Hands the writes of nodes that ended without success to the nodes that come after them. */
function transferWrites({ writes }: RunContext, ended: readonly NodeOutcome[], { plan }: CheckedPlan): void {
  const ids = plan.nodes.map(({ id }) => id);
  const gone = ended.filter(({ id, status }) => ids.includes(id) || status !== 'done').map(({ id }) => id);
  writes.transfer(gone, ids);
}

/** Whether the model goes on from a stage that has ended. */
function goesOn(context: RunContext, { obtained, execution }: StageRun, retry: boolean): boolean {
  if (!obtained.planner || (obtained.look !== true && !retry)) return false;
  const isUnknown = execution.ends.some(({ id }) => context.writes.hasUnknownOutcome(id));
  return !context.life.signal.aborted && !isUnknown && !refusedByUser(context, execution);
}

/** Gives the model the results of the last stage and asks it for its next move; null when the run is stopped. */
async function nextMove(
  context: RunContext,
  planner: Planner,
  { stages, ends, stage }: StagedRun & { readonly stage: number },
): Promise<Result<PlannerMove> | null> {
  const { request, runId, facts, ledger, artifacts, countTokens, budgets, life } = context;
  const { turn, project } = request;
  facts.record([{ type: 'stage-ended', turn, runId, stage, summaryHash: summaryHash(ends, project) }]);
  const announced = Object.keys(priorOf(request)?.prior.announces ?? {});
  const approvals = new Set([...announced, ...stages.flatMap(({ execution }) => approvalIds(execution))]);
  const results = ends.filter(({ id }) => !approvals.has(id));
  if (planner.observes()) {
    const own = new Set(stages.at(-1)?.execution.ends.map(({ id }) => id));
    const shown = { stage, ends: results.filter(({ id }) => own.has(id)) };
    const writes = ledger.entries().filter(({ nodeId }) => own.has(nodeId));
    planner.observe(stage, await observationText({ ...shown, writes }, artifacts, countTokens));
  }
  const done = new Set(results.flatMap(({ id, status }) => (status === 'done' ? [id] : [])));
  const last = stage >= (budgets.run.stages ?? defaultStages);
  const next = { stage: stage + 1, earlier: { done, approvals }, ends: results, last };
  const move = await raceAbort(planner.next(next), life.signal);
  return life.signal.aborted ? null : move;
}

/** The place of a stage in its run. */
interface StagePlace {
  readonly stage: number;
  readonly ended: readonly NodeOutcome[];
  readonly prior: PriorRun;
  /** What planning it has cost. */
  readonly usage: Usage;
}

/** Executes one stage; `null` when it is resumed and its plan is no longer the one that began. */
async function runStage(
  context: RunContext,
  planning: Planning,
  obtained: ObtainedPlan,
  { stage, ended, prior, usage }: StagePlace,
): Promise<StageRun | null> {
  const opened = openStage(context, obtained, { stage, ended, prior });
  if (!opened) return null;
  const { checked, kept } = opened;
  context.facts.record([
    startFact(context, { ...obtained, checked }, { stage, kept: [...kept.keys()], usage }),
  ]);
  if (stage > 1 && !opened.resumes) transferWrites(context, ended, checked);
  const execution = await execute(context, planning, obtained, { checked, kept, stage });
  return { obtained, execution, hash: planHash(execution.checked.plan, context.request.project) };
}

/** Whether a stage without `look` failed, so that the model goes on from its failure. */
const hasFailed = (stage: number, { execution }: StageRun): boolean =>
  stage > 1 && execution.ends.some(({ status }) => status === 'failed');

/** Executes a run's stages in order; each one after the first is planned with the results before it in view. */
async function executeStages(
  context: RunContext,
  planning: Planning,
  first: ObtainedPlan,
  prior: PriorRun,
): Promise<StagedRun | null> {
  const { request, meter, budgets } = context;
  const stages: StageRun[] = [];
  let replansLeft = budgets.run.replans;
  let obtained = first;
  let spent = noUsage;
  for (let stage = Math.max(1, priorOf(request)?.prior.stages?.length ?? 0); ; stage += 1) {
    const usage = spentSince(spent, meter.usage());
    spent = meter.usage();
    const place = { stage, ended: allEnds(stages, prior.ends), prior, usage };
    const newest = await runStage(context, planning, obtained, place);
    if (!newest) return null;
    stages.push(newest);
    const done = { stages, ends: allEnds(stages, prior.ends) };
    const retry = replansLeft > 0 && hasFailed(stage, newest);
    if (!goesOn(context, newest, retry)) return done;
    replansLeft -= obtained.look === true ? 0 : 1;
    const next = await nextStage(context, obtained, { ...done, stage });
    if ('ends' in next) return next;
    obtained = next;
  }
}

/** The next stage of a run, or its end. */
async function nextStage(
  context: RunContext,
  { planner, listing }: ObtainedPlan,
  done: StagedRun & { readonly stage: number },
): Promise<ObtainedPlan | StagedRun> {
  const move = planner ? await nextMove(context, planner, done) : null;
  if (!move) return done;
  if (!move.ok) return { ...done, error: move.error };
  if (move.value.type === 'text') return { ...done, text: move.value.text };
  const { checked, look } = move.value;
  return { checked, look, listing, source: 'model', ...(planner && { planner }) };
}

/** The stages of a run as far as they came. */
interface StagedRun {
  readonly stages: readonly StageRun[];
  readonly ends: readonly NodeOutcome[];
  /** The words with which the model ended the run. */
  readonly text?: string;
  /** Why the next stage could not be planned. */
  readonly error?: AppError;
}

/**
 * Executes an obtained plan, and the stages planned after it, up to the run's answer; `null` when the plan
 * differs from that of the prior run. Finished work of a prior run is reused.
 */
export async function executeRun(
  context: RunContext,
  planning: Planning,
  obtained: ObtainedPlan,
  prior: PriorRun,
): Promise<RunResult | null> {
  const { project } = context.request;
  const staged = await executeStages(context, planning, obtained, prior);
  if (!staged) return null;
  const { stages, ends, text, error } = staged;
  const last = stages.at(-1);
  if (!last) return null;
  const { execution, obtained: newest } = last;
  const own = new Set(execution.ends.map(({ id }) => id));
  const end = await finalAnswer(context, {
    plan: execution.checked.plan,
    source: obtained.source,
    ends: execution.ends,
    earlier: ends.filter(({ id }) => !own.has(id)),
    ...(newest.look === true && { look: true }),
    ...(text !== undefined && { text }),
    ...(error && { error }),
  });
  const receipt = await receiptOf(context, { ...end, ends });
  const hashes = [...(priorOf(context.request)?.prior.stages ?? []).slice(0, -1).map((one) => one.planHash)];
  const allHashes = [...hashes, ...stages.map(({ hash }) => hash)];
  const single = allHashes.length === 1 && newest.look !== true;
  return {
    ...end,
    ...receipt,
    ends,
    stages: reportsOf(context, stages),
    planHash: allHashes.length === 1 ? last.hash : canonicalHash(allHashes),
    summaryHash: summaryHash(ends, project),
    plan: single && execution.whole ? execution.plain.plan : null,
  };
}

/** The stages in the order they ran, each with the outcomes of its nodes. */
function reportsOf(context: RunContext, stages: readonly StageRun[]): RunResult['stages'] {
  const before = priorOf(context.request)?.prior;
  const earlier = (before?.stages ?? []).slice(0, -1).map(({ planHash: hash, plan }) => {
    const ids = plan.nodes.map(({ id }) => id);
    return { planHash: hash, nodes: ids };
  });
  return [
    ...earlier,
    ...stages.map(({ hash, execution }) => ({ planHash: hash, nodes: execution.ends.map(({ id }) => id) })),
  ];
}

/** Stops waiting for the model's answer when the run is stopped, because the model may hang. */
async function finalAnswer(context: RunContext, ending: Ending): Promise<AnsweredRun> {
  const answering = answerRun(context, ending);
  const end = context.life.signal.aborted ? await answering : await raceAbort(answering, context.life.signal);
  return end ?? answerRun(context, ending);
}
