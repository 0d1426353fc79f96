import { appError, type AppError } from '#shared/app-error';
import { addUsage, noUsage, type Usage } from '#shared/model';
import type { Plan } from '#shared/plan';
import type { Receipt } from '#shared/receipt';
import { ok, type Result } from '#shared/result';
import { closing } from '../ports/closing';
import type { PlanSource } from '#shared/plan';
import type { FactOf, SessionFact } from '#shared/session-event';
import type { ProposedPlan } from '#shared/session-state';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { ModelClient } from '../ports/llm';
import type { PolicyFiles } from '../ports/policy';
import type { LabelledArtifactStore, SandboxEngine } from '../ports/sandbox';
import type { TextCache } from '../ports/text-cache';
import { createApprovalCards } from '../tools/approval-cards';
import type { Approvals } from '../tools/approvals';
import type { ToolCalls } from '../tools/call-tool';
import { createDataFlows } from '../tools/data-flows';
import { toolsByName } from '../tools/call-scope';
import { createFactBuffer } from '../tools/fact-buffer';
import type { FactBuffer } from '../tools/fact-buffer';
import { createNameIndex, type NameIndex } from '../tools/name-index';
import { createRunWrites } from '../tools/node-writes';
import { createTokenEstimate, type CountTokens } from '../tools/model-usage';
import type { SchemaCheck } from '../tools/schema-check';
import type { Agent, AgentRequest, NodeReport, RecordFacts, RunReport } from '../ports/agent';
import type { AnsweredRun } from './answer';
import { executeRun, planChanged, priorOf, type EndWithoutStage } from './execute-run';
import type { EarlierPlans } from './earlier-plans';
import { readPriorRun, type PriorRun } from './prior-run';
import type { NodeOutcome, RunContext } from './node-run';
import { obtainPlan, type ObtainedPlan } from './obtain-plan';
import type { Planning } from './planning';
import { isQuestion } from './plan-reply';
import type { ObservedTypes } from './observed-types';
import type { Recipes } from './recipes';
import { createTokenTally, type TokenTally } from './receipt';
import { createPlanReviews, type PlanReviews } from './plan-reviews';
import { judgeReview, leftForReview, previewPlan } from './review-plan';
import { createRunLedger, writeReports, type RunLedger } from './run-ledger';
import {
  createRunLifecycle,
  createStageCancel,
  raceAbort,
  type RunLifecycle,
  type StageCancel,
} from './run-lifecycle';
import { createRunMeter, type RunMeter } from './run-meter';

export interface AgentDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly models: ModelClient;
  /** The sandbox of a project folder; nothing starts before a run begins. */
  readonly sandbox: (project: string) => SandboxEngine;
  readonly artifacts: (project: string) => LabelledArtifactStore;
  readonly toolCalls: ToolCalls;
  readonly policy: PolicyFiles;
  readonly recipes: Recipes;
  readonly observed: ObservedTypes;
  readonly earlier: EarlierPlans;
  /** Cache of the checked replies of model steps, reused for the same question. */
  readonly nodeReplies: TextCache;
  /** The registry of open questions that the gate also uses. */
  readonly approvals: Approvals;
  readonly checkSchema: SchemaCheck;
  /** Loads the tokenizer for receipts (none without it) and for tokens that no provider counted. */
  readonly countTokens?: () => Promise<CountTokens>;
}

interface Run {
  readonly request: AgentRequest;
  readonly runId: string;
  readonly life: RunLifecycle;
  readonly stageCancel: StageCancel;
  readonly meter: RunMeter;
  readonly tokenTally: TokenTally | null;
  readonly facts: FactBuffer;
  readonly ledger: RunLedger;
  /** The plan that was proposed last. */
  readonly proposed: () => Proposed | null;
  readonly names: NameIndex;
}

type Proposed = Pick<RunReport, 'plan' | 'planHash' | 'expectedWrites' | 'expectedCost'>;

