import { appError, type AppError } from '#shared/app-error';
import type { Plan } from '#shared/plan';
import type { Receipt } from '#shared/receipt';
import { ok, type Result } from '#shared/result';
import { closing } from '../ports/closing';
import type { SessionFact } from '#shared/session-event';
import type { Clock } from '../ports/clock';
import type { Ids } from '../ports/ids';
import type { ModelClient } from '../ports/llm';
import type { PolicyFiles } from '../ports/policy';
import type { LabelledArtifactStore, SandboxEngine } from '../ports/sandbox';
import type { TextCache } from '../ports/text-cache';
import type { Approvals } from '../tools/approvals';
import type { ToolCalls } from '../tools/call-tool';
import { createFactBuffer } from '../tools/fact-buffer';
import type { FactBuffer } from '../tools/fact-buffer';
import { createRunWrites } from '../tools/node-writes';
import { createTokenEstimate, type CountTokens } from '../tools/model-usage';
import type { SchemaCheck } from '../tools/schema-check';
import type { Agent, AgentRequest, NodeReport, RecordFacts, RunReport } from '../ports/agent';
import type { AnsweredRun } from './answer';
import { executeRun, planChanged, priorOf } from './execute-run';
import type { EarlierPlans } from './earlier-plans';
import { readPriorRun, type PriorRun } from './prior-run';
import type { NodeOutcome, RunContext } from './node-run';
import { obtainPlan, type ObtainedPlan } from './obtain-plan';
import type { Planning } from './planning';
import { isQuestion } from './plan-reply';
import type { ObservedTypes } from './observed-types';
import type { Recipes } from './recipes';
import { createTokenTally, type TokenTally } from './receipt';
import { createRunLedger, writeReports, type RunLedger } from './run-ledger';
import { createRunLifecycle, raceAbort, type RunLifecycle } from './run-lifecycle';
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
  readonly meter: RunMeter;
  readonly tokenTally: TokenTally | null;
  readonly facts: FactBuffer;
  readonly ledger: RunLedger;
}

/** The result of a run when it ends, at whatever stage. */
interface Ended extends AnsweredRun {
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

/**
 * Goal → plan → policy → execute → answer. Each run records its facts in order; `run-ended`
 * (`run-interrupted` on shutdown) is always last.
 */
export function createAgent(deps: AgentDeps): Agent {
  const activeRuns = new Map<string, Run>();
  return {
    run: async (request, record, signal) => {
      const run = openRun(deps, request, record, signal);
      const policy = readPolicy(deps, request.project);
      if (!priorOf(request)) run.facts.record([started(run, policy)]);
      activeRuns.set(run.runId, run);
      const ended = await work(deps, run, policy).catch((cause: unknown) => notRun(unexpected(cause)));
      activeRuns.delete(run.runId);
      run.life.end();
      return close(run, ended, signal.reason === closing);
    },
    answer: deps.approvals.answer,
    edit: deps.approvals.edit,
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
  const ledger = createRunLedger(priorOf(request)?.prior);
  const commit: RecordFacts = (facts) => {
    const recorded = record(facts);
    if (recorded) ledger.note(facts);
    return recorded;
  };
  const facts = createFactBuffer(deps.clock, commit, () => life.stop(storageLost));
  const runId = priorOf(request)?.prior.runId ?? deps.ids.next('run');
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
  });
  return { request, runId, life, meter, tokenTally, facts, ledger };
}

function unexpected(cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return appError('HOST', 'STATE', `Internal error in Patina, so the run was stopped: ${reason}`);
}

type Policy = Result<Pick<RunContext, 'capabilities' | 'budgets'>>;

function readPolicy(deps: AgentDeps, project: string): Policy {
  const capabilities = deps.policy.capabilities(project);
  if (!capabilities.ok) return capabilities;
  const budgets = deps.policy.budgets(project);
  return budgets.ok ? ok({ capabilities: capabilities.value, budgets: budgets.value }) : budgets;
}

function started({ request, runId }: Run, policy: Policy): SessionFact {
  const { turn, goal } = request;
  return { type: 'run-started', turn, runId, goal, ...(policy.ok && { budgets: policy.value.budgets }) };
}

async function work(deps: AgentDeps, run: Run, policy: Policy): Promise<Ended> {
  const { request, life, meter } = run;
  if (!policy.ok) return notRun(policy.error);
  meter.limit(policy.value.budgets.run);
  life.setDeadline(policy.value.budgets.run.wall_ms);
  const sandbox = deps.sandbox(request.project);
  // Warms the worker up while the plan is made, so that it is ready or nearly ready by then.
  sandbox.warm();
  const artifacts = deps.artifacts(request.project);
  const note: Planning['note'] = (fact) => {
    run.facts.record([{ ...fact, turn: request.turn, runId: run.runId }]);
  };
  const { signal } = life;
  const planning = { ...deps, ...policy.value, request, meter, signal, artifacts, note };
  const obtained = await raceAbort(obtainPlan(planning), life.signal);
  const stop = life.reason();
  if (stop || !obtained) return notRun(stop ?? storageLost);
  if (!obtained.ok) return notRun(obtained.error);
  if ('text' in obtained.value) return answered(obtained.value.text);
  const prior = priorOf(request);
  const taken = prior ? readPriorRun(prior.prior, prior.from) : ok(nothingPrior);
  if (!taken.ok) return notRun(taken.error);
  const { approvals, checkSchema, clock, ids, models, nodeReplies, toolCalls } = deps;
  const rooms = { sandbox, artifacts };
  const shared = {
    approvals,
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
  const context = { ...run, ...shared, listing, writes: createRunWrites(taken.value) };
  const result = await executeRun(context, planning, obtained.value, taken.value);
  if (!result) return notRun(planChanged);
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

const nothingPrior: PriorRun = { ends: new Map(), writes: new Map(), inherited: [], originsOf: new Map() };

/** Shutdown of Patina interrupts a run instead of cancelling it, so the run can resume after a restart. */
function close(run: Run, ended: Ended, patinaEnds: boolean): RunReport {
  const { ends, stages = [], planHash: _hash, ...rest } = ended;
  const usage = run.meter.usage();
  const { runId } = run;
  const { turn } = run.request;
  run.facts.record([
    patinaEnds && ended.outcome === 'cancelled'
      ? { type: 'run-interrupted', turn, runId }
      : { type: 'run-ended', turn, runId, ...rest, usage },
  ]);
  run.facts.close();
  const nodes: readonly NodeReport[] = ends.map(
    ({ id, status, summary, error, metrics, attempts, cached }) => ({
      id,
      status,
      summary,
      cached,
      ...(error && { error }),
      ...(metrics && { metrics }),
      ...(attempts !== undefined && { attempts }),
    }),
  );
  const artifacts = ends.flatMap((end) => end.artifacts ?? []);
  const hash = ended.planHash === undefined ? {} : { planHash: ended.planHash };
  const writes = writeReports(run.ledger.entries());
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const reports = stages.map(({ planHash, nodes: ids }) => ({
    planHash,
    nodes: ids.flatMap((id) => byId.get(id) ?? []),
  }));
  const session = run.request.sessionId === undefined ? {} : { sessionId: run.request.sessionId };
  return { ...session, runId, ...rest, ...hash, stages: reports, nodes, writes, artifacts, usage };
}
