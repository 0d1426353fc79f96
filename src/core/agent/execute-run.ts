import { appError, type AppError } from '#shared/app-error';
import { noUsage, type Usage } from '#shared/model';
import type { Receipt } from '#shared/receipt';
import type { TaintSource } from '#shared/approval';
import type { Plan } from '#shared/plan';
import type { Result } from '#shared/result';
import type { PlanSource } from '#shared/plan';
import type { SessionFact } from '#shared/session-event';
import type { AgentRequest } from '../ports/agent';
import { answerRun, type Ending, type AnsweredRun } from './answer';
import { checkListed } from './check-listed';
import { joinFindings, type CheckedPlan } from './check-plan';
import { statesOf } from './each';
import { executePlan } from './execute-plan';
import { insertApprovals } from './insert-approvals';
import type { NodeOutcome, RunContext } from './node-run';
import { defaultStages, type AnsweredInText, type ObtainedPlan } from './obtain-plan';
import { steeredMove, type Planner, type PlannerMove } from './planner';
import { readsSession, sessionInputs, shownOrigins } from './previous-run';
import type { PriorRun } from './prior-run';
import { receiptOf } from './receipt-of';
import { canonicalHash } from '../tools/canonical-hash';
import { nodesBefore } from '../tools/node-writes';
import { mergeTaintSources } from '../tools/taint-tracker';
import { changesMade, observationText } from './observation';
import { isReplannable } from './next-step';
import { reviewStage } from './review-plan';
import { planHash, summaryHash } from './run-hashes';
import { raceAbort, type RunLifecycle } from './run-lifecycle';

/** The result of an executed run. */
export interface RunResult extends AnsweredRun {
  readonly ends: readonly NodeOutcome[];
  /** Where the first plan came from. */
  readonly source: PlanSource;
  readonly receipt?: Receipt;
  /** The stages with the ids of their nodes. */
  readonly stages: readonly { readonly planHash: string; readonly nodes: readonly string[] }[];
  readonly planHash: string;
  readonly summaryHash: string;
  /** The plan that alone leads to the run's result; null when a later run may not repeat it. */
  readonly plan: Plan | null;
}

/** The earlier run that a request resumes. */
export function priorOf({ provided }: Pick<AgentRequest, 'provided'>) {
  return provided && 'prior' in provided ? provided : null;
}

/** The reason why a run cannot resume with its plan. */
export const planChanged = appError(
  'HOST',
  'STATE',
  "This plan's tools have changed, so the run cannot resume.",
  { hint: 'Start the run again.' },
);

const rerunPart = (nodes: readonly string[]) => (nodes.length > 0 ? { rerun: [...nodes] } : {});

/** The fact that begins a stage: its plan, or that the run resumes with the plan it had. */
function startFact(
  { request, runId, budgets }: RunContext,
  { checked, source, recipeId, params, look = false, following = [] }: ObtainedPlan,
  {
    stage,
    reused,
    rerun,
    usage,
  }: {
    readonly stage: number;
    readonly reused: readonly string[];
    readonly rerun: readonly string[];
    readonly usage: Usage;
  },
): SessionFact {
  const { turn, project } = request;
  if (priorOf(request)?.prior.stages?.length === stage)
    return { type: 'run-resumed', turn, runId, kept: [...reused], budgets, ...rerunPart(rerun) };
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
    ...(following.length > 0 && { following: [...following] }),
    ...(approvalNodeOf && { announces }),
    ...(usage.modelTurns > 0 && { usage }),
    ...stageParts(stage, look, checked),
  };
}

function stageParts(stage: number, look: boolean, { originsOf = new Map() }: CheckedPlan) {
  const origins = [...mergeTaintSources(...originsOf.values())];
  return { ...(stage > 1 && { stage, origins }), ...(look && { look: true as const }) };
}

/** An executed plan, with the approval nodes that the host inserts, and the outcomes of its nodes. */
interface Execution {
  readonly checked: CheckedPlan;
  readonly ends: readonly NodeOutcome[];
}

/** Adds what the session has for scripts to the results that they can read. */
function withSession({ request }: RunContext, reused: PriorRun['ends']): PriorRun['ends'] {
  return new Map([...reused, ...sessionInputs(request).map((input) => [input.id, input] as const)]);
}