const proposedOf = ({ plan, planHash, writes, cost }: ProposedPlan | FactOf<'plan-proposed'>): Proposed => ({
  plan,
  planHash,
  ...(writes && { expectedWrites: writes }),
  ...(cost !== undefined && { expectedCost: cost }),
});

/** The result of a run when it ends, at whatever stage. */
interface Ended extends AnsweredRun {
  readonly source?: PlanSource;
  readonly ends: readonly NodeOutcome[];
  readonly stages?: readonly { readonly planHash: string; readonly nodes: readonly string[] }[];
  readonly receipt?: Receipt;
  readonly planHash?: string;
  readonly summaryHash?: string;
}

const storageLost = appError(
  'HOST',
  'STORAGE',
  'The session can no longer be saved, so the run was stopped.',
);

const notRunnable = (life: RunLifecycle): Ended => notRun(life.reason() ?? planChanged);

function notRun(error: AppError): Ended {
  const cancelled = error.kind === 'HOST' && error.code === 'CANCELLED';
  const hint = error.hint === undefined ? '' : `\n\n${error.hint}`;
  return {
    outcome: cancelled ? 'cancelled' : 'failed',
    answer: cancelled ? 'Cancelled.' : `${error.message}${hint}`,
    error,
    ends: [],
  };
}

/** The end of a run in which the model only spoke: nothing was planned and nothing ran. */
const answered = (text: string): Ended => ({
  outcome: 'answered',
  answer: text,
  ...(isQuestion(text) && { asks: true }),
  ends: [],
});

const withoutStage = (end: EndWithoutStage): Ended =>
  'text' in end ? answered(end.text) : notRun(end.error);

/**
 * Goal → plan → policy → execute → answer. Each run records its facts in order; `run-ended`
 * (`run-interrupted` on shutdown) is always last.
 */
export function createAgent(deps: AgentDeps): Agent {
  const activeRuns = new Map<string, Run>();
  const reviews = createPlanReviews();
  return {
    run: async (received, record, signal) => {
      const request: AgentRequest = received.review === 'none' ? { ...received, approve: 'none' } : received;
      const run = openRun(deps, request, record, signal);
      const policy = readPolicy(deps, request);
      const begun = beginning(run, policy);
      if (begun) run.facts.record([begun]);
      activeRuns.set(run.runId, run);
      const ended = await work({ ...deps, reviews }, run, policy).catch((cause: unknown) =>
        notRun(unexpected(cause)),
      );
      activeRuns.delete(run.runId);
      run.life.end();
      return close(run, ended, signal.reason === closing);
    },
    answer: deps.approvals.answer,
    edit: deps.approvals.edit,
    review: reviews.answer,
    judgeReview: (project, run, decision) => judgeReview(deps, project, run, decision),
    previewPlan: (project, run, edit) => {
      const request = activeRuns.get(run.runId)?.request;
      const countTokens = createTokenEstimate(deps.countTokens).exact;
      return previewPlan({ ...deps, countTokens, ...(request && { request }) }, project, run, edit);
    },
    cancelStage: (runId, steers) => activeRuns.get(runId)?.stageCancel.cancel(steers) ?? false,
    pause: (runId, paused) => {
      const run = activeRuns.get(runId);
      if (!run?.life.setPaused(paused)) return false;
      const type = paused ? ('run-paused' as const) : ('run-continued' as const);
      return run.facts.record([{ type, turn: run.request.turn, runId }]);
    },
  };
}

function openRun(deps: AgentDeps, request: AgentRequest, record: RecordFacts, signal: AbortSignal): Run {
  const life = createRunLifecycle(deps.clock, signal);
  const prior = priorOf(request)?.prior;
  const ledger = createRunLedger(prior);
  const stageCancel = createStageCancel(ledger.isWriting);
  let proposed = prior?.proposal ? proposedOf(prior.proposal) : null;
  const commit: RecordFacts = (facts) => {
    const recorded = record(facts);
    if (recorded) ledger.note(facts);
    stageCancel.noteRecorded();
    for (const fact of facts) if (fact.type === 'plan-proposed') proposed = proposedOf(fact);
    return recorded;
  };
  const facts = createFactBuffer(deps.clock, commit, () => life.stop(storageLost));
  const runId = prior?.runId ?? deps.ids.next('run');
  const tokenTally = deps.countTokens ? createTokenTally(deps.countTokens) : null;
  const meter = createRunMeter({
    estimate: createTokenEstimate(deps.countTokens),
    clock: deps.clock,
    onCall: ({ part, node, model }, spent) =>
      facts.add({
        type: 'model-called',
        turn: request.turn,
        runId,
        part,
        model,
        ...spent,
        ...(node !== undefined && { nodeId: node }),
      }),
    onDelay: (error, waitMs) => {
      facts.record([{ type: 'reply-delayed', turn: request.turn, error, waitMs }]);
      return life.wait();
    },
  });
  const names = createNameIndex();
  const parts = { request, runId, life, stageCancel, meter, tokenTally, facts, ledger, names };
  return { ...parts, proposed: () => proposed };
}

function unexpected(cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return appError('HOST', 'STATE', `Internal error in Patina, so the run was stopped: ${reason}`);
}

type Policy = Result<Pick<RunContext, 'capabilities' | 'budgets'>>;

function readPolicy(
  deps: AgentDeps,
  { project, provided }: Pick<AgentRequest, 'project' | 'provided'>,
): Policy {
  const capabilities = deps.policy.capabilities(project);
  if (!capabilities.ok) return capabilities;
  const budgets = deps.policy.budgets(project);
  if (!budgets.ok) return budgets;
  const requestedWrites = provided && 'plan' in provided ? (provided.writes ?? []) : [];
  const write = [...capabilities.value.write, ...requestedWrites];
  return ok({ capabilities: { ...capabilities.value, write }, budgets: budgets.value });
}

/** The fact that begins a run; null when it resumes with a plan, whose first stage records it. */
function beginning({ request, runId }: Run, policy: Policy): SessionFact | null {
  const { turn, goal } = request;
  const budgets = policy.ok && { budgets: policy.value.budgets };
  const prior = priorOf(request)?.prior;
  if (!prior) return { type: 'run-started', turn, runId, goal, ...budgets, ...providedSource(request) };
  return prior.stages?.length || prior.proposal
    ? null
    : { type: 'run-resumed', turn, runId, kept: [], ...budgets };
}

function providedSource({ provided }: AgentRequest): Pick<FactOf<'run-started'>, 'source'> {
  if (!provided || 'prior' in provided) return {};
  return { source: 'plan' in provided ? 'file' : 'recipe' };
}

/** What a run used before it was interrupted; a run that is resumed after its end begins with new budgets. */
function usedBefore(request: AgentRequest): Usage {
  const prior = priorOf(request)?.prior;
  return (prior?.status === 'interrupted' && prior.called) || noUsage;
}

function priorRunOf(request: AgentRequest): Result<PriorRun> {
  const prior = priorOf(request);
  return prior ? readPriorRun(prior.prior, prior.from) : ok(nothingPrior);
}