/** A stage of a run as it was executed. */
interface StageRun {
  readonly obtained: ObtainedPlan;
  readonly execution: Execution;
  readonly hash: string;
  /** The user cancelled it to say something. */
  readonly cancelled: boolean;
}

const approvalIds = ({ checked }: Execution): readonly string[] => [
  ...(checked.approvalNodeOf?.values() ?? []),
];

/** The outcomes of all stages in order; an id that a later stage uses again counts there. */
function allEnds(stages: readonly StageRun[], reused: PriorRun['ends']): readonly NodeOutcome[] {
  const ends = new Map(reused);
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

/** A stage that is about to run, and the outcomes that it takes over. */
interface OpenedStage {
  readonly checked: CheckedPlan;
  readonly reused: PriorRun['ends'];
  /** The stage had begun in the earlier part of the run. */
  readonly resumes: boolean;
}

/** The sources of what a model was shown when it wrote a plan: the earlier turns and the stages before. */
function shownToPlanner(
  { request, listing }: Pick<RunContext, 'request' | 'listing'>,
  { source }: ObtainedPlan,
  ended: readonly NodeOutcome[],
): readonly TaintSource[] {
  // The stages of a given plan or a recipe were written before anything was read.
  if (source === 'file' || source === 'recipe') return [];
  return mergeTaintSources(shownOrigins(request, listing), ...ended.map(({ origins = [] }) => origins));
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
  const shown = shownToPlanner(context, obtained, stage === 1 ? [] : ended);
  const revised: PriorRun['originsOf'] = stage === 1 ? prior.originsOf : new Map();
  const originsOf = new Map(
    [...own].map((id) => [id, mergeTaintSources(shown, revised.get(id) ?? [])] as const),
  );
  const checked = { ...inserted, originsOf };
  if (begun && begun.planHash !== planHash(checked.plan, request.project)) return null;
  const reusedEnds = begun ? ended : earlier;
  return { checked, reused: new Map(reusedEnds.map((end) => [end.id, end])), resumes: begun !== undefined };
}

/** Hands the writes of nodes that ended without success to the nodes that come after them. */
function transferWrites({ writes }: RunContext, ended: readonly NodeOutcome[], { plan }: CheckedPlan): void {
  const ids = plan.nodes.map(({ id }) => id);
  const gone = ended.filter(({ id, status }) => ids.includes(id) || status !== 'done').map(({ id }) => id);
  writes.transfer(gone, nodesBefore(plan.nodes));
}

/** What the user wants instead of the calls that they refused in a stage. */
function insteadTexts({ ledger }: RunContext, { checked, ends }: Execution): readonly string[] {
  return ledger.insteadTexts(
    new Set([...ends.map(({ id }) => id), ...checked.plan.nodes.map(({ id }) => id)]),
  );
}

/** Whether the model continues after a stage that has ended. */
function continuesToNextStage(
  context: RunContext,
  { obtained, execution, cancelled }: StageRun,
  retry: boolean,
): boolean {
  const wanted = obtained.look === true || retry || cancelled || insteadTexts(context, execution).length > 0;
  if (!obtained.planner || !wanted) return false;
  const isUnknown = execution.ends.some(({ id }) => context.writes.hasUnknownOutcome(id));
  return !context.life.signal.aborted && !isUnknown && !refusedByUser(context, execution);
}

/** The user's lines that a stage's observation had taken along before the run was interrupted. */
const steeredBefore = (request: AgentRequest, stage: number) =>
  priorOf(request)?.prior.steered?.filter((line) => line.stage === stage && !line.planning) ?? [];

interface Observed extends Pick<StagedRun, 'stages'> {
  readonly stage: number;
  readonly results: readonly NodeOutcome[];
  /** The user's lines that the observation takes along. */
  readonly lines: readonly { readonly text: string }[];
}

/** Gives the model the results of the last stage. */
async function observe(
  context: RunContext,
  planner: Planner,
  { stages, stage, results, lines }: Observed,
): Promise<void> {
  const { request, ledger, artifacts, countTokens } = context;
  const last = stages.at(-1);
  const own = new Set(last?.execution.ends.map(({ id }) => id));
  const changes = changesMade(last?.obtained.changes ?? [], last?.obtained.checked.plan);
  const shown = { stage, ends: results.filter(({ id }) => own.has(id)), changes };
  const writes = ledger.entries().filter(({ nodeId }) => own.has(nodeId));
  const instead = last ? insteadTexts(context, last.execution) : [];
  const userTexts = [...instead, ...[...steeredBefore(request, stage), ...lines].map(({ text }) => text)];
  planner.observe(stage, await observationText({ ...shown, writes, userTexts }, artifacts, countTokens));
}

/** The approval nodes that the host inserted, in earlier parts of the run too. */
function insertedApprovals({ request }: RunContext, stages: readonly StageRun[]): ReadonlySet<string> {
  const announced = Object.keys(priorOf(request)?.prior.announces ?? {});
  return new Set([...announced, ...stages.flatMap(({ execution }) => approvalIds(execution))]);
}

/** Ends a stage, gives the model its results, and asks it for its next move; null when the run is stopped. */
async function nextMove(
  context: RunContext,
  planner: Planner,
  done: EndedStages,
): Promise<Result<PlannerMove> | null> {
  const { request, runId, facts, life, stageCancel } = context;
  const { stages, ends, stage } = done;
  const own = stageCancel.begin(life);
  const { turn, project } = request;
  if (planner.observes()) await request.runWaitingCommands?.();
  const lines = planner.observes() ? (request.steeringLines?.() ?? []) : [];
  facts.record([
    { type: 'stage-ended', turn, runId, stage, summaryHash: summaryHash(ends, project) },
    ...lines.map(({ lineId }) => ({ type: 'line-steered' as const, lineId, turn, runId, stage })),
  ]);
  const approvals = insertedApprovals(context, stages);
  const results = ends.filter(({ id }) => !approvals.has(id));
  if (planner.observes()) await observe(context, planner, { stages, stage, results, lines });
  return askNext(context, planner, done, own);
}

/** Asks the model for its next move, from the results that it has; null when the run is stopped. */
async function askNext(
  context: RunContext,
  planner: Planner,
  { stages, ends, stage, outOfStages }: EndedStages,
  began?: RunLifecycle,
): Promise<Result<PlannerMove> | null> {
  const { request, life } = context;
  const approvals = insertedApprovals(context, stages);
  const results = ends.filter(({ id }) => !approvals.has(id));
  const done = new Set(results.flatMap(({ id, status }) => (status === 'done' ? [id] : [])));
  const earlier = { done, approvals, states: statesOf(results) };
  const plans = [...stagesBefore(request), ...stages.map((one) => one.obtained.checked)];
  const constraints = plans.flatMap(({ plan }) => plan.constraints);
  const next = { stage: stage + 1, constraints, earlier, ends: results, last: outOfStages === true };
  const move = await steeredMove(planner, next, context, began);
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

/**
 * Executes one stage, after its review; `null` when it is resumed and its plan is no longer the one that began.
 * `steered`: the user said something instead of running the plan.
 */
async function runStage(
  context: RunContext,
  obtained: ObtainedPlan,
  place: StagePlace,
): Promise<StageRun | 'stopped' | 'steered' | null> {
  const { stage, ended } = place;
  const opened = openStage(context, obtained, place);
  if (!opened) return null;
  if (opened.resumes) return runOpened(context, obtained, opened, place);
  const reviewed = await reviewSteered(context, obtained, { stage, checked: opened.checked, ended });
  if (!reviewed || reviewed === 'steered') return reviewed ?? 'stopped';
  const own = { ...context, listing: reviewed.listing };
  const reopened = reviewed === obtained ? opened : openStage(own, reviewed, place);
  return reopened && runOpened(own, reviewed, reopened, place);
}

/** Reviews a stage; a line that the user sends now takes the place of the review of a model's plan. */
async function reviewSteered(
  context: RunContext,
  obtained: ObtainedPlan,
  { stage, checked, ended }: Pick<StagePlace, 'stage' | 'ended'> & Pick<OpenedStage, 'checked'>,
): Promise<ObtainedPlan | 'steered' | null> {
  const { life, stageCancel } = context;
  const { planner } = obtained;
  if (!planner) return reviewStage(context, obtained, stage, checked, ended);
  for (;;) {
    const own = { ...context, life: stageCancel.begin(life) };
    const reviewed = await reviewStage(own, obtained, stage, checked, ended);
    if (!stageCancel.end() || life.signal.aborted) return reviewed;
    if (await planner.addSteering(stage)) return 'steered';
    if (reviewed) return reviewed;
  }
}

async function runOpened(
  context: RunContext,
  obtained: ObtainedPlan,
  opened: OpenedStage,
  { stage, ended, prior, usage }: StagePlace,
): Promise<StageRun> {
  const { checked, reused } = opened;
  context.facts.record([
    startFact(
      context,
      { ...obtained, checked },
      { stage, reused: [...reused.keys()], rerun: prior.rerun, usage },
    ),
  ]);
  if (stage > 1 && !opened.resumes) transferWrites(context, ended, checked);
  const { life, stageCancel, request } = context;
  const own = { ...context, life: stageCancel.begin(life, obtained.planner ? 'planned' : 'given') };
  if (steeredBefore(request, stage).some(({ now }) => now)) stageCancel.cancel(true);
  const execution = { checked, ends: await executePlan(own, checked, withSession(context, reused)) };
  const cancelled = stageCancel.end();
  return { obtained, execution, cancelled, hash: planHash(checked.plan, request.project) };
}

/**
 * Whether a stage failed in a way that another plan may avoid. One failure that a person, the host or the machine
 * decided rules it out.
 */
function hasAvoidableFailure({ obtained, execution }: StageRun): boolean {
  const planned = new Set(obtained.checked.plan.nodes.map(({ id }) => id));
  const failed = execution.ends.filter(({ id, status }) => status === 'failed' && planned.has(id));
  return failed.length > 0 && failed.every(({ error }) => error !== undefined && isReplannable(error));
}

const hasFailed = ({ execution }: StageRun): boolean =>
  execution.ends.some(({ status }) => status === 'failed');

/** The failure of a stage whose steps the model had planned, and seen fail, before: the step's own error. */
function failedTwice({ execution }: StageRun): AppError | undefined {
  const error = execution.ends.find((end) => end.error)?.error;
  if (!error) return undefined;
  const advice =
    'The model planned the same steps again, and they failed again. Say in a new line what it should do differently.';
  return { ...error, hint: [error.hint, advice].filter(Boolean).join(' ') };
}

/** Whether the last two stages have the same steps and both failed. */
function failedAlike(stages: readonly StageRun[]): boolean {
  const [before, last] = stages.slice(-2);
  if (!before || !last || !hasFailed(before) || !hasFailed(last)) return false;
  const [first, second] = [before, last].map(({ obtained }) => canonicalHash(obtained.checked.plan.nodes));
  return first === second;
}

/** How often the run may still be planned again after a failure; what its earlier part used counts. */
function replansLeftOf({ request, budgets }: RunContext): number {
  const used = stagesBefore(request).filter(({ look }) => look !== true).length;
  return Math.max(0, budgets.run.replans - used);
}

/** The usage between two moments of a run. */
function spentSince(before: Usage, after: Usage): Usage {
  return {
    modelTurns: after.modelTurns - before.modelTurns,
    inputTokens: after.inputTokens - before.inputTokens,
    outputTokens: after.outputTokens - before.outputTokens,
  };
}

/** The stage that a run begins with, or resumes: the proposed one, otherwise the last one that began. */
function firstStage(request: AgentRequest): number {
  const prior = priorOf(request)?.prior;
  return prior?.proposal?.stage ?? Math.max(1, prior?.stages?.length ?? 0);
}

/** The stages of an earlier part of the run that do not run again now. */
function stagesBefore(request: AgentRequest) {
  const { stages = [], proposal } = priorOf(request)?.prior ?? {};
  return proposal ? stages : stages.slice(0, -1);
}

/** Executes a run's stages in order; each one after the first is planned with the results before it in view. */
async function executeStages(
  context: RunContext,
  first: ObtainedPlan,
  prior: PriorRun,
): Promise<StagedRun | null> {
  const { request, meter } = context;
  const stages: StageRun[] = [];
  let replansLeft = replansLeftOf(context);
  let obtained = first;
  let spent = noUsage;
  for (let stage = firstStage(request); ; stage += 1) {
    const planned = meter.usage();
    const place = { stage, ended: allEnds(stages, prior.ends), prior, usage: spentSince(spent, planned) };
    const newest = await runStage({ ...context, stage }, obtained, place);
    if (!newest) return null;
    if (newest === 'stopped') return { stages, ends: place.ended };
    if (newest === 'steered') {
      stage -= 1;
      const next = await nextStage(context, obtained, { stages, ends: place.ended, stage }, askNext);
      if ('ends' in next) return next;
      obtained = next;
      continue;
    }
    spent = planned;
    stages.push(newest);
    const done = { stages, ends: allEnds(stages, prior.ends) };
    if (failedAlike(stages)) {
      const error = failedTwice(newest);
      return { ...done, ...(error && { error }) };
    }
    const retry = replansLeft > 0 && hasAvoidableFailure(newest);
    const next = await stageAfter(context, obtained, { ...done, newest, stage, retry });
    replansLeft -= obtained.look === true ? 0 : 1;
    if ('ends' in next) return next;
    obtained = next;
  }
}

/** Whether a given plan continues after a stage: every step is done, and no write was refused or is unknown. */
function isComplete(context: RunContext, { ends }: Execution): boolean {
  const unknown = ends.some(({ id }) => context.writes.hasUnknownOutcome(id));
  const done = ends.every(({ status }) => status === 'done');
  const ids = new Set(ends.map(({ id }) => id));
  const open = context.ledger.entries().some((entry) => {
    return ids.has(entry.nodeId) && entry.outcome !== 'made' && !entry.superseded;
  });
  return done && !unknown && !open && !context.life.signal.aborted;
}

/** The next stage of a given plan or a recipe, checked with the results before it, or the end of the run. */
async function followingStage(
  context: RunContext,
  obtained: ObtainedPlan,
  { stage, ...done }: StagedRun & { readonly stage: number },
): Promise<ObtainedPlan | StagedRun> {
  const { stages, ends } = done;
  const newest = stages.at(-1);
  const [plan, ...following] = obtained.following ?? [];
  if (!newest || !plan || !isComplete(context, newest.execution)) return done;
  const { request, runId, facts, toolCalls, budgets, life } = context;
  const { turn, project } = request;
  await request.runWaitingCommands?.();
  facts.record([{ type: 'stage-ended', turn, runId, stage, summaryHash: summaryHash(ends, project) }]);
  const approvals = insertedApprovals(context, stages);
  const results = ends.filter(({ id, status }) => status === 'done' && !approvals.has(id));
  const earlier = { done: new Set(results.map(({ id }) => id)), approvals, states: statesOf(results) };
  const ofSession = sessionInputs(request).map(({ id }) => id);
  const rules = { toolCalls, project, budgets, signal: life.signal, ofSession };
  const checked = await checkListed(rules, plan, 'needed', earlier);
  if (!checked.ok) return { ...done, error: joinFindings(checked.error) };
  const { source, recipeId, params } = obtained;
  const from = { source, ...(recipeId !== undefined && { recipeId }), ...(params && { params }) };
  return { ...checked.value, ...from, following };
}

/** The stage after the newest one, or the end of the run. */
async function stageAfter(
  context: RunContext,
  planned: ObtainedPlan,
  {
    newest,
    retry,
    ...done
  }: StagedRun & { readonly newest: StageRun; readonly stage: number; readonly retry: boolean },
): Promise<ObtainedPlan | StagedRun> {
  const { stages, ends } = done;
  if (newest.obtained.following?.length) return followingStage(context, newest.obtained, done);
  return continuesToNextStage(context, newest, retry) ? nextStage(context, planned, done) : { stages, ends };
}

/** The next stage of a run planned by a model, or its end. */
async function nextStage(
  context: RunContext,
  { planner, listing }: ObtainedPlan,
  done: EndedStages,
  ask = nextMove,
): Promise<ObtainedPlan | StagedRun> {
  const outOfStages = done.stage >= (context.budgets.run.stages ?? defaultStages);
  const move = planner ? await ask(context, planner, { ...done, outOfStages }) : null;
  if (!move) return done;
  const ended = { ...done, outOfStages };
  if (!move.ok)
    return done.stages.some(hasFailed)
      ? { stages: done.stages, ends: done.ends }
      : { ...ended, error: move.error };
  if (move.value.type === 'text') return { ...ended, text: move.value.text };
  const { checked, look } = move.value;
  return { checked, look, listing, source: 'model', ...(planner && { planner }) };
}

/** The stages of a run so far. */
interface StagedRun {
  readonly stages: readonly StageRun[];
  readonly ends: readonly NodeOutcome[];
  /** The words with which the model ended the run. */
  readonly text?: string;
  /** Why the next stage could not be planned. */
  readonly error?: AppError;
  /** The run may have no further stage. */
  readonly outOfStages?: boolean;
}

/** The stages of a run that have ended, and the number of the last one; 0 before the first. */
type EndedStages = StagedRun & { readonly stage: number };

/** The plan of a run's only stage, if a later run could repeat it; null otherwise. */
function reusablePlan({ obtained }: StageRun): Plan | null {
  const { plan } = obtained.checked;
  const isOfGoal = obtained.planner?.steered() !== true;
  const repeatable = isOfGoal && obtained.look !== true && !obtained.changes && !readsSession(plan);
  return repeatable ? plan : null;
}

/** The end of a run whose plan the user answered before its first stage ran, and for which the model then had no other. */
export type EndWithoutStage = AnsweredInText | { readonly error: AppError };

function withoutStage({ text, error }: StagedRun): EndWithoutStage | null {
  if (text !== undefined) return { text };
  return error ? { error } : null;
}

/** The source of a run's first plan, which may have taken the place of the obtained one. */
const sourceOf = (stages: readonly StageRun[], { source }: ObtainedPlan): PlanSource =>
  stages[0]?.obtained.source ?? source;

/**
 * Executes an obtained plan, and the stages planned after it, up to the run's answer; `null` when the plan
 * differs from that of the prior run. Finished work of a prior run is reused.
 */
export async function executeRun(
  context: RunContext,
  obtained: ObtainedPlan,
  prior: PriorRun,
): Promise<RunResult | EndWithoutStage | null> {
  const { project } = context.request;
  const staged = await executeStages(context, obtained, prior);
  if (!staged) return null;
  const { stages, ends, text, error, outOfStages } = staged;
  const last = stages.at(-1);
  if (!last) return withoutStage(staged);
  const { execution, obtained: newest } = last;
  const source = sourceOf(stages, obtained);
  const own = new Set(execution.ends.map(({ id }) => id));
  const end = await finalAnswer(context, {
    plan: execution.checked.plan,
    source,
    ends: execution.ends,
    inserted: approvalIds(execution),
    earlier: ends.filter(({ id }) => !own.has(id)),
    earlierPlans: [
      ...stagesBefore(context.request).map(({ plan }) => plan),
      ...stages.slice(0, -1).map((one) => one.execution.checked.plan),
    ],
    ...((newest.look === true || newest.following?.length) && { look: true }),
    ...(text !== undefined && { text }),
    ...(error && { error }),
    ...(outOfStages && { outOfStages }),
  });
  const receipt = await receiptOf(context, { ...end, ends });
  const hashes = stagesBefore(context.request).map((one) => one.planHash);
  const allHashes = [...hashes, ...stages.map(({ hash }) => hash)];
  return {
    ...end,
    ...receipt,
    source,
    ends,
    stages: reportsOf(context, stages),
    planHash: allHashes.length === 1 ? last.hash : canonicalHash(allHashes),
    summaryHash: summaryHash(ends, project),
    plan: allHashes.length === 1 ? reusablePlan(last) : null,
  };
}

/** The stages in the order they ran, each with the outcomes of its nodes. */
function reportsOf(context: RunContext, stages: readonly StageRun[]): RunResult['stages'] {
  const earlier = stagesBefore(context.request).map(({ planHash: hash, plan }) => {
    const ids = plan.nodes.map(({ id }) => id);
    return { planHash: hash, nodes: ids };
  });
  return [
    ...earlier,
    ...stages.map(({ hash, execution }) => ({ planHash: hash, nodes: execution.ends.map(({ id }) => id) })),
  ];
}

/**
 * Stops waiting for the model's answer when the run is stopped, because the model may hang, and when the user sends a
 * message now: then the results are the answer.
 */
async function finalAnswer(context: RunContext, ending: Ending): Promise<AnsweredRun> {
  const { life, stageCancel } = context;
  if (life.signal.aborted) return answerRun(context, ending);
  const own = stageCancel.begin(life, 'answer');
  const end = await raceAbort(answerRun({ ...context, life: own }, ending), own.signal);
  const interrupted = stageCancel.end() && !life.signal.aborted;
  return end ?? answerRun(context, { ...ending, interrupted });
}