async function work(
  deps: AgentDeps & { readonly reviews: PlanReviews },
  run: Run,
  policy: Policy,
): Promise<Ended> {
  const { request, life, meter } = run;
  if (!policy.ok) return notRun(policy.error);
  meter.limit(policy.value.budgets.run, usedBefore(request));
  life.setDeadline(policy.value.budgets.run.wall_ms);
  const sandbox = deps.sandbox(request.project);
  // Warms the worker up while the plan is made, so that it is ready or nearly ready by then.
  sandbox.warm();
  const artifacts = deps.artifacts(request.project);
  const note: Planning['note'] = (...facts) => {
    run.facts.record(facts.map((fact) => ({ ...fact, turn: request.turn, runId: run.runId })));
  };
  const { stageCancel } = run;
  const { signal } = life;
  const own = { request, meter, signal, life, stageCancel, artifacts, note };
  const planning = { ...deps, ...policy.value, ...own };
  const obtained = await raceAbort(obtainPlan(planning), life.signal);
  const stop = life.reason();
  if (stop || !obtained) return notRun(stop ?? storageLost);
  if (!obtained.ok) return notRun(obtained.error);
  if ('text' in obtained.value) return answered(obtained.value.text);
  const taken = priorRunOf(request);
  if (!taken.ok) return notRun(taken.error);
  const { approvals, checkSchema, clock, ids, models, nodeReplies, reviews, toolCalls } = deps;
  const rooms = { sandbox, artifacts };
  const shared = {
    approvals,
    cards: createApprovalCards({ clock, ids, facts: run.facts }),
    reviews,
    checkSchema,
    clock,
    ids,
    models,
    nodeReplies,
    toolCalls,
    countTokens: meter.estimate.exact,
    ...rooms,
    ...policy.value,
  };
  const { listing } = obtained.value;
  const flows = createDataFlows({
    tools: toolsByName(listing),
    allowed: [...policy.value.capabilities.dataFlows, ...(request.allowedFlows ?? [])],
    resumed: priorOf(request) !== null,
  });
  const context = { ...run, ...shared, stage: 1, listing, flows, writes: createRunWrites(taken.value) };
  const result = await executeRun(context, obtained.value, taken.value);
  if (!result) return notRunnable(life);
  if (!('ends' in result)) return withoutStage(result);
  const { plan, ...ended } = result;
  if (plan) storePlan(deps, obtained.value, plan, ended);
  return ended;
}

/** Caches the plan of a successful run for the same goal. */
function storePlan(
  { earlier }: AgentDeps,
  { source, key }: ObtainedPlan,
  plan: Plan,
  { outcome }: Ended,
): void {
  const planned = source === 'model' || source === 'earlier';
  if (outcome === 'done' && planned && key !== undefined) earlier.store(key, plan);
}

const nothingPrior: PriorRun = {
  ends: new Map(),
  writes: new Map(),
  inherited: [],
  made: [],
  originsOf: new Map(),
  rerun: [],
};

/** Shutdown of Patina interrupts a run instead of cancelling it, so the run can resume after a restart. */
function close(run: Run, ended: Ended, patinaEnds: boolean): RunReport {
  const { ends, stages = [], planHash: _hash, source, ...rest } = ended;
  const usage = addUsage(usedBefore(run.request), run.meter.usage());
  const { runId } = run;
  const { turn } = run.request;
  const left = run.life.reason() === leftForReview;
  run.facts.record([
    left || (patinaEnds && ended.outcome === 'cancelled')
      ? { type: 'run-interrupted', turn, runId }
      : { type: 'run-ended', turn, runId, ...rest, usage },
  ]);
  run.facts.close();
  const nodes: readonly NodeReport[] = ends.map(
    ({ id, status, summary, error, metrics, usage: own, items, attempts, cached }) => ({
      id,
      status,
      summary,
      cached,
      ...(error && { error }),
      ...(metrics && { metrics }),
      ...(own && { usage: own }),
      ...(items && { items }),
      ...(attempts !== undefined && { attempts }),
    }),
  );
  const artifacts = ends.flatMap((end) => end.artifacts ?? []);
  const hash = {
    ...(ended.planHash !== undefined && { planHash: ended.planHash }),
    ...(source && { source }),
  };
  const writes = writeReports(run.ledger.entries());
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const reports = stages.map(({ planHash, nodes: ids }) => ({
    planHash,
    nodes: ids.flatMap((id) => byId.get(id) ?? []),
  }));
  const session = run.request.sessionId === undefined ? {} : { sessionId: run.request.sessionId };
  const done = { stages: reports, nodes, writes, artifacts, usage };
  const proposed = left ? run.proposed() : null;
  if (proposed) return { ...session, runId, outcome: 'waiting', answer: '', ...proposed, ...done };
  return { ...session, runId, ...rest, ...hash, ...done };
}
